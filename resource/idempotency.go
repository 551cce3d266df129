package resource

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"net/http"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/document"
	"github.com/rapidrest/rapidrest/router"
)

// maxKey bounds an Idempotency-Key, in bytes.
const maxKey = 255

// idemKey is the Idempotency-Key of a request. The _id of the first document is the first 12
// bytes of a hash over collection and key, that of the second is over those and its number,
// and so on: the same request sent again makes the same ids, in every server and after every
// restart, and the unique index on _id does the rest.
type idemKey struct {
	collection, key string
	next            uint32 // number of the document
}

func newIdemKey(collection string, key []byte) (*idemKey, error) {
	key = unquote(trimSpace(key))
	if len(key) == 0 || len(key) > maxKey {
		return nil, router.NewProblem(http.StatusBadRequest, "resource: an Idempotency-Key has 1 to 255 bytes")
	}
	return &idemKey{collection: collection, key: string(key)}, nil
}

// newID is a document.Options.NewID.
func (k *idemKey) newID() (id [12]byte) {
	var n [4]byte
	binary.BigEndian.PutUint32(n[:], k.next)
	k.next++
	h := sha256.New()
	h.Write([]byte(k.collection))
	h.Write([]byte{0}) // no collection's name holds one
	h.Write(n[:])
	h.Write([]byte(k.key))
	copy(id[:], h.Sum(nil))
	return id
}

// check looks, before a document is admitted without anybody waiting for its outcome, whether
// its key was used before: with another body is a 422, with the same body and in the store
// means done. It asks the keys that this process has seen, and the store; a store that does
// not answer is no reason to refuse, since a spool takes documents while it is down.
func (k *idemKey) check(p *posting, doc []byte, id document.ID) (done bool, err error) {
	if known, same := p.m.keys.compare(p.name, id.Value, doc); known && !same {
		return false, k.conflict(id)
	}
	if p.waits() || p.m.Store == nil {
		return false, nil
	}
	same, err := k.holds(p, doc, id)
	switch {
	case errors.Is(err, mongo.ErrNoDocuments):
		return false, nil
	case err != nil:
		return false, nil
	case !same:
		return false, k.conflict(id)
	}
	return true, nil
}

// keep remembers a document that was admitted, so that another body under its key is noticed
// before the first one has reached the store.
func (k *idemKey) keep(p *posting, doc []byte) {
	if id, err := bson.Raw(doc).LookupErr(idField); err == nil {
		p.m.keys.put(p.name, id.Value, doc)
	}
}

// holds says whether the store holds just this document under its _id.
func (k *idemKey) holds(p *posting, doc []byte, id document.ID) (bool, error) {
	if p.m.Store == nil {
		known, same := p.m.keys.compare(p.name, id.Value, doc)
		return known && same, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), p.m.Timeout)
	defer cancel()
	stored, err := p.m.find(ctx, p.name, idFilter(id))
	return err == nil && bytes.Equal(stored, doc), err
}

// conflict is the answer to another body under a known key. Where the client chose the _id
// itself it is that _id which exists.
func (k *idemKey) conflict(id document.ID) error {
	if !id.Generated {
		_, detail := verdict(batch.Outcome{Kind: batch.Rejected, DuplicateID: true})
		return router.NewProblem(http.StatusConflict, "resource: "+detail)
	}
	return router.NewProblem(http.StatusUnprocessableEntity,
		"resource: this Idempotency-Key was used with another body")
}

// answerRepeat answers a request whose document is stored already, as it was answered the
// first time.
func (p *posting) answerRepeat(id document.ID, err error) error {
	switch {
	case errors.Is(err, mongo.ErrNoDocuments):
		// It was there and is not any more: deleted in between. The client may try again.
		return router.NewProblem(http.StatusConflict, "resource: the document of this Idempotency-Key is being deleted")
	case err != nil:
		if router.AsProblem(err).Status != http.StatusInternalServerError {
			return err
		}
		return p.m.storeProblem(p.c, err, http.StatusUnprocessableEntity)
	case p.waits():
		return p.answer(http.StatusCreated, id)
	}
	return p.answer(http.StatusAccepted, id)
}

// keyringSize bounds the documents that a keyring remembers, per generation.
const keyringSize = 32 << 10

// keyring remembers which document was admitted under an _id that came of a key: a hash of
// each, in two generations of bounded size, of which the older is forgotten. The zero keyring
// is ready.
type keyring struct {
	mu       sync.Mutex
	now, old map[[16]byte][16]byte
}

func (r *keyring) put(collection string, id, doc []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now == nil || len(r.now) >= keyringSize {
		r.old, r.now = r.now, make(map[[16]byte][16]byte)
	}
	r.now[hash16(collection, id)] = hash16("", doc)
}

func (r *keyring) compare(collection string, id, doc []byte) (known, same bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := hash16(collection, id)
	h, known := r.now[k]
	if !known {
		h, known = r.old[k]
	}
	return known, known && h == hash16("", doc)
}

func hash16(prefix string, b []byte) (sum [16]byte) {
	h := sha256.New()
	h.Write([]byte(prefix))
	h.Write([]byte{0})
	h.Write(b)
	copy(sum[:], h.Sum(nil))
	return sum
}
