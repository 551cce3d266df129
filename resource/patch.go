package resource

import (
	"context"
	"net/http"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/rapidrest/rapidrest/document"
	"github.com/rapidrest/rapidrest/router"
)

// patch answers PATCH: a JSON Merge Patch (RFC 7396) on one document.
func (m *mount) patch(c *router.Ctx) error {
	t, cond, err := m.opening(c)
	if err != nil {
		return err
	}
	if k := mediaOf(c.Request.Header.ContentType()); k != mediaMergePatch && k != mediaJSON {
		c.Response.Header.Set("Accept-Patch", string(typeMergePatch))
		return router.NewProblem(http.StatusUnsupportedMediaType, "resource: the body's Content-Type is not application/merge-patch+json")
	}
	patch, err := m.patchFor(t, c.PostBody())
	if err != nil {
		return err
	}
	return m.change(c, t, func(ctx context.Context, doc bson.Raw) error {
		switch {
		case doc == nil && len(cond.match) == 0:
			return notFound(t)
		case !cond.hold(doc):
			return preconditionFailed(c, doc)
		}
		fresh, err := appendMerged(nil, doc, patch)
		if err != nil {
			return err
		}
		if len(fresh) > document.MaxSize {
			return router.NewProblem(http.StatusRequestEntityTooLarge, "resource: the patched document exceeds 16 MiB of BSON")
		}
		if err := m.validateBSON(t.collection, fresh, t.id.Type == bson.TypeObjectID); err != nil {
			return invalid(err)
		}
		stored, err := m.replace(ctx, t, doc, fresh)
		if err != nil {
			return err
		}
		return m.changed(c, http.StatusNoContent, stored)
	})
}

// patchFor reads a patch's body, by the rules of documents. An _id in it is taken out.
func (m *mount) patchFor(t target, body []byte) (bson.Raw, error) {
	doc, id, err := m.documentFor(t, body)
	if err != nil {
		return nil, err
	}
	return withoutID(doc, id), nil
}

// withoutID is doc without its _id, which stands first.
func withoutID(doc bson.Raw, id document.ID) bson.Raw {
	start, dst := bsoncore.AppendDocumentStart(make([]byte, 0, len(doc)))
	dst = append(dst, afterID(doc, id)...)
	dst, _ = bsoncore.AppendDocumentEnd(dst, start)
	return dst
}

// validateBSON shows a document to Config.Validate, as JSON, without an _id that was
// generated. (Of a stored one, an ObjectID counts as that.)
func (m *mount) validateBSON(collection string, doc bson.Raw, generated bool) error {
	if m.Validate == nil {
		return nil
	}
	if generated {
		doc = withoutID(doc, document.ID{Value: make([]byte, 12)})
	}
	text, err := document.AppendJSON(nil, doc, document.Plain)
	if err != nil {
		return err
	}
	return m.Validate(collection, text)
}
