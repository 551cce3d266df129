package resource

import (
	"errors"
	"net/http"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/document"
	"github.com/rapidrest/rapidrest/router"
)

const contentJSON = "application/json"

var errNotAcceptable = router.NewProblem(http.StatusNotAcceptable, "resource: the answers here are application/json")

// create answers POST on a collection: one object, an array of them, or one a line.
func (m *mount) create(c *router.Ctx) error {
	s := m.scratch.get()
	defer m.scratch.put(s)
	p, err := m.begin(c, s)
	if err != nil {
		return err
	}

	body := c.PostBody()
	switch mediaOf(c.Request.Header.ContentType()) {
	case mediaJSON:
		if startsArray(body) {
			return p.bulk(document.NewArray(body, p.options()), false)
		}
		return p.one(body)
	case mediaNDJSON:
		return p.bulk(document.NewLines(body, p.options()), true)
	}
	c.Response.Header.Set("Accept-Post", "application/json, application/x-ndjson")
	return router.NewProblem(http.StatusUnsupportedMediaType, "resource: the body's Content-Type is neither application/json nor application/x-ndjson")
}

// startsArray says whether a body is a JSON array, if it is JSON at all.
func startsArray(body []byte) bool {
	for _, c := range body {
		switch c {
		case ' ', '\t', '\r', '\n':
		default:
			return c == '['
		}
	}
	return false
}

// options are those of the mount, unless an idempotency key chooses the ids.
func (p *posting) options() *document.Options {
	o := p.m.options()
	if p.key == nil {
		return o
	}
	keyed := *o
	keyed.NewID = p.key.newID
	return &keyed
}

// one stores a single document. This is the hot path: the document is written into pooled
// memory, copied once by the buffer, and the answer is put together by hand.
func (p *posting) one(body []byte) error {
	doc, id, err := document.Append(p.s.doc[:0], body, p.options())
	p.s.doc = doc
	if err != nil {
		return documentProblem(err)
	}
	if err := p.validate(body); err != nil {
		return invalid(err)
	}
	if p.key != nil {
		if done, err := p.key.claim(p, doc, id); done || err != nil {
			return p.answerRepeat(id, err)
		}
	}
	ticket, err := p.buf.AddWith(doc, p.entry(id))
	if err != nil {
		if p.key != nil {
			p.key.release(p, id)
		}
		return admissionProblem(p.c, err)
	}
	if !p.waits() {
		return p.answer(http.StatusAccepted, id)
	}
	ctx, cancel := p.context()
	defer cancel()
	outcome, err := ticket.Wait(ctx)
	switch {
	case err != nil && p.mayLeave:
		return p.answer(http.StatusAccepted, id)
	case err != nil:
		return p.stillOnItsWay(id)
	case outcome.Kind == batch.Stored:
		return p.answer(http.StatusCreated, id)
	case outcome.DuplicateID && p.key != nil:
		same, err := p.key.holds(p, doc, id)
		if err == nil && !same {
			p.key.release(p, id)
			return p.key.conflict(id)
		}
		return p.answerRepeat(id, err)
	}
	if p.key != nil {
		p.key.release(p, id)
	}
	return outcomeProblem(p.c, outcome)
}

// entry says how the buffer is to treat a document. With an idempotency key the _id is not
// ours alone: a second request may have stored it. Where somebody waits, that is told apart
// by looking (Chosen); where nobody does, the _id has been claimed for this document before,
// and one that exists is the same document (Repeat).
func (p *posting) entry(id document.ID) batch.Entry {
	return batch.Entry{
		Level:  p.level,
		Chosen: !id.Generated || p.key != nil,
		Repeat: p.key != nil && !p.waits(),
	}
}

// invalid is the answer to a document that Config.Validate refuses.
func invalid(err error) *router.Problem {
	if p, ok := errors.AsType[*router.Problem](err); ok {
		return p
	}
	return router.NewProblem(http.StatusUnprocessableEntity, err.Error())
}

// answer writes the 201 or 202 of one document: its Location where a path leads to it, and
// its _id.
func (p *posting) answer(status int, id document.ID) error {
	p.c.SetStatusCode(status)
	p.apply(status)
	if status == http.StatusCreated {
		if at, ok := p.location(id); ok {
			p.c.Response.Header.SetBytesV("Location", at)
		}
	}
	if p.prefs.returned == returnMinimal {
		return nil
	}
	reply := p.s.reply[:0]
	var err error
	if p.prefs.returned == returnRepresentation {
		reply, err = document.AppendJSON(reply, p.s.doc, document.Plain)
	} else {
		reply, err = id.AppendJSON(append(reply, `{"_id":`...))
		reply = append(reply, '}')
	}
	p.s.reply = reply
	if err != nil {
		return err
	}
	p.c.Response.Header.SetContentType(contentJSON)
	p.c.Response.SetBody(reply)
	return nil
}

// location is the path of a document within the collection that was posted to.
func (p *posting) location(id document.ID) ([]byte, bool) {
	h := append(p.s.head[:0], p.c.URI().PathOriginal()...)
	h = append(h, '/')
	h, ok := appendIDPath(h, id)
	p.s.head = h
	return h, ok
}

// stillOnItsWay is the 504 of a wait that is over. The _id lets the client look for the
// document later, or send it again without making a second one.
func (p *posting) stillOnItsWay(id document.ID) error {
	p.apply(http.StatusGatewayTimeout)
	return router.NewProblem(http.StatusGatewayTimeout,
		"resource: the store has not answered in time; the document is still on its way to it").
		With("_id", idText{id})
}

// idText lets an _id stand in a problem as it stands in every other answer.
type idText struct{ id document.ID }

// MarshalJSON writes the _id as plain JSON.
func (t idText) MarshalJSON() ([]byte, error) { return t.id.AppendJSON(nil) }
