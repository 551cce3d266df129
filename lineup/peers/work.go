package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rapidrest/rapidrest/document"
)

// A reply is what a router sends.
type reply struct {
	status int
	kind   string // content type
	body   []byte
}

const jsonType = "application/json"

func problem(status int, err error) reply {
	return reply{status, "application/problem+json", fmt.Appendf(nil, `{"status":%d,"detail":%q}`, status, err.Error())}
}

// work is what the routes do, whoever serves them.
type work struct {
	db  *mongo.Database
	buf *buffer
}

func newWork(db *mongo.Database, size int) *work {
	w := &work{db: db}
	w.buf = newBuffer(size, func(collection string, docs []any) error {
		ctx, cancel := w.timeout()
		defer cancel()
		_, err := db.Collection(collection).InsertMany(ctx, docs, options.InsertMany().SetOrdered(false))
		return err
	})
	return w
}

func (w *work) close(ctx context.Context) error { return w.buf.close(ctx) }

func (w *work) timeout() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), 10*time.Second)
}

func (w *work) hello() reply {
	return reply{200, "text/plain; charset=utf-8", []byte("Hello world!")}
}

func (w *work) timestamp() reply {
	return reply{200, jsonType, fmt.Appendf(nil, `{"timestamp":%d}`, time.Now().UnixMilli())}
}

func (w *work) newDocument() reply {
	b := document.Build(nil, nil)
	b.String("title", "Document "+newUUID())
	doc, _, err := b.End()
	if err == nil {
		err = w.insert("documents", doc)
	}
	return w.document(201, doc, err)
}

func (w *work) firstDocument() reply {
	ctx, cancel := w.timeout()
	defer cancel()
	doc, err := w.db.Collection("documents").FindOne(ctx, bson.D{}).Raw()
	if errors.Is(err, mongo.ErrNoDocuments) {
		return problem(404, err)
	}
	return w.document(200, doc, err)
}

func (w *work) document(status int, doc []byte, err error) reply {
	if err != nil {
		return problem(503, err)
	}
	body, err := document.AppendJSON(nil, doc, document.Plain)
	if err != nil {
		return problem(500, err)
	}
	return reply{status, jsonType, body}
}

// survey stores {user, answers} and answers when it is stored.
func (w *work) survey(survey, user string, body []byte) reply {
	doc, id, bad := build(user, body)
	if bad != nil {
		return *bad
	}
	if err := w.insert(survey, doc); err != nil {
		return problem(503, err)
	}
	return idReply(201, id)
}

func (w *work) surveyBatched(survey, user string, body []byte) reply {
	doc, id, bad := build(user, body)
	if bad != nil {
		return *bad
	}
	w.buf.add(survey, bson.Raw(doc))
	return idReply(202, id)
}

func (w *work) surveyNoDB(_, user string, body []byte) reply {
	if _, _, bad := build(user, body); bad != nil {
		return *bad
	}
	return reply{200, jsonType, []byte(`{"stored":false}`)}
}

// upsert puts the answers in the place of what the user answered before.
func (w *work) upsert(survey, user string, body []byte) reply {
	doc, _, bad := build(user, body)
	if bad != nil {
		return *bad
	}
	ctx, cancel := w.timeout()
	defer cancel()
	set := bson.D{{Key: "$set", Value: bson.D{{Key: "answers", Value: bson.Raw(doc).Lookup("answers")}}}}
	if _, err := w.db.Collection(survey).UpdateByID(ctx, user, set, options.UpdateOne().SetUpsert(true)); err != nil {
		return problem(503, err)
	}
	return reply{200, jsonType, []byte(`{"stored":true}`)}
}

// build makes {_id, user, answers} of a request, or the reply that refuses it.
func build(user string, body []byte) (doc []byte, id document.ID, bad *reply) {
	b := document.Build(make([]byte, 0, len(body)+len(user)+64), nil)
	b.String("user", user)
	b.JSON("answers", body)
	doc, id, err := b.End()
	if err != nil {
		status := 400
		if e := (*document.Error)(nil); errors.As(err, &e) && e.Kind == document.Unfit {
			status = 422
		}
		p := problem(status, err)
		return nil, id, &p
	}
	if bytes.TrimLeft(body, " \t\r\n")[0] != '{' {
		p := problem(422, errors.New("the answers are no JSON object"))
		return nil, id, &p
	}
	return doc, id, nil
}

func (w *work) insert(collection string, doc []byte) error {
	ctx, cancel := w.timeout()
	defer cancel()
	_, err := w.db.Collection(collection).InsertOne(ctx, bson.Raw(doc))
	return err
}

func idReply(status int, id document.ID) reply {
	body, err := id.AppendJSON([]byte(`{"_id":`))
	if err != nil {
		return problem(500, err)
	}
	return reply{status, jsonType, append(body, '}')}
}

// newUUID returns a random UUID, version 4 of RFC 9562.
func newUUID() string {
	var u [16]byte
	rand.Read(u[:]) // never fails since Go 1.24
	u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
