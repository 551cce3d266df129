package middleware

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
)

// ETag gives answers to GET and HEAD with status 200 an entity tag, made of the body's bytes, and
// answers 304 without a body to a client that has this body already (If-None-Match). It saves the
// way to the client, not the making of the answer; a handler that knows a cheaper version of what
// it answers calls NotModified first.
//
// A tag that the handler has set stays. A streamed body gets none. The tag is a hash of the body
// and nothing else, so that all servers behind a load balancer give the same one, and it is strong:
// equal tags are equal bytes.
func ETag() router.Middleware {
	return func(next router.Handler) router.Handler {
		return func(c *router.Ctx) error {
			if err := next(c); err != nil {
				return err
			}
			if isRead(c) && c.LastTimeoutErrorResponse() == nil && c.Response.StatusCode() == fasthttp.StatusOK && !c.Response.IsBodyStream() {
				tagAnswer(c)
			}
			return nil
		}
	}
}

func isRead(c *router.Ctx) bool { return c.IsGet() || c.IsHead() }

func tagAnswer(c *router.Ctx) {
	tag := string(c.Response.Header.Peek(fasthttp.HeaderETag))
	if tag == "" {
		tag = StrongTag(c.Response.Body())
	}
	if NotModified(c, tag) {
		c.Response.ResetBody()
	}
}

// NotModified sets the answer's ETag and reports whether the client has this version already, by
// its If-None-Match; then the answer is 304 and the handler returns without a body. It is always
// false for methods other than GET and HEAD.
//
//	if middleware.NotModified(c, middleware.WeakTag(version)) {
//		return nil
//	}
func NotModified(c *router.Ctx, tag string) bool {
	c.Response.Header.Set(fasthttp.HeaderETag, tag)
	if !isRead(c) || !IfNoneMatch(c, tag) {
		return false
	}
	c.SetStatusCode(fasthttp.StatusNotModified)
	return true
}

// StrongTag makes a strong entity tag of bytes: 128 bits of their SHA-256, in quotes.
func StrongTag(body []byte) string {
	sum := sha256.Sum256(body)
	var tag [34]byte
	tag[0], tag[33] = '"', '"'
	hex.Encode(tag[1:33], sum[:16])
	return string(tag[:])
}

// WeakTag makes a weak entity tag of a version, such as a number or a time: W/"…". What must not
// stand in a tag (RFC 9110, section 8.8.3: quotes, blanks and control characters) is written as an
// underscore.
func WeakTag(version string) string {
	tag := append(make([]byte, 0, len(version)+4), `W/"`...)
	for i := range len(version) {
		b := version[i]
		if b <= ' ' || b == '"' || b == 0x7f {
			b = '_'
		}
		tag = append(tag, b)
	}
	return string(append(tag, '"'))
}
