package router

import (
	"bytes"
	"strings"

	"github.com/valyala/fasthttp"
)

// verdict is what the router answers by itself.
type verdict uint8

const (
	notFound   verdict = iota
	notAllowed         // 405: other methods have the path
	badPath            // 400: a bad escape, a dot segment or a NUL
	badQuery           // 400: required keys are missing
	options            // 204 with Allow
)

// refuse decides about a path that no route of the method takes.
func (m *Matcher) refuse(c *Ctx, method []byte) *leaf {
	if c.missing != nil {
		c.verdict = badQuery
		return nil
	}
	c.allow = 0
	if m.any != nil {
		if c.escaped {
			c.fold()
		}
		m.any.find(c, 1, 0)
		if c.escaped {
			c.unfold()
		}
	}
	switch {
	case c.allow == 0:
		c.verdict = notFound
	case string(method) == fasthttp.MethodOptions:
		c.verdict = options
	default:
		c.verdict = notAllowed
	}
	return nil
}

// unroutable decides about a request target that has no path: * is the server as a whole (RFC 9112,
// section 3.2.4), anything else fits nothing.
func (m *Matcher) unroutable(c *Ctx, method, target []byte) *leaf {
	c.verdict = notFound
	if len(target) == 1 && target[0] == '*' && string(method) == fasthttp.MethodOptions {
		c.verdict, c.allow = options, m.every
	}
	return nil
}

// absolute takes the path out of a target in absolute form, which a server must accept
// (RFC 9112, section 3.2.2), and reports whether target is one.
func (c *Ctx) absolute(target []byte) bool {
	i := bytes.Index(target, []byte("://"))
	if i <= 0 || bytes.IndexAny(target[:i], "/?#%") >= 0 {
		return false
	}
	authority := target[i+3:]
	switch at := bytes.IndexAny(authority, "/?"); {
	case at < 0:
		c.path = []byte("/")
	case authority[at] == '?':
		c.path = append([]byte("/"), authority[at:]...)
	default:
		c.path = authority[at:]
	}
	return true
}

// answerItself is the handler of requests that no route takes.
func answerItself(c *Ctx) error {
	switch c.verdict {
	case options:
		c.setAllow()
		return c.NoContent()
	case notAllowed:
		c.setAllow()
		return NewProblem(fasthttp.StatusMethodNotAllowed, "the path does not take this method")
	case badPath:
		return NewProblem(fasthttp.StatusBadRequest, "the path holds a bad escape, a dot segment or a NUL")
	case badQuery:
		keys := c.missingKeys()
		return NewProblem(fasthttp.StatusBadRequest, "query keys are missing or do not fit: "+strings.Join(keys, ", ")).
			With("keys", keys)
	}
	return NewProblem(fasthttp.StatusNotFound, "no route fits the path")
}

func (c *Ctx) setAllow() {
	m := &c.matcher.methods
	c.out = m.appendAllow(c.out[:0], m.allowed(c.allow))
	c.Response.Header.SetBytesV(fasthttp.HeaderAllow, c.out)
}
