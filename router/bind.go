package router

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/valyala/fasthttp"
)

// Bind reads the request's body, one JSON value, into what v points to. The error is a
// *Problem, to be returned as it is: 415 where the Content-Type says that the body is something
// else (none at all is taken for JSON), 400 where it is no JSON, with its byte offset, and 422 where it is JSON that
// does not fit v, with a JSON pointer.
func (c *Ctx) Bind(v any) error {
	if t := c.Request.Header.ContentType(); len(t) > 0 && !isJSON(t) {
		return NewProblem(fasthttp.StatusUnsupportedMediaType, fmt.Sprintf("the body is %q, not JSON", t))
	}
	err := c.matcher.codec.Decode(c.PostBody(), v)
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return NewProblem(fasthttp.StatusBadRequest, "the body is no JSON: "+e.Error()).
			With("offset", syntaxOffset(e))
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		pointer := ""
		if e.Field != "" {
			pointer = "/" + strings.ReplaceAll(e.Field, ".", "/")
		}
		return NewProblem(fasthttp.StatusUnprocessableEntity, "the body has a "+e.Value+" where another type is wanted").
			With("pointer", pointer).With("offset", e.Offset)
	}
	return NewProblem(fasthttp.StatusUnprocessableEntity, "the body does not fit what this route takes")
}

// isJSON reports whether a Content-Type is application/json or some …+json. Case and
// parameters do not matter (RFC 9110, section 8.3.1; RFC 6839, section 3.1).
func isJSON(contentType []byte) bool {
	t, _, _ := bytes.Cut(contentType, []byte(";"))
	t = bytes.TrimSpace(t)
	if bytes.EqualFold(t, []byte(jsonType)) {
		return true
	}
	const suffix = "+json"
	return len(t) > len(suffix) && bytes.EqualFold(t[len(t)-len(suffix):], []byte(suffix))
}

// syntaxOffset returns the offset of the byte at fault, counted from 0. encoding/json counts the
// bytes that it has read: one more, unless what is wrong is that there are no more.
func syntaxOffset(e *json.SyntaxError) int64 {
	if e.Offset == 0 || strings.HasPrefix(e.Error(), "unexpected end") {
		return e.Offset
	}
	return e.Offset - 1
}
