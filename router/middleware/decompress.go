package middleware

import (
	"bytes"
	"errors"
	"runtime"

	"github.com/klauspost/compress/zstd"
	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
)

// acceptEncoding lists what Decompress reads; RFC 9110, section 12.5.3, has a server say so with a
// 415.
const acceptEncoding = "gzip, deflate, br, zstd"

// Decompress takes the Content-Encoding off a request's body: gzip, deflate (which is zlib, RFC
// 9110, section 8.4.1.2), br or zstd. What follows sees the plain body, without the header.
//
// Inflating stops as soon as the result is longer than limit bytes: 413, and the connection closes.
// A few kilobytes can hold gigabytes, so nothing is inflated further to learn how much it would
// have been. An encoding of another name, or more than one, is 415 with Accept-Encoding; a body
// that is not what its encoding says is 400.
func Decompress(limit int) router.Middleware {
	d := newDecompressor(limit)
	return func(next router.Handler) router.Handler {
		return func(c *router.Ctx) error {
			if coding := c.Request.Header.ContentEncoding(); len(coding) > 0 {
				if err := d.decompress(c, coding); err != nil {
					return err
				}
			}
			return next(c)
		}
	}
}

type decompressor struct {
	limit int
	zstd  *zstd.Decoder
	turns chan struct{} // holds a token for everybody who is inflating
}

func newDecompressor(limit int) *decompressor {
	// For DecodeAll alone, which is safe for concurrent use. NewReader fails on options that are
	// out of range; these are not.
	decoder, _ := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true))
	return &decompressor{limit: max(limit, 0), zstd: decoder, turns: make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// decompress replaces the request's body by what it holds.
func (d *decompressor) decompress(c *router.Ctx, coding []byte) error {
	inflate := d.inflaterOf(&c.Request, coding)
	if inflate == nil {
		c.Response.Header.Set(fasthttp.HeaderAcceptEncoding, acceptEncoding)
		return router.NewProblem(fasthttp.StatusUnsupportedMediaType, "the Content-Encoding is none that this server reads").
			With("encoding", string(coding)).With("accepted", acceptEncoding)
	}
	plain, err := d.inTurn(inflate)
	switch {
	case errors.Is(err, fasthttp.ErrBodyTooLarge) || err == nil && len(plain) > d.limit:
		return tooLarge(c, d.limit, "the inflated body")
	case err != nil:
		return router.NewProblem(fasthttp.StatusBadRequest, "the body is not what its Content-Encoding says").
			With("encoding", string(coding))
	}
	c.Request.SetBodyRaw(plain)
	c.Request.Header.SetContentLength(len(plain))
	c.Request.Header.Del(fasthttp.HeaderContentEncoding)
	return nil
}

// inTurn inflates when fewer do than there are processors. Inflating waits for nothing, so that
// more at once would end no sooner; but each may need a window beside its result, which a body of
// ten bytes may claim to be 16 MiB (br; RFC 7932, section 9.1).
func (d *decompressor) inTurn(inflate func(limit int) ([]byte, error)) ([]byte, error) {
	d.turns <- struct{}{}
	defer func() { <-d.turns }()
	return inflate(max(d.limit, 1)) // fasthttp takes a limit of 0 for none at all
}

// inflaterOf returns what reads a body of this coding, nil where nothing does. Codings know no case
// (RFC 9110, section 8.4.1), and x-gzip is gzip's old name (section 8.4.1.3).
func (d *decompressor) inflaterOf(req *fasthttp.Request, coding []byte) func(limit int) ([]byte, error) {
	is := func(name string) bool { return bytes.EqualFold(coding, []byte(name)) }
	switch {
	case is("gzip"), is("x-gzip"):
		return req.BodyGunzipWithLimit
	case is("deflate"):
		return req.BodyInflateWithLimit
	case is("br"):
		return req.BodyUnbrotliWithLimit
	case is("zstd"):
		return func(limit int) ([]byte, error) { return d.unzstd(req, limit) }
	case is("identity"):
		return func(int) ([]byte, error) { return req.Body(), nil }
	}
	return nil
}

// unzstd inflates body into at most limit bytes. A reader of a stream would have to set the frame's
// window aside first, which a frame of ten bytes may claim to be 8 MiB; decoded into its place, a
// frame needs no window. The place begins with four times the body and grows up to the limit where
// that is not enough, which costs a third more work at the most.
//
// A block that does not fit into what is left of the place may be reported as a bad block. So a
// body that fails is looked at once more, by a reader, which tells a large body from a broken one.
func (d *decompressor) unzstd(req *fasthttp.Request, limit int) ([]byte, error) {
	const least = 4 << 10
	body := req.Body()
	for room := min(limit, max(least, 4*len(body))); ; room = min(limit, 4*room) {
		plain, err := d.zstd.DecodeAll(body, make([]byte, 0, room))
		switch {
		case err == nil:
			return plain, nil
		case !errors.Is(err, zstd.ErrDecoderSizeExceeded):
			return req.BodyUnzstdWithLimit(limit)
		case room == limit:
			return nil, fasthttp.ErrBodyTooLarge
		}
	}
}
