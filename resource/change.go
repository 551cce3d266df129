package resource

import (
	"context"
	"errors"
	"hash/maphash"
	"net/http"
	"strconv"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/rapidrest/rapidrest/document"
	"github.com/rapidrest/rapidrest/router"
)

// A change of a document that depends on what the document was, a PATCH or anything with
// If-Match, reads it, decides, and writes on the condition that it is still the same. The
// condition is the store's to check (unchangedFilter), so it holds against other servers too.
//
// MongoDB compares the whole document. The embedded database has no expression for that; it
// is asked to compare every field, which misses one case: a field that was added in between.
// It belongs to one process, so changes through this server are kept apart by a lock as well.

// maxTries bounds how often a change is tried again because another came in between.
const maxTries = 16

// stripes are locks, of which one belongs to each document.
type stripes struct {
	seedOnce sync.Once
	seed     maphash.Seed
	locks    [256]sync.Mutex
}

func (s *stripes) lock(t target) (unlock func()) {
	s.seedOnce.Do(func() { s.seed = maphash.MakeSeed() })
	var h maphash.Hash
	h.SetSeed(s.seed)
	h.WriteString(t.collection)
	h.WriteByte(byte(t.id.Type))
	h.Write(t.id.Value)
	l := &s.locks[h.Sum64()%uint64(len(s.locks))]
	l.Lock()
	return l.Unlock
}

// unchangedFilter finds a document only while it is what it was.
func (m *mount) unchangedFilter(id document.ID, doc bson.Raw) (bson.Raw, error) {
	start, dst := bsoncore.AppendDocumentStart(nil)
	dst = id.AppendElement(dst, idField)
	if m.Store.Limits() == (document.Limits{}) {
		expr, d := bsoncore.AppendDocumentElementStart(dst, "$expr")
		list, d := bsoncore.AppendArrayElementStart(d, "$eq")
		d = bsoncore.AppendStringElement(d, "0", "$$ROOT")
		literal, d := bsoncore.AppendDocumentElementStart(d, "1")
		d = bsoncore.AppendDocumentElement(d, "$literal", doc)
		d, _ = bsoncore.AppendDocumentEnd(d, literal)
		d, _ = bsoncore.AppendArrayEnd(d, list)
		dst, _ = bsoncore.AppendDocumentEnd(d, expr)
	} else {
		elems, err := doc.Elements()
		if err != nil {
			return nil, err
		}
		list, d := bsoncore.AppendArrayElementStart(dst, "$and")
		for i, e := range elems {
			v := e.Value()
			d = bsoncore.AppendDocumentElement(d, strconv.Itoa(i), compare(e.Key(), "$eq", value{bsoncore.Type(v.Type), v.Value}))
		}
		dst, _ = bsoncore.AppendArrayEnd(d, list)
	}
	dst, _ = bsoncore.AppendDocumentEnd(dst, start)
	return dst, nil
}

// conditions are the headers that a change depends on.
type conditions struct {
	match, noneMatch []byte
}

// opening is how every change of a document begins: which one is meant, and on what conditions.
func (m *mount) opening(c *router.Ctx) (target, conditions, error) {
	t, err := m.target(c)
	if err != nil {
		return t, conditions{}, err
	}
	cond := conditions{match: c.Request.Header.Peek("If-Match"), noneMatch: c.Request.Header.Peek("If-None-Match")}
	if m.RequireIfMatch && !cond.any() {
		return t, cond, router.NewProblem(http.StatusPreconditionRequired, "resource: a change here needs If-Match with the document's ETag")
	}
	return t, cond, nil
}

func (cond conditions) any() bool { return len(cond.match) > 0 || len(cond.noneMatch) > 0 }

// hold says whether the conditions let a change of doc pass; nil is a document that does
// not exist (RFC 9110 section 13.1).
func (cond conditions) hold(doc bson.Raw) bool {
	if len(cond.match) > 0 && (doc == nil || !matchesStrong(cond.match, doc)) {
		return false
	}
	return len(cond.noneMatch) == 0 || doc == nil || !matchesWeak(cond.noneMatch, doc)
}

// preconditionFailed is the 412, with the tag that would have matched.
func preconditionFailed(c *router.Ctx, doc bson.Raw) error {
	if doc != nil {
		setETag(c, doc)
	}
	return router.NewProblem(http.StatusPreconditionFailed, "resource: the document is not, or no longer, what the condition says")
}

// errChanged: another change came in between, and the document is to be read again.
var errChanged = errors.New("resource: changed in between")

// change runs step with the document as it is, nil where there is none, until no other
// change comes in between.
func (m *mount) change(c *router.Ctx, t target, step func(ctx context.Context, doc bson.Raw) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), m.Timeout)
	defer cancel()
	defer m.changes.lock(t)()
	for range maxTries {
		doc, err := m.find(ctx, t.collection, idFilter(t.id))
		if err != nil && !errors.Is(err, mongo.ErrNoDocuments) {
			return m.storeProblem(c, err, http.StatusBadRequest)
		}
		switch err = step(ctx, doc); {
		case errors.Is(err, errChanged):
			continue
		case err == nil:
			return nil
		}
		if _, answered := errors.AsType[*router.Problem](err); answered {
			return err
		}
		return m.storeProblem(c, err, http.StatusUnprocessableEntity)
	}
	return unavailable(c, "resource: the document changes faster than this request can")
}

// replace writes fresh in the place of old, which must still be there, and returns what the
// store then holds.
func (m *mount) replace(ctx context.Context, t target, old, fresh bson.Raw) (bson.Raw, error) {
	filter, err := m.unchangedFilter(t.id, old)
	if err != nil {
		return nil, err
	}
	after := options.FindOneAndReplace().SetReturnDocument(options.After)
	doc, err := m.coll(t.collection).FindOneAndReplace(ctx, filter, fresh, after).Raw()
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil, errChanged
	}
	return doc, err
}

// changed answers PUT and PATCH: the tag of what the store holds now, and the document itself
// where the client prefers a representation.
func (m *mount) changed(c *router.Ctx, status int, doc bson.Raw) error {
	setETag(c, doc)
	prefs := parsePrefer(c.Request.Header.PeekAll("Prefer"))
	if prefs.returned == returnRepresentation {
		c.Response.Header.Set("Preference-Applied", "return=representation")
		if status == http.StatusNoContent {
			status = http.StatusOK
		}
		return m.show(c, status, doc)
	}
	c.SetStatusCode(status)
	return nil
}
