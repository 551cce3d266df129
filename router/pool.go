package router

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/valyala/fasthttp"
)

// pool lends a Ctx for a request.
//
// A sync.Pool takes about as long as the whole match of a static path. So most Ctx are bound: each
// belongs to one fasthttp.RequestCtx, by address, and lies in a place that the address says.
// fasthttp reuses its contexts, one connection has the same one for many requests, and so a load
// and a comparison find the right Ctx in its place.
//
// Why no lock is needed: a RequestCtx is in the hands of one goroutine at a time, so only that
// goroutine finds its Ctx by it. What goroutines share is the places; they are read and written
// atomically, and a Ctx that lies there never changes its key. When a Ctx is pushed out of its
// place while it is in use, its user has it in hand and does not look there again.
//
// The key is an address and not a pointer, so that a RequestCtx that fasthttp has dropped, with its
// buffers, is not kept alive. Another that is later made at the same address inherits the Ctx,
// which does no harm: the first can't be in use, for then it would be alive.
type pool struct {
	matcher *Matcher
	places  [poolPlaces]atomic.Pointer[Ctx]
	misses  atomic.Uint32
	spare   sync.Pool // for what finds its places taken
}

const (
	poolPlaces = 1 << 10 // 8 KiB a matcher
	rebindTurn = 64      // every so many misses, a place is given to who missed it
)

// get returns a Ctx for a request.
func (p *pool) get(ctx *fasthttp.RequestCtx) *Ctx {
	key := uintptr(unsafe.Pointer(ctx))
	h := placeOf(key)
	c := p.places[h].Load()
	if c == nil || c.key != key || c.busy {
		c = p.miss(key, h)
	}
	c.busy = true
	c.RequestCtx = ctx
	return c
}

// placeOf returns the first place of a key; the second is its neighbour.
func placeOf(key uintptr) uint64 { return uint64(key) * 0x9E3779B97F4A7C15 >> 54 }

// miss looks in the second place of a key, and else lends a Ctx that is bound to nothing or binds
// one.
func (p *pool) miss(key uintptr, h uint64) *Ctx {
	second := &p.places[h^1]
	c := second.Load()
	if c != nil && c.key == key && !c.busy {
		return c
	}
	n := p.misses.Add(1)
	for _, place := range []*atomic.Pointer[Ctx]{&p.places[h], second} {
		if old := place.Load(); old == nil || n%rebindTurn == 0 {
			c := p.matcher.newCtx()
			c.key = key
			if place.CompareAndSwap(old, c) {
				return c
			}
		}
	}
	if c, ok := p.spare.Get().(*Ctx); ok {
		return c
	}
	return p.matcher.newCtx()
}

// put takes a Ctx back.
func (p *pool) put(c *Ctx) {
	c.RequestCtx, c.path, c.route, c.busy = nil, nil, nil, false
	if c.used {
		c.clear()
	}
	if c.key == 0 {
		p.spare.Put(c)
	}
}

// drop leaves a Ctx to the collector: after a time-out another goroutine may still be using it, for
// as long as it likes. It must not keep its place: that would keep the request, with its body,
// alive.
func (p *pool) drop(c *Ctx) {
	if c.key != 0 {
		h := placeOf(c.key)
		p.places[h].CompareAndSwap(c, nil)
		p.places[h^1].CompareAndSwap(c, nil)
	}
}

// clear clears what a match sets only where it has to.
func (c *Ctx) clear() {
	c.missing, c.query, c.raw, c.id = nil, nil, nil, ""
	c.escaped, c.used = false, false
	c.decoded, c.values = kept(c.decoded), kept(c.values)
}

func (m *Matcher) newCtx() *Ctx {
	c := &Ctx{matcher: m}
	c.spans = c.few[:]
	if m.slots > len(c.few) {
		c.spans = make([]span, m.slots)
	}
	return c
}
