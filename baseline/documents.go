package baseline

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strconv"
	"time"

	jsoniter "github.com/json-iterator/go"
	"github.com/valyala/fasthttp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// document is what POST /documents stores and both /documents routes return.
type document struct {
	ID    bson.ObjectID `bson:"_id" json:"_id"`
	Title string        `bson:"title" json:"title"`
}

func timestamp(ctx *fasthttp.RequestCtx) {
	ctx.SetContentType("application/json")
	var buf [40]byte
	body := append(buf[:0], `{"timestamp":`...)
	body = strconv.AppendInt(body, time.Now().UnixMilli(), 10)
	ctx.SetBody(append(body, '}'))
}

func (s *Server) newDocument(ctx *fasthttp.RequestCtx) {
	doc := document{ID: bson.NewObjectID(), Title: "Document " + newUUID()}
	if s.db != nil {
		c, cancel := context.WithTimeout(context.Background(), insertTimeout)
		defer cancel()
		if _, err := s.db.Collection("documents").InsertOne(c, doc); err != nil {
			s.unavailable(ctx, err)
			return
		}
	}
	s.writeDocument(ctx, fasthttp.StatusCreated, &doc)
}

func (s *Server) firstDocument(ctx *fasthttp.RequestCtx) {
	if s.db == nil {
		problem(ctx, fasthttp.StatusNotFound, "there is no document")
		return
	}
	c, cancel := context.WithTimeout(context.Background(), insertTimeout)
	defer cancel()
	var doc document
	switch err := s.db.Collection("documents").FindOne(c, bson.D{}).Decode(&doc); {
	case err == nil:
		s.writeDocument(ctx, fasthttp.StatusOK, &doc)
	case errors.Is(err, mongo.ErrNoDocuments):
		problem(ctx, fasthttp.StatusNotFound, "there is no document")
	default:
		s.unavailable(ctx, err)
	}
}

func (s *Server) writeDocument(ctx *fasthttp.RequestCtx, status int, doc *document) {
	body, err := jsoniter.ConfigFastest.Marshal(doc)
	if err != nil {
		s.log.Error("baseline: document not written", "error", err)
		problem(ctx, fasthttp.StatusInternalServerError, "")
		return
	}
	ctx.SetStatusCode(status)
	ctx.SetContentType("application/json")
	ctx.SetBody(body)
}

// newUUID returns a random UUID, version 4 of RFC 9562.
func newUUID() string {
	var u [16]byte
	rand.Read(u[:]) // never fails since Go 1.24
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	var text [36]byte
	hex.Encode(text[0:8], u[0:4])
	hex.Encode(text[9:13], u[4:6])
	hex.Encode(text[14:18], u[6:8])
	hex.Encode(text[19:23], u[8:10])
	hex.Encode(text[24:36], u[10:16])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:])
}
