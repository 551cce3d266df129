package router

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/valyala/fasthttp"
)

// problemType is the media type of RFC 9457, section 3.
const problemType = "application/problem+json"

// Problem is an error that is fit to be seen by a client: RFC 9457's problem
// details. A handler returns one, and the router writes it as
// application/problem+json. Headers that the handler has set before (Retry-After,
// WWW-Authenticate) are kept.
//
// A Problem that is shared between requests must not be changed; With changes it.
type Problem struct {
	Type       string         // a URI that identifies the kind of problem; "" is written as "about:blank"
	Title      string         // "" is written as the status's text
	Status     int            // the HTTP status; 0, or one outside 100–599, is written as 500
	Detail     string         // what happened this time, for a person; "" is left out
	Extensions map[string]any // further members; the five that RFC 9457 defines are ignored here
}

// NewProblem returns a problem of a status, with a detail for a person to read.
func NewProblem(status int, detail string) *Problem {
	return &Problem{Status: status, Detail: detail}
}

// With sets an extension member and returns p, so that calls can be chained.
func (p *Problem) With(key string, v any) *Problem {
	if p.Extensions == nil {
		p.Extensions = make(map[string]any)
	}
	p.Extensions[key] = v
	return p
}

// Error says status, title and detail in one line.
func (p *Problem) Error() string {
	s := fmt.Sprintf("router: %d %s", p.status(), p.title())
	if p.Detail != "" {
		s += ": " + p.Detail
	}
	return s
}

// AsProblem returns what the router answers when a handler returns err: the
// *Problem that err is or wraps, otherwise a 500 that shows nothing of err. It is nil for a
// nil error. Middleware asks it for the status of an answer that is not written yet.
func AsProblem(err error) *Problem {
	if err == nil {
		return nil
	}
	if p, ok := errors.AsType[*Problem](err); ok && p != nil {
		return p
	}
	return internalError
}

// internalError stands for every error that is no Problem. It is shared and never changed.
var internalError = NewProblem(fasthttp.StatusInternalServerError, "the server failed to answer this request")

func (p *Problem) status() int {
	if p.Status < 100 || p.Status > 599 {
		return fasthttp.StatusInternalServerError
	}
	return p.Status
}

func (p *Problem) title() string {
	if p.Title != "" {
		return p.Title
	}
	return fasthttp.StatusMessage(p.status())
}

// appendJSON appends p as JSON: RFC 9457's members first, then the extensions in
// the order of their names. An extension that the codec cannot write is written as text.
func (p *Problem) appendJSON(dst []byte, codec Codec) []byte {
	kind := p.Type
	if kind == "" {
		kind = "about:blank"
	}
	dst = appendValue(append(dst, `{"type":`...), codec, kind)
	dst = appendValue(append(dst, `,"title":`...), codec, p.title())
	dst = strconv.AppendInt(append(dst, `,"status":`...), int64(p.status()), 10)
	if p.Detail != "" {
		dst = appendValue(append(dst, `,"detail":`...), codec, p.Detail)
	}
	for _, key := range slices.Sorted(maps.Keys(p.Extensions)) {
		switch key {
		case "type", "title", "status", "detail", "instance":
			continue
		}
		dst = appendValue(append(dst, ','), codec, key)
		dst = appendValue(append(dst, ':'), codec, p.Extensions[key])
	}
	return append(dst, '}')
}

// appendValue appends v as JSON, or v's text as a JSON string where the codec refuses v.
func appendValue(dst []byte, codec Codec, v any) []byte {
	out, err := codec.Append(dst, v)
	if err == nil {
		return out
	}
	out, err = codec.Append(dst, fmt.Sprint(v))
	if err != nil {
		return append(dst, "null"...)
	}
	return out
}

// writeProblem makes p the response. The body that was there goes; headers stay,
// but for the one that described the old body's bytes.
func writeProblem(ctx *fasthttp.RequestCtx, p *Problem, codec Codec) {
	ctx.Response.ResetBody()
	ctx.Response.Header.Del(fasthttp.HeaderContentEncoding)
	ctx.SetStatusCode(p.status())
	ctx.SetContentType(problemType)
	ctx.Response.SetBodyRaw(p.appendJSON(nil, codec))
}
