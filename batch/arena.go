package batch

import (
	"sync"
	"sync/atomic"
)

const (
	// chunkSize is the size of the arena's pieces, in bytes: some 270 documents of 237 bytes.
	chunkSize = 64 << 10
	// largeSize is the size from which a document gets memory of its own instead: copying it under
	// the buffer's lock would hold up everybody else, and it would waste the rest of a chunk.
	largeSize = chunkSize / 4
)

// arena hands out memory for copies of documents. It is guarded by the buffer's lock, except for
// chunk.drop, which any goroutine may call.
//
// Batches follow each other through the same chunk, so that a batch of one document costs its
// bytes and not a chunk. Therefore a chunk is counted: one reference while the arena still fills
// it, and one for each cargo with documents in it. Whoever drops the last one returns it to the
// pool. This is why nothing reads freed memory: documents are reached only through their cargo,
// the cargo keeps its reference until it has no documents left, and a ticket points at the book of
// outcomes, which has no bytes of documents in it.
type arena struct {
	pool sync.Pool // *chunk
	cur  *chunk
}

// chunk is one piece of memory with the number of those that need it.
type chunk struct {
	arena *arena
	refs  atomic.Int32
	buf   []byte
}

// copy returns a copy of doc, which must be smaller than largeSize, that lives while c does.
func (a *arena) copy(c *cargo, doc []byte) []byte {
	if a.cur == nil || len(a.cur.buf)+len(doc) > cap(a.cur.buf) {
		a.turn()
	}
	at := a.cur
	if n := len(c.chunks); n == 0 || c.chunks[n-1] != at {
		at.refs.Add(1)
		c.chunks = append(c.chunks, at)
	}
	from := len(at.buf)
	at.buf = append(at.buf, doc...)
	return at.buf[from:len(at.buf):len(at.buf)]
}

// turn leaves the current chunk to its batches and begins another.
func (a *arena) turn() {
	if a.cur != nil {
		a.cur.drop()
	}
	next, _ := a.pool.Get().(*chunk)
	if next == nil {
		next = &chunk{arena: a, buf: make([]byte, 0, chunkSize)}
	}
	next.refs.Store(1)
	a.cur = next
}

// drop gives one reference back.
func (k *chunk) drop() {
	if k.refs.Add(-1) == 0 {
		k.buf = k.buf[:0]
		k.arena.pool.Put(k)
	}
}
