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

// at returns the Ctx that lies in the first place of ctx, or nil.
func (p *pool) at(ctx *fasthttp.RequestCtx) *Ctx {
	c := p.places[placeOf(keyOf(ctx))].Load()
	raceFound(c)
	return c
}

// isFor reports whether c is bound to ctx and free: a handler may have called Serve again. A nil c
// is not.
func (c *Ctx) isFor(ctx *fasthttp.RequestCtx) bool {
	return c != nil && c.key == keyOf(ctx) && c.RequestCtx == nil
}

func keyOf(ctx *fasthttp.RequestCtx) uintptr { return uintptr(unsafe.Pointer(ctx)) }

// placeOf returns the first place of a key; the second is its neighbour. Contexts that lie side by
// side have places that do.
func placeOf(key uintptr) uintptr {
	return key / unsafe.Sizeof(fasthttp.RequestCtx{}) % poolPlaces
}

// miss looks in the second place of a key, and else lends a Ctx that is bound to nothing or binds
// one.
func (p *pool) miss(ctx *fasthttp.RequestCtx) *Ctx {
	key := keyOf(ctx)
	h := placeOf(key)
	second := &p.places[h^1]
	c := second.Load()
	raceFound(c)
	if c.isFor(ctx) {
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
	c = p.matcher.newCtx()
	c.used = true
	return c
}

// isClean reports whether a Ctx that its handler has left can stay where it is.
func (c *Ctx) isClean() bool { return !c.used && c.LastTimeoutErrorResponse() == nil }

// settle takes a Ctx back, unless somebody may still be using it.
func (p *pool) settle(c *Ctx) {
	if c.LastTimeoutErrorResponse() != nil {
		p.drop(c)
		return
	}
	c.RequestCtx, c.path, c.route = nil, nil, nil
	if c.used {
		p.clear(c)
	}
	raceLeft(c)
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

// clear clears what a match sets only where it has to, and puts by a Ctx that is not bound.
func (p *pool) clear(c *Ctx) {
	c.missing, c.query, c.raw, c.id = nil, nil, nil, ""
	c.escaped, c.used = false, false
	c.decoded, c.values = kept(c.decoded), kept(c.values)
	if c.key == 0 {
		c.used = true // it shall come here again
		p.spare.Put(c)
	}
}

func (m *Matcher) newCtx() *Ctx {
	c := &Ctx{matcher: m}
	c.spans = c.few[:]
	if m.slots > len(c.few) {
		c.spans = make([]span, m.slots)
	}
	return c
}
