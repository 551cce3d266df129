package router

import (
	"errors"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
)

// Limits bound what the network may ask of a server. The zero value is good: each field's
// default is named beside it.
type Limits struct {
	// MaxBody bounds a request's body as it comes over the wire, in bytes: 16 MiB, MongoDB's
	// largest document. A longer one is 413, and what is left of it is not read.
	MaxBody int
	// MaxHeader bounds the request line and the headers together, in bytes: 16 KiB. RFC 9112,
	// section 3, asks for request lines of 8,000 at least. Longer is 431. Every connection has
	// a buffer of this size.
	MaxHeader int
	// HeaderTimeout bounds the time from the first byte of a request to the last of its headers, and of
	// a body up to 64 KiB: 10 s, and never more than ReadTimeout; then it is 408.
	HeaderTimeout time.Duration
	// ReadTimeout bounds the time that a longer body takes after the headers: 60 s; then it is 408.
	ReadTimeout time.Duration
	// WriteTimeout bounds the time in which an answer must be taken by the client: 30 s.
	WriteTimeout time.Duration
	// IdleTimeout bounds the time between requests on one connection: 60 s.
	IdleTimeout time.Duration
	// MaxConnections bounds the connections that are open at once: 10,000. The request of one
	// more is answered with 503 and Retry-After, and the connection closes; far beyond the
	// limit, connections are turned away before a request is read.
	MaxConnections int
}

func (l Limits) withDefaults() Limits {
	orElse(&l.MaxBody, 16<<20)
	orElse(&l.MaxHeader, 16<<10)
	orElse(&l.HeaderTimeout, 10*time.Second)
	orElse(&l.ReadTimeout, 60*time.Second)
	l.HeaderTimeout = min(l.HeaderTimeout, l.ReadTimeout)
	orElse(&l.WriteTimeout, 30*time.Second)
	orElse(&l.IdleTimeout, 60*time.Second)
	orElse(&l.MaxConnections, 10_000)
	return l
}

func orElse[T int | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// NewServer returns a fasthttp server in front of m, fit for a hostile network: with limits on
// everything, without what m's handlers do not need of fasthttp's features, strict about framing
// (see Strict), and with problem+json for the errors that fasthttp answers by itself too. Its
// fields may be changed before it serves. RequestCtx.Time is when somebody first asks for it. On a
// listener of LazyDeadlines the limits of time cost next to nothing.
func NewServer(m *Matcher, limits Limits) *fasthttp.Server {
	g := &gate{limits: limits.withDefaults(), matcher: m}
	limits = g.limits
	g.server = &fasthttp.Server{
		Handler:            Strict(g.serve),
		ErrorHandler:       g.fail,
		ExpectHandler:      g.expect,
		Logger:             printer{m},
		MaxRequestBodySize: limits.MaxBody,
		ReadBufferSize:     limits.MaxHeader,
		ReadTimeout:        limits.HeaderTimeout,
		HeaderReceived:     g.received,
		WriteTimeout:       limits.WriteTimeout,
		IdleTimeout:        limits.IdleTimeout,
		// The soft limit is ours; this one stands behind it, and answers nothing but a bare 503.
		Concurrency:  limits.MaxConnections + limits.MaxConnections/8 + 64,
		TCPKeepalive: true,

		LazyRequestTime:              true, // few handlers ask for it
		CloseOnShutdown:              true, // or Shutdown waits for idle connections
		NoDefaultServerHeader:        true,
		NoDefaultContentType:         true, // an empty answer has no type
		SecureErrorLogMessage:        true, // or logs hold what clients sent
		DisablePreParseMultipartForm: true, // or a body becomes temporary files
	}
	return g.server
}

// gate is what stands between fasthttp and a matcher.
type gate struct {
	limits  Limits
	matcher *Matcher
	server  *fasthttp.Server
}

// retryAfter is the Retry-After of a server with too many connections, in seconds.
const retryAfter = "1"

var crowded = NewProblem(fasthttp.StatusServiceUnavailable, "too many connections; try again later")

// shortBody is what is taken to arrive with the headers, in bytes: its deadline is not moved, which
// would cost every small POST a tenth of a microsecond.
const shortBody = 64 << 10

// received gives a long body, and one of unknown length, a time of its own.
func (g *gate) received(h *fasthttp.RequestHeader) (c fasthttp.RequestConfig) {
	if n := h.ContentLength(); n > shortBody || n == -1 {
		c.ReadTimeout = g.limits.ReadTimeout
	}
	return c
}

// serve turns away the first request of a connection that is one too many.
func (g *gate) serve(ctx *fasthttp.RequestCtx) {
	if ctx.ConnRequestNum() == 1 && int(g.server.GetOpenConnectionsCount()) > g.limits.MaxConnections {
		ctx.Response.Header.Set(fasthttp.HeaderRetryAfter, retryAfter)
		g.refuse(ctx, crowded)
		return
	}
	g.matcher.Serve(ctx)
}

// refuse answers a problem and ends the connection.
func (g *gate) refuse(ctx *fasthttp.RequestCtx, p *Problem) {
	g.giveTime(ctx)
	ctx.SetConnectionClose()
	writeProblem(ctx, p, g.matcher.codec)
}

// giveTime lets an answer be written that fasthttp sends without a deadline of its own. The one of the
// answer before may have passed since: a connection may be idle for longer than an answer may take.
func (g *gate) giveTime(ctx *fasthttp.RequestCtx) {
	_ = ctx.SetWriteDeadline(time.Now().Add(g.limits.WriteTimeout)) // the write fails where this does
}

// expect decides whether a client that waits for "100 Continue" (RFC 9110, section 10.1.1)
// shall send its body: not one that would be refused when it is here.
func (g *gate) expect(ctx *fasthttp.RequestCtx) int {
	g.giveTime(ctx)
	p := framingFault(&ctx.Request.Header)
	if p == nil && ctx.Request.Header.ContentLength() > g.limits.MaxBody {
		p = g.tooLarge()
	}
	if p == nil {
		return fasthttp.StatusContinue
	}
	g.refuse(ctx, p)
	return p.Status
}

// fail answers what fasthttp could not read as a request. The connection closes.
func (g *gate) fail(ctx *fasthttp.RequestCtx, err error) {
	g.refuse(ctx, g.reading(err))
}

func (g *gate) reading(err error) *Problem {
	var tooMuch *fasthttp.ErrSmallBuffer
	var network net.Error
	switch {
	case errors.As(err, &tooMuch):
		return NewProblem(fasthttp.StatusRequestHeaderFieldsTooLarge, "the request line and the headers are longer than this server takes").
			With("limit", g.limits.MaxHeader)
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		return g.tooLarge()
	case errors.Is(err, fasthttp.ErrUnsupportedTransferEncoding):
		return faultCoding
	case errors.Is(err, fasthttp.ErrTimeout), errors.As(err, &network) && network.Timeout():
		return NewProblem(fasthttp.StatusRequestTimeout, "the request did not arrive in time")
	}
	return NewProblem(fasthttp.StatusBadRequest, "this is no HTTP request that the server can make sense of")
}

func (g *gate) tooLarge() *Problem {
	return NewProblem(fasthttp.StatusRequestEntityTooLarge, "the body is longer than this server takes").
		With("limit", g.limits.MaxBody)
}

// printer hands fasthttp's log, which is about single connections, to the table's at level
// debug.
type printer struct{ m *Matcher }

func (p printer) Printf(format string, args ...any) {
	p.m.logger().Debug("router: "+strings.TrimSpace(format), slog.Any("args", args))
}
