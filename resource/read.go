package resource

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/rapidrest/rapidrest/document"
	"github.com/rapidrest/rapidrest/router"
)

// target is the document that a path names.
type target struct {
	collection string
	id         document.ID
}

func (m *mount) target(c *router.Ctx) (target, error) {
	name, err := m.name(c)
	if err != nil {
		return target{}, err
	}
	id, err := pathID(string(c.ParamBytes(m.id)), string(c.QueryArgs().Peek("id_type")))
	switch {
	case err != nil:
	case !acceptsJSON(c.Request.Header.Peek("Accept")):
		err = errNotAcceptable
	case m.outage.known():
		err = unavailable(c, storeGone)
	}
	return target{name, id}, err
}

func notFound(t target) *router.Problem {
	text, _ := t.id.AppendJSON(nil)
	return router.NewProblem(http.StatusNotFound, "resource: no document with the _id "+string(text)+" in "+quote(t.collection))
}

// get answers GET and HEAD on one document, with its entity tag. If-None-Match is answered
// with 304, If-Match with 412.
func (m *mount) get(c *router.Ctx) error {
	t, err := m.target(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), m.Timeout)
	defer cancel()
	doc, err := m.find(ctx, t.collection, idFilter(t.id))
	if errors.Is(err, mongo.ErrNoDocuments) {
		return notFound(t)
	}
	if err != nil {
		return m.storeProblem(c, err, http.StatusBadRequest)
	}
	if match := c.Request.Header.Peek("If-Match"); len(match) > 0 && !matchesStrong(match, doc) {
		return preconditionFailed(c, doc)
	}
	setETag(c, doc)
	if match := c.Request.Header.Peek("If-None-Match"); len(match) > 0 && matchesWeak(match, doc) {
		c.SetStatusCode(http.StatusNotModified)
		return nil
	}
	return m.show(c, http.StatusOK, doc)
}

func setETag(c *router.Ctx, doc bson.Raw) {
	tag := etag(doc)
	c.Response.Header.SetBytesV("ETag", tag[:])
}

// show answers with a document.
func (m *mount) show(c *router.Ctx, status int, doc bson.Raw) error {
	s := m.scratch.get()
	defer m.scratch.put(s)
	out, err := document.AppendJSON(s.reply[:0], doc, document.Plain)
	s.reply = out
	if err != nil {
		return err
	}
	c.SetStatusCode(status)
	c.Response.Header.SetContentType(contentJSON)
	c.Response.SetBody(out)
	return nil
}

// list answers GET on a collection: a JSON array, a Link to the next page where there is one,
// and X-Total-Count where the client asked for it.
func (m *mount) list(c *router.Ctx) error {
	name, err := m.name(c)
	if err != nil {
		return err
	}
	if !acceptsJSON(c.Request.Header.Peek("Accept")) {
		return errNotAcceptable
	}
	query := string(c.URI().QueryString())
	l, err := parseListing(query, m.options())
	if err != nil {
		return router.NewProblem(http.StatusBadRequest, err.Error())
	}
	if m.outage.known() {
		return unavailable(c, storeGone)
	}
	ctx, cancel := context.WithTimeout(context.Background(), m.Timeout)
	defer cancel()
	s := m.scratch.get()
	defer m.scratch.put(s)
	out, next, err := m.page(ctx, name, l, s.reply[:0])
	s.reply = out
	if err != nil {
		return m.storeProblem(c, err, http.StatusBadRequest)
	}
	if l.count {
		n, err := m.coll(name).CountDocuments(ctx, bson.Raw(l.filter.doc()))
		if err != nil {
			return m.storeProblem(c, err, http.StatusBadRequest)
		}
		c.Response.Header.Set("X-Total-Count", strconv.FormatInt(n, 10))
	}
	if next != nil {
		c.Response.Header.Set("Link", "<"+nextLink(string(c.URI().PathOriginal()), query, next.encode(l.sort))+`>; rel="next"`)
	}
	c.Response.Header.SetContentType(contentJSON)
	c.Response.SetBody(out)
	return nil
}

// nextLink is the same query with another cursor. What the client wrote stays as it was,
// but for characters that would end the link or the header early.
func nextLink(path, query, cursor string) string {
	var kept []string
	for part := range strings.SplitSeq(query, "&") {
		if part != "" && part != "after" && !strings.HasPrefix(part, "after=") {
			kept = append(kept, part)
		}
	}
	kept = append(kept, "after="+cursor)
	return linkSafe.Replace(path + "?" + strings.Join(kept, "&"))
}

// linkSafe escapes what must not stand between the angle brackets of a Link (RFC 8288).
var linkSafe = strings.NewReplacer("<", "%3C", ">", "%3E", `"`, "%22", " ", "%20", "\r", "%0D", "\n", "%0A")
