package router

import (
	"strconv"

	"github.com/valyala/fasthttp"
)

// Ctx is one request on its way through the handlers: fasthttp's context, with the
// parameters that the match has found. It is reused, so it is valid until the handler returns, and so is
// every byte slice taken from it.
type Ctx struct {
	*fasthttp.RequestCtx

	// These eight words are all that a request for a path without parameters touches: one
	// line of the processor's cache.
	key     uintptr // see pool
	matcher *Matcher
	route   *Route  // nil where the router answers by itself
	path    []byte  // what path spans refer to: the raw path, or decoded
	used    bool    // fields below this line have to be cleared
	escaped bool    // path is decoded
	verdict verdict // where nothing matched: what to answer

	// The next eight are all that a request with up to four parameters touches besides.
	spans []span  // by slot
	steps uint32  // nodes that searches have entered, for tests of their bound
	open  uint32  // how many of choices a search has to come back to
	few   [8]span // where spans lies, unless the table has routes with more

	choices [6]choice // see tree.walk
	missing *leaf     // the most specific route that was passed over for its query
	query   []byte    // the raw query, where the path was cut
	raw     []byte    // the path before it was decoded
	decoded []byte    // room for a decoded path; reused
	values  []byte    // the query values of the match, decoded; reused
	allow   methodSet // where nothing matched: the methods of the path
	out     []byte    // room for an encoded reply; reused
	id      string
}

// span is where a parameter's value lies: in Ctx.path for a path's parameter, in
// Ctx.values for a query's. Offsets survive what slices do not: the buffer's growth.
type span struct{ start, end uint32 }

// Route returns the route that matched, or nil where the router answers by itself (404,
// 405, OPTIONS), which only middleware of Table.Use gets to see.
func (c *Ctx) Route() *Route { return c.route }

// RequestID returns the id that log lines about this request carry: what
// SetRequestID has set, or fasthttp's number of the request, unique in this process.
func (c *Ctx) RequestID() string {
	if c.id == "" {
		c.SetRequestID(strconv.FormatUint(c.ID(), 16))
	}
	return c.id
}

// SetRequestID sets the request's id, for middleware that takes it from a header.
func (c *Ctx) SetRequestID(id string) { c.id, c.used = id, true }

// keepMost is how many bytes of a buffer a Ctx keeps for its next request. One
// request with a huge reply shall not hold that memory for ever.
const keepMost = 64 << 10

// kept returns b, if it is of a size to be kept.
func kept(b []byte) []byte {
	if cap(b) > keepMost {
		return nil
	}
	return b
}
