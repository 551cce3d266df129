package batch

import (
	"bytes"
	"time"
)

// mark is what must be known of a document while it is under way, in one byte.
type mark uint8

const (
	levelBits mark = 3      // the Level
	chosen    mark = 1 << 2 // the client chose _id
	repeat    mark = 1 << 3 // an existing _id means stored
	replayed  mark = 1 << 4 // out of the spool: may have been stored in an earlier life
)

func (m mark) has(bit mark) bool { return m&bit != 0 }
func (m mark) level() Level      { return Level(m & levelBits) }

// flags is what of a mark goes into the spool.
func (m mark) flags() byte { return byte(m & (chosen | repeat)) }

// cargo is a batch on its way: documents and what the next attempt must know of them. The open
// batch is a cargo, so is a sealed one, and so is what is left of one after a partial success or a
// split. Cargoes are reused; outcomes live in the book, which isn't.
//
// A cargo belongs to one place at a time: the buffer's lock guards it while it is open, ready or
// waiting for its next attempt; the flusher owns it alone while that attempt runs.
type cargo struct {
	book   *book
	at     []int32 // the documents' indices in the book; nil where they run on from from
	from   int32
	docs   [][]byte
	marks  []mark
	seqs   []uint64 // positions in the spool; 0 where not spooled; empty where none is
	bytes  int
	chunks []*chunk

	since  time.Time // admission of the first document
	wanted bool      // somebody waits: no linger
	timed  bool      // the alarm covers the end of its linger
	next   *cargo    // in the ready queue

	// What earlier attempts have shown.
	tries     int       // attempts so far
	ambiguous bool      // one of them brought no answer
	questions int       // times that the sink was asked for documents of it, and did not answer
	strikes   int       // hang-ups in a row; see split.go
	proofs    int       // those of them between which the server answered others
	wins      uint64    // health.wins at the last strike
	first     time.Time // of the first strike
	due       time.Time // no attempt before
	cause     error     // of the last fault
	cut       bool      // Close gave it up
	abandoned bool      // Close settled it while its attempt still ran
	probe     bool      // the attempt under way is the one that a closed gate lets through
	epoch     int       // health.epoch when it began
	trial     int       // auto.trial when it began
}

// index returns the place in the book of document i.
func (c *cargo) index(i int) int32 {
	if c.at == nil {
		return c.from + int32(i)
	}
	return c.at[i]
}

// seq returns the position in the spool of document i, 0 if it is not there.
func (c *cargo) seq(i int) uint64 {
	if len(c.seqs) == 0 {
		return 0
	}
	return c.seqs[i]
}

// add appends a document whose bytes live as long as the cargo.
func (c *cargo) add(doc []byte, m mark, seq uint64) {
	if seq != 0 && len(c.seqs) == 0 {
		c.seqs = append(c.seqs, make([]uint64, len(c.docs))...)
	}
	if seq != 0 || len(c.seqs) > 0 {
		c.seqs = append(c.seqs, seq)
	}
	c.docs = append(c.docs, doc)
	c.marks = append(c.marks, m)
	c.bytes += len(doc)
}

// pick returns a cargo with those documents of c for which keep is true, with memory of its own.
// It carries c's history on. The copy is what lets c's chunks go back to the arena while one
// stubborn document stays for long: what is kept is the document, not the 64 KiB around it.
func (c *cargo) pick(keep func(i int) bool) *cargo {
	p := &cargo{
		book: c.book, at: []int32{}, since: c.since, wanted: c.wanted,
		tries: c.tries, ambiguous: c.ambiguous, questions: c.questions, strikes: c.strikes, proofs: c.proofs,
		wins: c.wins, first: c.first, cause: c.cause,
	}
	for i, doc := range c.docs {
		if keep(i) {
			p.at = append(p.at, c.index(i))
			p.add(bytes.Clone(doc), c.marks[i], c.seq(i))
		}
	}
	return p
}

// divide moves the first n documents of c, which has more, to p, which is empty. Both keep the memory
// that they lie in.
func (c *cargo) divide(n int, p *cargo) {
	p.book, p.from, p.since, p.wanted = c.book, c.from, c.since, c.wanted
	p.docs, c.docs = append(p.docs, c.docs[:n]...), c.docs[n:]
	p.marks, c.marks = append(p.marks, c.marks[:n]...), c.marks[n:]
	if len(c.seqs) > 0 {
		p.seqs, c.seqs = append(p.seqs, c.seqs[:n]...), c.seqs[n:]
	}
	for _, doc := range p.docs {
		p.bytes += len(doc)
	}
	c.bytes -= p.bytes
	c.from += int32(n)
	for _, k := range c.chunks {
		k.refs.Add(1)
	}
	p.chunks = append(p.chunks, c.chunks...)
}

// reset drops the cargo's memory and history and keeps its slices for the next batch.
func (c *cargo) reset() {
	for _, k := range c.chunks {
		k.drop()
	}
	clear(c.chunks)
	clear(c.docs)
	*c = cargo{docs: c.docs[:0], marks: c.marks[:0], seqs: c.seqs[:0], chunks: c.chunks[:0]}
}

// fifo is a queue of cargoes.
type fifo struct {
	head, tail *cargo
	n          int
}

func (q *fifo) push(c *cargo) {
	if q.tail == nil {
		q.head = c
	} else {
		q.tail.next = c
	}
	q.tail = c
	q.n++
}

func (q *fifo) pop() *cargo {
	c := q.head
	if c == nil {
		return nil
	}
	q.head, c.next = c.next, nil
	if q.head == nil {
		q.tail = nil
	}
	q.n--
	return c
}
