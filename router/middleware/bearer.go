package middleware

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
)

// BearerToken lets requests pass that carry one of the tokens: Authorization: Bearer TOKEN (RFC
// 6750). All others get 401 with WWW-Authenticate. Several tokens allow one to be replaced while
// the old one still works. An empty token is no token, and with no token at all nobody passes.
//
// How long the comparison takes says nothing about the tokens: digests are compared, all of them,
// and in constant time.
func BearerToken(tokens ...string) router.Middleware {
	var digests [][sha256.Size]byte
	for _, token := range tokens {
		if token != "" {
			digests = append(digests, sha256.Sum256([]byte(token)))
		}
	}
	return func(next router.Handler) router.Handler {
		return func(c *router.Ctx) error {
			token := bearerOf(c.Request.Header.Peek(fasthttp.HeaderAuthorization))
			if len(token) == 0 {
				return unauthorized(c, `Bearer`, "the request carries no bearer token")
			}
			if !anyEqual(digests, sha256.Sum256(token)) {
				return unauthorized(c, `Bearer error="invalid_token"`, "the bearer token is none that this server knows")
			}
			return next(c)
		}
	}
}

// bearerOf cuts the token out of an Authorization header, nil where the scheme is another. The
// scheme's name knows no case (RFC 9110, section 11.1).
func bearerOf(header []byte) []byte {
	scheme, token, ok := bytes.Cut(header, []byte{' '})
	if !ok || !bytes.EqualFold(scheme, []byte("Bearer")) {
		return nil
	}
	return bytes.Trim(token, " ")
}

// anyEqual looks at every digest even after one was equal.
func anyEqual(digests [][sha256.Size]byte, given [sha256.Size]byte) bool {
	found := 0
	for i := range digests {
		found |= subtle.ConstantTimeCompare(digests[i][:], given[:])
	}
	return found == 1
}

// unauthorized is a 401. RFC 6750, section 3.1, wants no error code where no token was sent.
func unauthorized(c *router.Ctx, challenge, detail string) error {
	c.Response.Header.Set(fasthttp.HeaderWWWAuthenticate, challenge)
	return router.NewProblem(fasthttp.StatusUnauthorized, detail)
}
