package resource

import "sync"

// keepScratch is the most that a pooled buffer keeps, in bytes: one large body shall not
// hold its memory for ever.
const keepScratch = 64 << 10

// scratch is the room in which a request is worked on: the document, and the answer.
type scratch struct {
	posting posting
	doc     []byte
	reply   []byte
	head    []byte // of headers
}

// scratchPool lends scratches. The zero pool is ready.
type scratchPool struct{ pool sync.Pool }

func (p *scratchPool) get() *scratch {
	if s, ok := p.pool.Get().(*scratch); ok {
		return s
	}
	return new(scratch)
}

func (p *scratchPool) put(s *scratch) {
	s.posting = posting{} // which holds on to the request
	if cap(s.doc) > keepScratch {
		s.doc = nil
	}
	if cap(s.reply) > keepScratch {
		s.reply = nil
	}
	p.pool.Put(s)
}
