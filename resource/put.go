package resource

import (
	"bytes"
	"context"
	"errors"
	"net/http"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/rapidrest/rapidrest/document"
	"github.com/rapidrest/rapidrest/router"
)

// put answers PUT: the body takes the place of the document, or becomes it. It is 201 where
// it came to be, else 204. There is no upsert: replacing and inserting are two operations,
// of which the second happens only to a document that is not there.
func (m *mount) put(c *router.Ctx) error {
	t, cond, err := m.opening(c)
	if err != nil {
		return err
	}
	if mediaOf(c.Request.Header.ContentType()) != mediaJSON {
		return router.NewProblem(http.StatusUnsupportedMediaType, "resource: the body's Content-Type is not application/json")
	}
	fresh, err := m.bodyFor(t, c.PostBody())
	if err != nil {
		return err
	}
	if !cond.any() {
		return m.overwrite(c, t, fresh)
	}
	return m.change(c, t, func(ctx context.Context, doc bson.Raw) error {
		if !cond.hold(doc) {
			return preconditionFailed(c, doc)
		}
		if doc == nil {
			return m.insert(ctx, c, t, fresh)
		}
		stored, err := m.replace(ctx, t, doc, fresh)
		if err != nil {
			return err
		}
		return m.changed(c, http.StatusNoContent, stored)
	})
}

// overwrite is a PUT without conditions: it does not matter what was there.
func (m *mount) overwrite(c *router.Ctx, t target, fresh bson.Raw) error {
	ctx, cancel := context.WithTimeout(context.Background(), m.Timeout)
	defer cancel()
	defer m.changes.lock(t)()
	after := options.FindOneAndReplace().SetReturnDocument(options.After)
	for range maxTries {
		stored, err := m.coll(t.collection).FindOneAndReplace(ctx, idFilter(t.id), fresh, after).Raw()
		if err == nil {
			return m.changed(c, http.StatusNoContent, stored)
		}
		if errors.Is(err, mongo.ErrNoDocuments) {
			err = m.insert(ctx, c, t, fresh)
		}
		switch _, answered := errors.AsType[*router.Problem](err); {
		case err == nil, answered:
			return err
		case !errors.Is(err, errChanged):
			return m.storeProblem(c, err, http.StatusUnprocessableEntity)
		}
	}
	return unavailable(c, "resource: the document comes and goes faster than this request can")
}

// insert makes a document that is not there. Where it has come to be meanwhile, the error is
// errChanged; where another document holds a value of a unique index, it is a 409.
func (m *mount) insert(ctx context.Context, c *router.Ctx, t target, fresh bson.Raw) error {
	_, err := m.coll(t.collection).InsertOne(ctx, fresh)
	if mongo.IsDuplicateKeyError(err) {
		if _, err := m.find(ctx, t.collection, idFilter(t.id)); err == nil {
			return errChanged
		}
	}
	if err != nil {
		return err
	}
	stored, err := m.find(ctx, t.collection, idFilter(t.id))
	if err != nil {
		return err
	}
	return m.changed(c, http.StatusCreated, stored)
}

// bodyFor turns a PUT's body into the document that the path names.
func (m *mount) bodyFor(t target, body []byte) (bson.Raw, error) {
	doc, id, err := m.documentFor(t, body)
	if err != nil {
		return nil, err
	}
	if m.Validate != nil {
		if err := m.Validate(t.collection, body); err != nil {
			return nil, invalid(err)
		}
	}
	if id.Generated {
		return withID(t.id, doc, id), nil
	}
	return doc, nil
}

// documentFor reads the body of a PUT or PATCH. An _id in it must be that of the path; without one
// the document has an _id that was generated.
func (m *mount) documentFor(t target, body []byte) (bson.Raw, document.ID, error) {
	doc, id, err := document.Append(nil, body, m.options())
	switch {
	case err != nil:
		return nil, id, documentProblem(err)
	case !id.Generated && (id.Type != t.id.Type || !bytes.Equal(id.Value, t.id.Value)):
		return nil, id, router.NewProblem(http.StatusUnprocessableEntity, "resource: the _id in the body is not that of the path; an _id never changes").
			With("pointer", "/_id")
	}
	return doc, id, nil
}

// withID is doc with the _id of the path in the place of the one that was generated, which
// stands first.
func withID(own document.ID, doc bson.Raw, generated document.ID) bson.Raw {
	start, dst := bsoncore.AppendDocumentStart(make([]byte, 0, len(doc)+len(own.Value)))
	dst = own.AppendElement(dst, idField)
	dst = append(dst, afterID(doc, generated)...)
	dst, _ = bsoncore.AppendDocumentEnd(dst, start)
	return dst
}

// afterID is what follows the _id in a document that begins with it, without the last byte.
func afterID(doc bson.Raw, id document.ID) []byte {
	return doc[4+1+len("_id\x00")+len(id.Value) : len(doc)-1]
}
