package middleware

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
)

// CORSConfig says which pages of other origins may call, and how. The zero value allows none.
type CORSConfig struct {
	// Origins are the origins that may read answers, as browsers write them
	// ("https://app.example.org"), or "*" for any. With Credentials "*" is not honoured, because
	// every page could then act for its visitor: name the origins.
	Origins []string
	// Methods that a preflight is told of. Default: GET, HEAD, POST, PUT, PATCH, DELETE.
	Methods []string
	// Headers that a request may carry beside the safe ones. Default: Authorization, Content-Type,
	// If-Match, If-None-Match, Prefer, X-Request-Id.
	Headers []string
	// Expose are headers of an answer that a page may read beside the safe ones. Default: ETag,
	// Location, Retry-After, X-Request-Id.
	Expose []string
	// Credentials lets requests carry cookies and HTTP authentication.
	Credentials bool
	// MaxAge is how long a browser may remember a preflight. Default 10 minutes, below the two
	// hours that browsers cap it to.
	MaxAge time.Duration
}

// CORS answers browsers that ask whether a page of another origin may call (the Fetch standard,
// "CORS protocol"). A preflight (OPTIONS with Access-Control-Request-Method) is answered with 204
// and does not reach a handler; other requests pass, and their answers say who may read them. From
// an origin that is not allowed a request passes too, without these headers: it is the browser that
// keeps the answer from the page. CORS protects no server from a client that is no browser.
//
// Give it to Table.Use, so that it stands around the preflights too, for which no route is
// registered.
func CORS(cfg CORSConfig) router.Middleware {
	p := newCORSPolicy(cfg)
	return func(next router.Handler) router.Handler {
		return func(c *router.Ctx) error {
			origin := c.Request.Header.Peek(fasthttp.HeaderOrigin)
			if !p.any {
				c.Response.Header.Add(fasthttp.HeaderVary, fasthttp.HeaderOrigin) // caches must not give one origin's answer to another
			}
			allowed := len(origin) > 0 && p.allows(string(origin))
			if allowed {
				p.allow(c, origin)
			}
			if c.IsOptions() && len(c.Request.Header.Peek(fasthttp.HeaderAccessControlRequestMethod)) > 0 {
				return p.preflight(c, allowed)
			}
			if allowed {
				c.Response.Header.Set(fasthttp.HeaderAccessControlExposeHeaders, p.expose)
			}
			return next(c)
		}
	}
}

// corsPolicy is a CORSConfig with its headers written out once.
type corsPolicy struct {
	any, credentials         bool
	origins                  []string
	methods, headers, expose string
	maxAge                   string
}

func newCORSPolicy(cfg CORSConfig) *corsPolicy {
	list := func(given []string, otherwise string) string {
		if given == nil {
			return otherwise
		}
		return strings.Join(given, ", ")
	}
	age := cfg.MaxAge
	if age <= 0 {
		age = 10 * time.Minute
	}
	return &corsPolicy{
		any:         slices.Contains(cfg.Origins, "*") && !cfg.Credentials,
		credentials: cfg.Credentials,
		origins:     slices.DeleteFunc(slices.Clone(cfg.Origins), func(o string) bool { return o == "*" }),
		methods:     list(cfg.Methods, "GET, HEAD, POST, PUT, PATCH, DELETE"),
		headers:     list(cfg.Headers, "Authorization, Content-Type, If-Match, If-None-Match, Prefer, X-Request-Id"),
		expose:      list(cfg.Expose, "ETag, Location, Retry-After, X-Request-Id"),
		maxAge:      strconv.FormatInt(int64(age/time.Second), 10),
	}
}

// allows compares whole origins: an ending is not enough, or https://evil-example.org would be
// example.org.
func (p *corsPolicy) allows(origin string) bool { return p.any || slices.Contains(p.origins, origin) }

func (p *corsPolicy) allow(c *router.Ctx, origin []byte) {
	h := &c.Response.Header
	if p.any {
		h.Set(fasthttp.HeaderAccessControlAllowOrigin, "*")
		return
	}
	h.SetBytesV(fasthttp.HeaderAccessControlAllowOrigin, origin)
	if p.credentials {
		h.Set(fasthttp.HeaderAccessControlAllowCredentials, "true")
	}
}

func (p *corsPolicy) preflight(c *router.Ctx, allowed bool) error {
	h := &c.Response.Header
	h.Add(fasthttp.HeaderVary, "Access-Control-Request-Method, Access-Control-Request-Headers")
	if allowed {
		h.Set(fasthttp.HeaderAccessControlAllowMethods, p.methods)
		if p.headers != "" {
			h.Set(fasthttp.HeaderAccessControlAllowHeaders, p.headers)
		}
		h.Set(fasthttp.HeaderAccessControlMaxAge, p.maxAge)
	}
	return c.NoContent()
}
