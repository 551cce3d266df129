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

// detour goes the long way with a request that was not matched as it came. Where its path has a
// query behind it, or escapes, the search is done again without them.
func (m *Matcher) detour(c *Ctx, method int, target []byte) Handler {
	c.path, c.verdict = target, notFound
	again := false
	if len(target) == 0 || target[0] != '/' {
		if string(target) == "*" && method == m.methods.opts {
			c.verdict, c.allow = options, m.every
		}
		if !c.absolute(target) {
			return m.fallback
		}
		again = true
	}
	if again || !isCommon(c.path) {
		c.used = true
		if i := bytes.IndexByte(c.path, '?'); i >= 0 {
			c.path, c.query, again = c.path[:i:i], c.path[i+1:], true
		}
		if bytes.IndexByte(c.path, '%') >= 0 && !c.decode() || bytes.IndexByte(c.path, 0) >= 0 || hasDots(c.path) {
			c.verdict = badPath
			return m.fallback
		}
		if c.escaped {
			c.fold()
			defer c.unfold()
		}
	}
	if again || c.escaped {
		c.missing = nil
		if run := m.trees[method].find(c, c.path); run != nil {
			return run
		}
	}
	m.refuse(c, method)
	return m.fallback
}

// refuse decides about a sound path that no route of the method takes.
func (m *Matcher) refuse(c *Ctx, method int) {
	if c.missing != nil {
		c.verdict = badQuery
		return
	}
	c.allow = 0
	m.any.find(c, c.path)
	switch {
	case c.allow == 0:
		c.verdict = notFound
	case method == m.methods.opts:
		c.verdict = options
	default:
		c.verdict = notAllowed
	}
}

// absolute takes the path out of a target in absolute form, which a server must accept
// (RFC 9112, section 3.2.2), and reports whether target is one.
func (c *Ctx) absolute(target []byte) bool {
	i := bytes.Index(target, []byte("://"))
	if i <= 0 || bytes.ContainsAny(target[:i], "/?#%") {
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

// canned is an answer that is the same for every request.
type canned struct {
	status int
	body   []byte
}

func newCanned(status int, detail string, codec Codec) canned {
	return canned{status, NewProblem(status, detail).appendJSON(nil, codec)}
}

func newVerdicts(codec Codec) [badQuery]canned {
	return [badQuery]canned{
		notFound:   newCanned(fasthttp.StatusNotFound, "no route fits the path", codec),
		notAllowed: newCanned(fasthttp.StatusMethodNotAllowed, "the path does not take this method", codec),
		badPath: newCanned(fasthttp.StatusBadRequest,
			"the path has a bad escape, a dot segment or a NUL", codec),
	}
}

// answerItself is the handler of requests that no route takes.
func answerItself(c *Ctx) error {
	switch c.verdict {
	case options:
		c.setAllow()
		return c.NoContent()
	case badQuery:
		keys := c.missingKeys()
		return NewProblem(fasthttp.StatusBadRequest, "query keys are missing or do not fit: "+strings.Join(keys, ", ")).
			With("keys", keys)
	case notAllowed:
		c.setAllow()
	}
	v := &c.matcher.verdicts[c.verdict]
	c.SetStatusCode(v.status)
	c.Response.Header.SetContentType(problemType)
	c.Response.SetBodyRaw(v.body)
	return nil
}

func (c *Ctx) setAllow() {
	m := &c.matcher.methods
	c.out = m.appendAllow(c.out[:0], m.allowed(c.allow))
	c.Response.Header.SetBytesV(fasthttp.HeaderAllow, c.out)
}
