// Package middleware holds what most REST servers need around their handlers. Each is a function
// that returns a router.Middleware, to be given to a Table, a Group or a single route:
//
//	package main
//
//	import (
//		"log"
//		"os"
//		"time"
//
//		"github.com/rapidrest/rapidrest/router"
//		"github.com/rapidrest/rapidrest/router/middleware"
//		"github.com/valyala/fasthttp"
//	)
//
//	func main() {
//		table := router.New()
//		table.Use(middleware.RequestID(), middleware.AccessLog(nil), middleware.CORS(middleware.CORSConfig{
//			Origins: []string{"https://app.example.org"},
//		}))
//		api := table.Group("/api",
//			middleware.RateLimit(middleware.RateLimitConfig{Rate: 50}),
//			middleware.BearerToken(os.Getenv("TOKEN")),
//			middleware.BodyLimit(64<<10), middleware.Decompress(1<<20),
//			middleware.Timeout(middleware.TimeoutConfig{After: 5 * time.Second}))
//		api.Post("/notes", func(c *router.Ctx) error {
//			var note struct{ Text string }
//			if err := c.Bind(&note); err != nil {
//				return err
//			}
//			return c.JSON(fasthttp.StatusCreated, note)
//		})
//		matcher, err := table.Compile()
//		if err != nil {
//			log.Fatal(err)
//		}
//		log.Fatal(router.NewServer(matcher, router.Limits{}).ListenAndServe("127.0.0.1:8080"))
//	}
//
// The first middleware is the outermost. Chains are put together once, when the table is compiled:
// at request time, three middlewares are three calls of functions, and no allocation. Panics need
// no middleware: the router recovers them always.
//
// # What each of them answers
//
//	RequestID     X-Request-Id on every answer: the client's own if it is sane, else a new one
//	AccessLog     (a line of log/slog for every answer)
//	CORS          204 to a preflight, Access-Control-… headers to allowed origins
//	BodyLimit     413 and Connection: close, when the body is longer than the limit
//	Decompress    413 and Connection: close, when the inflated body is longer than the limit;
//	              415 with Accept-Encoding, when the encoding is not gzip, deflate, br or zstd; 400, when it is broken
//	Timeout       503, when the handler takes too long
//	RateLimit     429 with Retry-After, when one client asks for more than it may
//	BearerToken   401 with WWW-Authenticate, when the token is missing or wrong
//	ETag          304, when the client has the answer already
//
// All errors are problem details, application/problem+json (RFC 9457), written by the router.
//
// # In which order
//
// RequestID first, so that everything after it can name the request; AccessLog second, so that it
// sees every answer; CORS third, so that a page can read the refusals that come after it. RateLimit
// before BearerToken, or tokens can be guessed at any speed. BodyLimit before Decompress. Timeout
// last, next to the handler: it is the only one that lets go of the Ctx while a handler still uses
// it.
package middleware
