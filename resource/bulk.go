package resource

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/document"
	"github.com/rapidrest/rapidrest/router"
)

// item is one document of a bulk.
type item struct {
	start, end int // of its BSON, in bulk.docs
	id         document.ID
	ticket     batch.Ticket
	status     int // 0 while there is nothing to complain of
	detail     string
	at         *document.Error // where in the body, if it became no document
}

// bulk is a POST of many documents.
type bulk struct {
	*posting
	docs  []byte // all BSON, one after the other
	items []item
}

// bulk stores what r reads. An array is read whole before anything of it is admitted: where
// it is no JSON, nothing is stored. In NDJSON a line that is no JSON is that line's error.
func (p *posting) bulk(r document.Reader, lines bool) error {
	b := bulk{posting: p}
	if err := b.read(&r, lines); err != nil {
		return err
	}
	if err := b.admit(); err != nil {
		return err
	}
	if b.waits() {
		b.await()
	}
	return b.reply()
}

// read turns the body into documents. The ids are views into the buffer of the time, which
// may move as it grows; they are taken again at the end.
func (b *bulk) read(r *document.Reader, lines bool) error {
	docs := b.s.doc[:0]
	for {
		start := len(docs)
		grown, id, err := r.Next(docs)
		docs = grown
		if err == io.EOF {
			break
		}
		if len(b.items) == b.m.MaxBulk {
			return router.NewProblem(http.StatusRequestEntityTooLarge,
				"resource: more than "+strconv.Itoa(b.m.MaxBulk)+" documents in one request")
		}
		it := item{start: start, end: len(docs), id: id}
		if e, ok := errors.AsType[*document.Error](err); ok {
			if e.Kind == document.Syntax && !lines {
				return documentProblem(e)
			}
			it.status, it.detail, it.at = documentStatus(e), e.Msg, e
		} else if err != nil {
			return err
		}
		b.items = append(b.items, it)
	}
	b.s.doc, b.docs = docs, docs
	if len(b.items) == 0 {
		return router.NewProblem(http.StatusBadRequest, "resource: the body holds no document")
	}
	for i := range b.items {
		if it := &b.items[i]; it.status == 0 {
			it.id.Value = idValue(docs[it.start:it.end], len(it.id.Value))
			b.validateItem(it)
		}
	}
	return nil
}

// idValue finds the value of a document's _id, which document puts first: behind the length
// and the element's type and name.
func idValue(doc []byte, size int) []byte {
	const at = 4 + 1 + len("_id\x00")
	return doc[at : at+size]
}

// validateItem shows a document to Config.Validate, as JSON, without an _id that we made.
func (b *bulk) validateItem(it *item) {
	if b.m.Validate == nil {
		return
	}
	err := b.m.validateBSON(b.name, b.docs[it.start:it.end], it.id.Generated)
	if err != nil {
		p := invalid(err)
		it.status, it.detail = p.Status, p.Detail
	}
}

// admit hands the documents that are fit to the buffer: all of them or none.
func (b *bulk) admit() error {
	docs := make([][]byte, 0, len(b.items))
	entries := make([]batch.Entry, 0, len(b.items))
	for i := range b.items {
		it := &b.items[i]
		if it.status == 0 && b.key != nil && b.repeated(it) {
			continue
		}
		if it.status == 0 {
			docs = append(docs, b.docs[it.start:it.end])
			entries = append(entries, b.entry(it.id))
		}
	}
	if len(docs) == 0 {
		return nil
	}
	tickets, err := b.buf.AddEach(docs, entries, make([]batch.Ticket, 0, len(docs)))
	for i := range b.items {
		it := &b.items[i]
		switch {
		case it.status != 0:
		case err == nil:
			it.ticket, tickets = tickets[0], tickets[1:]
		case b.key != nil:
			b.key.release(b.posting, it.id)
		}
	}
	if err != nil {
		return admissionProblem(b.c, err)
	}
	return nil
}

// repeated looks whether a document of an idempotent request was stored, or refused, before.
func (b *bulk) repeated(it *item) bool {
	done, err := b.key.claim(b.posting, b.docs[it.start:it.end], it.id)
	switch p := router.AsProblem(err); {
	case p != nil:
		it.status, it.detail = p.Status, p.Detail
	case done: // as it was answered the first time: nobody waits where the store was asked
		it.status = http.StatusAccepted
	}
	return it.status != 0
}

// await waits for the outcomes. When the time is over, what has none yet is still on its way.
func (b *bulk) await() {
	ctx, cancel := b.context()
	defer cancel()
	for i := range b.items {
		it := &b.items[i]
		if it.status == 0 {
			it.status, it.detail = b.outcome(ctx, it)
		}
	}
}

func (b *bulk) outcome(ctx context.Context, it *item) (status int, detail string) {
	o, err := it.ticket.Wait(ctx)
	switch {
	case err != nil && b.mayLeave:
		return http.StatusAccepted, ""
	case err != nil:
		return http.StatusGatewayTimeout, "still on its way to the store"
	case o.Kind == batch.Stored:
		return http.StatusCreated, ""
	case o.DuplicateID && b.key != nil:
		same, err := b.key.holds(b.posting, b.docs[it.start:it.end], it.id)
		if err == nil && same {
			return http.StatusCreated, ""
		}
		if err == nil {
			b.key.release(b.posting, it.id)
			p := router.AsProblem(b.key.conflict(it.id))
			return p.Status, p.Detail
		}
	}
	if b.key != nil {
		b.key.release(b.posting, it.id)
	}
	return verdict(o)
}
