package main

import (
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/valyala/fasthttp"
)

// Subject is a router in the line-up.
type Subject struct {
	Name  string
	Build func(set Set, p *Probe, mode Mode) (Mux, error)
}

// subjects are ours first, then the peers in alphabetical order.
var subjects = []Subject{
	{"rapidrest", buildRapidREST},
	{"bunrouter", buildBunrouter},
	{"chi", buildChi},
	{"echo", buildEcho},
	{"fasthttp/router", buildFasthttpRouter},
	{"fiber", buildFiber},
	{"gin", buildGin},
	{"httprouter", buildHttprouter},
	{"ServeMux", buildServeMux},
}

// Mux is a built table: a net/http handler or a fasthttp one, and the other is nil.
type Mux struct {
	HTTP http.Handler
	Fast fasthttp.RequestHandler
}

// Pass serves every request it was made for once.
type Pass func()

// Hits returns a pass over requests that reach a handler; these handlers write nothing, so nothing
// is reset between them.
func (m Mux) Hits(reqs []Request) Pass {
	if m.HTTP != nil {
		prepared, w := httpRequests(reqs), &nowhere{header: http.Header{}}
		return func() {
			for _, r := range prepared {
				m.HTTP.ServeHTTP(w, r)
			}
		}
	}
	prepared := fastRequests(reqs)
	return func() {
		for _, ctx := range prepared {
			m.Fast(ctx)
		}
	}
}

// Answers returns a pass over requests that the router itself answers. Between two of them the
// response is emptied, as a server does.
func (m Mux) Answers(reqs []Request) Pass {
	if m.HTTP != nil {
		prepared, w := httpRequests(reqs), &nowhere{header: http.Header{}}
		return func() {
			for _, r := range prepared {
				clear(w.header)
				m.HTTP.ServeHTTP(w, r)
			}
		}
	}
	prepared := fastRequests(reqs)
	return func() {
		for _, ctx := range prepared {
			ctx.Response.Reset()
			m.Fast(ctx)
		}
	}
}

// OneContext returns a pass that serves all requests with one context, set to the next request each
// time. It is for tables so large that as many prepared requests would measure the cache. What the
// setting costs, a pass over an empty handler says.
func (m Mux) OneContext(reqs []Request) Pass {
	lines := compact(reqs)
	if m.HTTP != nil {
		r, w := httptest.NewRequest("GET", "/", nil), &nowhere{header: http.Header{}}
		return func() {
			for i := range lines {
				r.Method, r.RequestURI, r.URL.Path = lines[i].method, lines[i].path, lines[i].path
				m.HTTP.ServeHTTP(w, r)
			}
		}
	}
	ctx := fastRequest(Request{Method: "GET", Path: "/"})
	return func() {
		for i := range lines {
			setFast(ctx, lines[i])
			m.Fast(ctx)
		}
	}
}

// line is what a router gets to know of a request.
type line struct{ method, path string }

// compact lays requests out one after the other, the paths in one piece of memory, so that reading
// them takes as little of the cache as it can.
func compact(reqs []Request) []line {
	var all strings.Builder
	for _, req := range reqs {
		all.WriteString(req.Path)
	}
	paths, lines := all.String(), make([]line, len(reqs))
	for i, req := range reqs {
		lines[i] = line{req.Method, paths[:len(req.Path)]}
		paths = paths[len(req.Path):]
	}
	return lines
}

// empty is the handler that OneContext's cost is taken from: of the same kind as m, and with
// nothing in it.
func (m Mux) empty() Mux {
	if m.HTTP != nil {
		return Mux{HTTP: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	}
	return Mux{Fast: func(*fasthttp.RequestCtx) {}}
}

// Once serves one request with a fresh context and returns the status.
func (m Mux) Once(req Request) int {
	if m.HTTP != nil {
		w := httptest.NewRecorder()
		m.HTTP.ServeHTTP(w, httpRequests([]Request{req})[0])
		return w.Code
	}
	ctx := fastRequest(req)
	m.Fast(ctx)
	return ctx.Response.StatusCode()
}

func httpRequests(reqs []Request) []*http.Request {
	prepared := make([]*http.Request, len(reqs))
	for i, req := range reqs {
		prepared[i] = httptest.NewRequest(req.Method, req.Path, nil)
		prepared[i].URL.Path = req.Path // a path that begins with // would have become a host
		prepared[i].URL.Host = ""
	}
	return prepared
}

func fastRequests(reqs []Request) []*fasthttp.RequestCtx {
	prepared := make([]*fasthttp.RequestCtx, len(reqs))
	for i, req := range reqs {
		prepared[i] = fastRequest(req)
	}
	return prepared
}

func fastRequest(req Request) *fasthttp.RequestCtx {
	ctx := &fasthttp.RequestCtx{}
	ctx.Init(&fasthttp.Request{}, nil, nil)
	ctx.Request.Header.SetHost("lineup.test")
	setFast(ctx, line{req.Method, req.Path})
	return ctx
}

// setFast puts a request into ctx, with its URI parsed, which fasthttp's server does before it
// calls a handler.
func setFast(ctx *fasthttp.RequestCtx, l line) {
	ctx.Request.Header.SetMethod(l.method)
	ctx.Request.SetRequestURI(l.path)
	ctx.Request.URI()
}

// nowhere is a ResponseWriter that drops what it is given.
type nowhere struct{ header http.Header }

func (w *nowhere) Header() http.Header               { return w.header }
func (w *nowhere) Write(p []byte) (int, error)       { return len(p), nil }
func (w *nowhere) WriteString(s string) (int, error) { return len(s), nil }
func (w *nowhere) WriteHeader(int)                   {}
