package scenario

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/valyala/fasthttp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/rapidrest/rapidrest/document"
	"github.com/rapidrest/rapidrest/router"
)

func hello(c *router.Ctx) error { return c.Text(fasthttp.StatusOK, "Hello world!") }

type stamp struct {
	Timestamp int64 `json:"timestamp"`
}

func timestamp(*router.Ctx, struct{}) (stamp, error) {
	return stamp{time.Now().UnixMilli()}, nil
}

func (s *Server) newDocument(c *router.Ctx) error {
	buf := s.scratch.Get().(*[]byte)
	defer s.scratch.Put(buf)
	b := document.Build((*buf)[:0], &s.opts)
	b.String("title", "Document "+newUUID())
	doc, _, err := b.End()
	*buf = doc
	if err != nil {
		return err
	}
	if err := s.insert(c, "documents", doc); err != nil {
		return err
	}
	return writeDocument(c, fasthttp.StatusCreated, doc)
}

func (s *Server) firstDocument(c *router.Ctx) error {
	none := router.NewProblem(fasthttp.StatusNotFound, "there is no document")
	if s.cfg.Store == nil {
		return none
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	doc, err := s.cfg.Store.Database().Collection("documents").FindOne(ctx, bson.D{}).Raw()
	switch {
	case errors.Is(err, mongo.ErrNoDocuments):
		return none
	case err != nil:
		return s.unavailable(c, err)
	}
	return writeDocument(c, fasthttp.StatusOK, doc)
}

func writeDocument(c *router.Ctx, status int, doc []byte) error {
	body, err := document.AppendJSON(nil, doc, document.Plain)
	if err != nil {
		return err
	}
	c.SetStatusCode(status)
	c.SetContentType("application/json")
	c.Response.SetBodyRaw(body)
	return nil
}

// newUUID returns a random UUID, version 4 of RFC 9562.
func newUUID() string {
	var u [16]byte
	rand.Read(u[:]) // never fails since Go 1.24
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
