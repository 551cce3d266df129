package baseline

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"unicode"

	"github.com/valyala/fasthttp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// unordered lets one bad document fail by itself.
var unordered = options.InsertMany().SetOrdered(false)

var orInsert = options.UpdateOne().SetUpsert(true)

// survey answers POST /survey, /surveybatched and /surveynodb.
func (s *Server) survey(ctx *fasthttp.RequestCtx, path []byte) {
	kind, survey, user, ok := splitSurvey(path)
	if !ok {
		problem(ctx, fasthttp.StatusNotFound, "nothing is here")
		return
	}
	if !validName(survey) {
		problem(ctx, fasthttp.StatusBadRequest, "no survey has such a name")
		return
	}
	id := bson.NewObjectID()
	doc, err := newSurvey(id, user, ctx.PostBody())
	if err != nil {
		refuse(ctx, err)
		return
	}
	switch string(kind) {
	case "surveynodb":
		ctx.SetContentType("application/json")
		ctx.SetBodyString(`{"stored":false}`)
	case "surveybatched":
		if err := s.buffer.add(string(survey), doc); err != nil {
			problem(ctx, fasthttp.StatusServiceUnavailable, err.Error())
			return
		}
		writeID(ctx, fasthttp.StatusAccepted, id)
	default:
		if err := s.insertOne(string(survey), doc); err != nil {
			s.unavailable(ctx, err)
			return
		}
		writeID(ctx, fasthttp.StatusCreated, id)
	}
}

// upsert answers PUT /survey: the answers take the place of what the user answered before.
func (s *Server) upsert(ctx *fasthttp.RequestCtx, path []byte) {
	kind, survey, user, ok := splitSurvey(path)
	if !ok || string(kind) != "survey" {
		problem(ctx, fasthttp.StatusNotFound, "nothing is here")
		return
	}
	if !validName(survey) {
		problem(ctx, fasthttp.StatusBadRequest, "no survey has such a name")
		return
	}
	answers, err := appendJSON(nil, ctx.PostBody())
	if err != nil {
		refuse(ctx, err)
		return
	}
	if s.db != nil {
		c, cancel := context.WithTimeout(context.Background(), insertTimeout)
		defer cancel()
		set := bson.D{{Key: "$set", Value: bson.D{{Key: "answers", Value: bson.Raw(answers)}}}}
		if _, err := s.db.Collection(string(survey)).UpdateByID(c, string(user), set, orInsert); err != nil {
			s.unavailable(ctx, err)
			return
		}
	}
	ctx.SetContentType("application/json")
	ctx.SetBodyString(`{"stored":true}`)
}

// refuse answers a body that makes no document.
func refuse(ctx *fasthttp.RequestCtx, err error) {
	status := fasthttp.StatusBadRequest
	if errors.Is(err, errUnfit) {
		status = fasthttp.StatusUnprocessableEntity
	}
	problem(ctx, status, err.Error())
}

// splitSurvey splits /kind/survey/user, if kind is one of the three and the others are not empty.
func splitSurvey(path []byte) (kind, survey, user []byte, ok bool) {
	kind, rest, _ := bytes.Cut(path[1:], slash)
	switch string(kind) {
	case "survey", "surveybatched", "surveynodb":
	default:
		return nil, nil, nil, false
	}
	survey, user, _ = bytes.Cut(rest, slash)
	ok = len(survey) > 0 && len(user) > 0 && bytes.IndexByte(user, '/') < 0
	return kind, survey, user, ok
}

// validName says whether a survey may name a collection: letters, digits, "_", "-" and ".", with
// nothing at its ends that MongoDB or a path reads in its own way. Quotes and spaces could reach
// the SQL of an embedded database.
func validName(survey []byte) bool {
	if len(survey) == 0 || len(survey) > 120 || bytes.HasPrefix(survey, []byte("system.")) ||
		survey[0] == '.' || survey[0] == '-' || survey[len(survey)-1] == '.' {
		return false
	}
	for _, r := range string(survey) {
		if r != '_' && r != '-' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}

var slash = []byte{'/'}

// newSurvey returns the BSON document {_id, user, answers}. It is the caller's to keep.
func newSurvey(id bson.ObjectID, user, answers []byte) (bson.Raw, error) {
	doc := make([]byte, 0, len(answers)+len(user)+64)
	start, doc := bsoncore.AppendDocumentStart(doc)
	doc = bsoncore.AppendObjectIDElement(doc, "_id", id)
	doc = bsoncore.AppendStringElement(doc, "user", string(user))
	doc = bsoncore.AppendHeader(doc, bsoncore.TypeEmbeddedDocument, "answers")
	doc, err := appendJSON(doc, answers)
	if err != nil {
		return nil, err
	}
	return bsoncore.AppendDocumentEnd(doc, start)
}

func (s *Server) insertOne(collection string, doc bson.Raw) error {
	if s.db == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), insertTimeout)
	defer cancel()
	_, err := s.db.Collection(collection).InsertOne(ctx, doc)
	return err
}

func writeID(ctx *fasthttp.RequestCtx, status int, id bson.ObjectID) {
	ctx.SetStatusCode(status)
	ctx.SetContentType("application/json")
	var buf [40]byte
	body := append(buf[:0], `{"_id":"`...)
	body = hex.AppendEncode(body, id[:])
	ctx.SetBody(append(body, `"}`...))
}

func (s *Server) unavailable(ctx *fasthttp.RequestCtx, err error) {
	s.log.Error("baseline: database", "error", err)
	ctx.Response.Header.Set("Retry-After", "1")
	problem(ctx, fasthttp.StatusServiceUnavailable, "the database did not answer as it should")
}
