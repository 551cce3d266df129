package router

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync/atomic"

	"github.com/valyala/fasthttp"
)

const (
	jsonType = "application/json"
	textType = "text/plain; charset=utf-8"
)

// Status sets the status of the answer and returns c. JSON, Text, NoContent and Stream
// set their own.
func (c *Ctx) Status(code int) *Ctx {
	c.SetStatusCode(code)
	return c
}

// JSON answers with v, written by the table's Codec. Where the codec refuses v nothing is
// answered, and the error, returned by the handler, makes a 500.
func (c *Ctx) JSON(status int, v any) error {
	out, err := c.encode(v)
	if err == nil {
		c.replyJSON(status, out)
	}
	return err
}

// encode writes v into c's own buffer.
func (c *Ctx) encode(v any) ([]byte, error) {
	out, err := c.matcher.codec.Append(c.out[:0], v)
	if err != nil {
		return nil, fmt.Errorf("router: a reply of type %T: %w", v, err)
	}
	c.out = kept(out)
	return out, nil
}

func (c *Ctx) replyJSON(status int, body []byte) {
	c.SetStatusCode(status)
	c.Response.Header.SetContentType(jsonType)
	c.Response.SetBody(body)
}

// Text answers with plain text in UTF-8.
func (c *Ctx) Text(status int, s string) error {
	c.SetStatusCode(status)
	c.Response.Header.SetContentType(textType)
	c.Response.SetBodyString(s)
	return nil
}

// NoContent answers 204 without a body.
func (c *Ctx) NoContent() error {
	c.SetStatusCode(fasthttp.StatusNoContent)
	c.Response.ResetBody()
	return nil
}

// Stream answers with a body of unknown length that write produces after the handler has
// returned, in chunks; w.Flush sends what is there. write runs on another goroutine and must
// not use c: what it needs of the request, the handler copies before. An error that write returns,
// and a panic, are logged and close the connection in the middle of the body; the status has been sent by
// then. Limits.WriteTimeout bounds the whole of it. For HEAD, write does not run.
func (c *Ctx) Stream(status int, contentType string, write func(w *bufio.Writer) error) error {
	c.SetStatusCode(status)
	c.Response.Header.SetContentType(contentType)
	if c.IsHead() {
		return nil
	}
	log, id := c.matcher.logger(), c.RequestID()
	s := &stream{}
	s.ReadCloser = fasthttp.NewStreamReader(func(w *bufio.Writer) {
		defer func() {
			if v := recover(); v != nil {
				s.broken.Store(true)
				log.Error("router: panic in a stream", "request_id", id, "panic", v, "stack", string(debug.Stack()))
			}
		}()
		if err := write(w); err != nil {
			s.broken.Store(true)
			log.Error("router: a stream broke off", "request_id", id, "error", err)
		}
	})
	c.SetBodyStream(s, -1)
	return nil
}

// stream is a body that ends in an error where its writer did. The connection then closes without the
// last chunk, and the client sees that something is missing (RFC 9112, section 8).
type stream struct {
	io.ReadCloser
	broken atomic.Bool
}

var errStream = errors.New("router: a stream broke off")

func (s *stream) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if err == io.EOF && s.broken.Load() {
		err = errStream
	}
	return n, err
}
