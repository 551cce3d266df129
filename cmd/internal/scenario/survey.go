package scenario

import (
	"bytes"
	"context"
	"errors"

	"github.com/valyala/fasthttp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/document"
	"github.com/rapidrest/rapidrest/resource"
	"github.com/rapidrest/rapidrest/router"
)

// survey stores {user, answers} and answers when it is stored.
func (s *Server) survey(c *router.Ctx) error {
	buf := s.scratch.Get().(*[]byte)
	defer s.scratch.Put(buf)
	id, err := s.read(c, s.surveySlots, buf)
	if err != nil {
		return err
	}
	if err := s.insert(c, string(c.ParamBytes(s.surveySlots.survey)), *buf); err != nil {
		return err
	}
	return writeID(c, fasthttp.StatusCreated, id)
}

// upsert puts the answers in the place of what the user answered before.
func (s *Server) upsert(c *router.Ctx) error {
	buf := s.scratch.Get().(*[]byte)
	defer s.scratch.Put(buf)
	if _, err := s.read(c, s.upsertSlots, buf); err != nil {
		return err
	}
	if s.cfg.Store != nil {
		ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
		defer cancel()
		collection := s.cfg.Store.Database().Collection(string(c.ParamBytes(s.upsertSlots.survey)))
		set := bson.D{{Key: "$set", Value: bson.D{{Key: "answers", Value: bson.Raw(*buf).Lookup("answers")}}}}
		user := string(c.ParamBytes(s.upsertSlots.user))
		if _, err := collection.UpdateByID(ctx, user, set, options.UpdateOne().SetUpsert(true)); err != nil {
			return s.unavailable(c, err)
		}
	}
	return c.JSON(fasthttp.StatusOK, struct {
		Stored bool `json:"stored"`
	}{true})
}

// surveyBatched hands {user, answers} to the survey's buffer and answers.
func (s *Server) surveyBatched(c *router.Ctx) error {
	buf := s.scratch.Get().(*[]byte)
	defer s.scratch.Put(buf)
	id, err := s.read(c, s.batchedSlots, buf)
	if err != nil {
		return err
	}
	buffer, err := s.buffers.Buffer(string(c.ParamBytes(s.batchedSlots.survey)))
	if err != nil {
		return s.unavailable(c, err)
	}
	if _, err := buffer.Add(*buf); err != nil {
		return s.unavailable(c, err)
	}
	return writeID(c, fasthttp.StatusAccepted, id)
}

// surveyNoDB makes the document and drops it.
func (s *Server) surveyNoDB(c *router.Ctx) error {
	buf := s.scratch.Get().(*[]byte)
	defer s.scratch.Put(buf)
	if _, err := s.read(c, s.noDBSlots, buf); err != nil {
		return err
	}
	return c.JSON(fasthttp.StatusOK, struct {
		Stored bool `json:"stored"`
	}{false})
}

// read turns the request into the document {_id, user, answers}, in buf.
func (s *Server) read(c *router.Ctx, slots surveySlots, buf *[]byte) (document.ID, error) {
	if !resource.ValidCollection(string(c.ParamBytes(slots.survey))) {
		return document.ID{}, router.NewProblem(fasthttp.StatusBadRequest, "no survey has such a name")
	}
	body := c.PostBody()
	b := document.Build((*buf)[:0], &s.opts)
	b.String("user", string(c.ParamBytes(slots.user)))
	b.JSON("answers", body)
	doc, id, err := b.End()
	*buf = doc
	if err != nil {
		return id, refusal(err)
	}
	if body = bytes.TrimLeft(body, " \t\r\n"); body[0] != '{' {
		return id, router.NewProblem(fasthttp.StatusUnprocessableEntity, "the answers are no JSON object")
	}
	return id, nil
}

// refusal is the problem of a body that makes no document.
func refusal(err error) error {
	var e *document.Error
	if !errors.As(err, &e) {
		return router.NewProblem(fasthttp.StatusUnprocessableEntity, err.Error())
	}
	status := fasthttp.StatusBadRequest
	switch e.Kind {
	case document.Unfit:
		status = fasthttp.StatusUnprocessableEntity
	case document.TooLarge:
		status = fasthttp.StatusRequestEntityTooLarge
	}
	return router.NewProblem(status, e.Error()).With("offset", e.Offset).With("pointer", e.Pointer)
}

// insert stores one document by itself.
func (s *Server) insert(c *router.Ctx, collection string, doc []byte) error {
	if s.cfg.Store == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	outcomes, err := s.cfg.Store.Collection(collection).Insert(ctx, [][]byte{doc})
	switch {
	case err != nil:
		return s.unavailable(c, err)
	case outcomes[0].Kind == batch.Stored:
		return nil
	case outcomes[0].Retry:
		return s.unavailable(c, errors.New(outcomes[0].Reason))
	}
	return router.NewProblem(fasthttp.StatusUnprocessableEntity, outcomes[0].Reason)
}

func (s *Server) unavailable(c *router.Ctx, err error) error {
	s.cfg.Logger.Error("scenario: database", "error", err)
	c.Response.Header.Set("Retry-After", "1")
	return router.NewProblem(fasthttp.StatusServiceUnavailable, "the database did not answer as it should")
}

func writeID(c *router.Ctx, status int, id document.ID) error {
	var buf [40]byte
	body, err := id.AppendJSON(append(buf[:0], `{"_id":`...))
	if err != nil {
		return err
	}
	c.SetStatusCode(status)
	c.SetContentType("application/json")
	c.SetBody(append(body, '}'))
	return nil
}
