package middleware

import (
	"errors"
	"io"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
)

// BodyLimit refuses a request whose body, as it came over the wire, is longer than limit bytes:
// 413, and the connection closes. The body inside a Content-Encoding is Decompress's to limit.
//
// The server has a limit of its own (fasthttp.Server.MaxRequestBodySize), which holds for all
// routes and stops the reading; BodyLimit is for routes that take less. On a server that streams
// bodies, a body is read here, up to the limit, so that what follows sees a whole body or none.
func BodyLimit(limit int) router.Middleware {
	limit = max(limit, 0)
	return func(next router.Handler) router.Handler {
		return func(c *router.Ctx) error {
			if err := readBody(c, limit); err != nil {
				return err
			}
			return next(c)
		}
	}
}

// readBody leaves the request with a body of at most limit bytes in memory, or says why it could
// not.
func readBody(c *router.Ctx, limit int) error {
	if c.Request.Header.ContentLength() > limit {
		return tooLarge(c, limit, "the body")
	}
	stream := c.RequestBodyStream()
	if stream == nil {
		if len(c.PostBody()) > limit {
			return tooLarge(c, limit, "the body")
		}
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(stream, int64(limit)+1))
	switch {
	case len(body) > limit || errors.Is(err, fasthttp.ErrBodyTooLarge):
		return tooLarge(c, limit, "the body")
	case err != nil:
		c.SetConnectionClose()
		return router.NewProblem(fasthttp.StatusBadRequest, "the body ended before its end")
	}
	c.Request.SetBodyRaw(body)
	return nil
}

// tooLarge is a 413 that ends the connection: what is left of the body is not worth reading.
func tooLarge(c *router.Ctx, limit int, what string) error {
	c.SetConnectionClose()
	return router.NewProblem(fasthttp.StatusRequestEntityTooLarge, what+" is longer than this resource takes").With("limit", limit)
}
