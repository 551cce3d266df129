package middleware

import (
	"encoding/hex"
	"math/rand/v2"

	"github.com/rapidrest/rapidrest/router"
)

// requestIDHeader is a custom that load balancers, proxies and log viewers share; no RFC has it.
const requestIDHeader = "X-Request-Id"

// maxRequestID is the length in bytes up to which an id of the client's is taken. A UUID has 36, a
// W3C trace context 55.
const maxRequestID = 128

// RequestID gives every request an id, which Ctx.RequestID returns, the log shows and the answer's
// X-Request-Id repeats. An id that the request brings is kept if it is sane: 1 to 128 letters,
// digits and any of - _ . : / + = @. Any other one is replaced, since it would go into logs as it
// is. A new id is 32 hex digits, random; it identifies and is no secret.
func RequestID() router.Middleware {
	return func(next router.Handler) router.Handler {
		return func(c *router.Ctx) error {
			id := string(c.Request.Header.Peek(requestIDHeader))
			if !saneID(id) {
				id = newID()
			}
			c.SetRequestID(id)
			c.Response.Header.Set(requestIDHeader, id)
			return next(c)
		}
	}
}

func saneID(id string) bool {
	if len(id) == 0 || len(id) > maxRequestID {
		return false
	}
	for i := range len(id) {
		switch b := id[i]; {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9':
		case b == '-', b == '_', b == '.', b == ':', b == '/', b == '+', b == '=', b == '@':
		default:
			return false
		}
	}
	return true
}

func newID() string {
	var raw [16]byte
	for i := 0; i < len(raw); i += 8 {
		n := rand.Uint64()
		for j := range 8 {
			raw[i+j] = byte(n >> (8 * j))
		}
	}
	return hex.EncodeToString(raw[:])
}
