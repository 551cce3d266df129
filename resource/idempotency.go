package resource

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"net/http"
	"sync"

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

// claim takes, before a document is admitted, its _id for just this document: another body
// under the key is a 422, whether it was admitted long ago or is about to be in this moment.
// Where nobody waits for the outcome the store is asked too: the same body there means done. A
// store that does not answer is no reason to refuse, since a spool takes documents while it
// is down.
//
// That the claim comes first is what saves documents. Without anybody waiting, the buffer
// takes an _id that exists for a repetition, so that of two bodies admitted under one _id the
// second would vanish after its 202. A claim stays when the document is admitted, and is
// given back by release where it is not, or where the store rejected it.
func (k *idemKey) claim(p *posting, doc []byte, id document.ID) (done bool, err error) {
	if !p.m.keys.claim(p.name, id.Value, doc) {
		return false, k.conflict(id)
	}
	if p.waits() || p.m.Store == nil {
		return false, nil
	}
	same, err := k.holds(p, doc, id)
	switch {
	case err != nil: // mongo.ErrNoDocuments, or no answer
		return false, nil
	case !same:
		k.release(p, id)
		return false, k.conflict(id)
	}
	return true, nil
}

// release gives a claim back.
func (k *idemKey) release(p *posting, id document.ID) { p.m.keys.release(p.name, id.Value) }

// holds says whether the store holds just this document under its _id.
func (k *idemKey) holds(p *posting, doc []byte, id document.ID) (bool, error) {
	if p.m.Store == nil {
		return p.m.keys.holds(p.name, id.Value, doc), nil
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

// keyring remembers which document has an _id that came of a key: a hash of each, in two
// generations of bounded size, of which the older is forgotten. The zero keyring is ready.
type keyring struct {
	mu       sync.Mutex
	now, old map[[16]byte]claimed
}

// claimed is a document that has an _id, and how many requests claim the _id for it: when one
// of several that sent the same document is not admitted, the others' claims stand.
type claimed struct {
	doc    [16]byte
	claims int
}

// claim takes an _id for doc. It says false where another document has it. Looking and taking
// are one step under the lock, so of several documents that come at once one wins.
func (r *keyring) claim(collection string, id, doc []byte) bool {
	k, sum := hash16(collection, id), hash16("", doc)
	r.mu.Lock()
	defer r.mu.Unlock()
	if c, in := r.find(k); in != nil {
		if c.doc == sum {
			in[k] = claimed{sum, c.claims + 1}
		}
		return c.doc == sum
	}
	if r.now == nil || len(r.now) >= keyringSize {
		r.old, r.now = r.now, make(map[[16]byte]claimed)
	}
	r.now[k] = claimed{sum, 1}
	return true
}

// release undoes one claim; with the last of them the _id is free.
func (r *keyring) release(collection string, id []byte) {
	k := hash16(collection, id)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch c, in := r.find(k); {
	case in == nil: // forgotten meanwhile
	case c.claims == 1:
		delete(in, k)
	default:
		in[k] = claimed{c.doc, c.claims - 1}
	}
}

// holds says whether the _id was claimed for just this document.
func (r *keyring) holds(collection string, id, doc []byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, in := r.find(hash16(collection, id))
	return in != nil && c.doc == hash16("", doc)
}

// find returns an entry and the generation it is in, nil where it is in none.
func (r *keyring) find(k [16]byte) (claimed, map[[16]byte]claimed) {
	for _, in := range []map[[16]byte]claimed{r.now, r.old} {
		if c, ok := in[k]; ok {
			return c, in
		}
	}
	return claimed{}, nil
}

func hash16(prefix string, b []byte) (sum [16]byte) {
	h := sha256.New()
	h.Write([]byte(prefix))
	h.Write([]byte{0})
	h.Write(b)
	copy(sum[:], h.Sum(nil))
	return sum
}
