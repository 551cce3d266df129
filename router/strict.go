package router

import (
	"bytes"

	"github.com/valyala/fasthttp"
)

// Strict refuses requests of which another server on the way may have seen other bounds: 400, and the
// connection closes, so that nothing that follows is answered as a request. fasthttp refuses most of
// them by itself (two Content-Lengths or Hosts, none of the latter, "+5", a space before the colon, a
// chunk size out of range) and takes, or half takes, these:
//
//   - Transfer-Encoding beside Content-Length (RFC 9112, section 6.1: it may be an attack)
//   - a Transfer-Encoding of "identity", which is none any more: 501 (RFC 9112, section 6.1)
//   - a header line that ends in LF alone, or goes on in a next line (section 5.2)
//   - a header name with a space in it (RFC 9110, section 5.1: a token)
//   - a major version other than 1: 505 (RFC 9110, section 15.6.6)
//
// A request line that ends in LF alone is taken, as section 2.2 of RFC 9112 allows: fasthttp does not
// tell how the line ended, and nobody can see other bounds because of it.
//
// NewServer's servers have it. The check is one pass over the header lines, and allocates nothing.
func Strict(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		if fault := framingFault(&ctx.Request.Header); fault != nil {
			ctx.SetConnectionClose()
			writeProblem(ctx, fault, plainCodec)
			return
		}
		next(ctx)
	}
}

// These are shared and never changed.
var (
	plainCodec = defaultCodec()

	faultVersion  = NewProblem(fasthttp.StatusHTTPVersionNotSupported, "this server speaks HTTP/1.1")
	faultBareLF   = NewProblem(fasthttp.StatusBadRequest, "a header line ends in LF without CR")
	faultFold     = NewProblem(fasthttp.StatusBadRequest, "a header goes on in a second line")
	faultName     = NewProblem(fasthttp.StatusBadRequest, "the name of a header has a space in it")
	faultCoding   = NewProblem(fasthttp.StatusNotImplemented, "a Transfer-Encoding other than chunked, once")
	faultTwoSizes = NewProblem(fasthttp.StatusBadRequest, "Content-Length and Transfer-Encoding in one request")
)

// framingFault returns what is wrong with the headers as they came over the wire, or nil.
func framingFault(h *fasthttp.RequestHeader) *Problem {
	if p := h.Protocol(); len(p) != len("HTTP/1.1") || p[len("HTTP/")] != '1' {
		return faultVersion
	}
	sized, coded := false, false
	for raw := h.RawHeaders(); len(raw) > 0; {
		end := bytes.IndexByte(raw, '\n')
		if end <= 0 || raw[end-1] != '\r' {
			return faultBareLF
		}
		line := raw[:end-1]
		raw = raw[end+1:]
		if len(line) == 0 {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			return faultFold
		}
		n := nameLength(line)
		// Two names matter, and their lengths tell them from nearly all others.
		switch {
		case n < len(line) && line[n] == ' ':
			return faultName
		case n == len(contentLength) && bytes.EqualFold(line[:n], contentLength):
			sized = true
		case n == len(transferEncoding) && bytes.EqualFold(line[:n], transferEncoding):
			if coded = bytes.EqualFold(bytes.Trim(line[n+1:], " \t"), chunked); !coded {
				return faultCoding
			}
		}
	}
	if sized && coded {
		return faultTwoSizes
	}
	return nil
}

// nameLength is how many bytes come before the first colon or space. Names are short: a loop
// beats two searches.
func nameLength(line []byte) int {
	for i, c := range line {
		if c == ':' || c == ' ' {
			return i
		}
	}
	return len(line)
}

var (
	chunked          = []byte("chunked")
	transferEncoding = []byte(fasthttp.HeaderTransferEncoding)
	contentLength    = []byte(fasthttp.HeaderContentLength)
)
