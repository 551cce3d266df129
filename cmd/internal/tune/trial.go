package tune

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/client"
	"github.com/rapidrest/rapidrest/document"
	"github.com/rapidrest/rapidrest/store"
)

// A Setting is one way to run the buffer.
type Setting struct {
	Size     int           `json:"size"`
	Inflight int           `json:"inflight"`
	Linger   time.Duration `json:"linger_ns"`
}

func (s Setting) config() batch.Config {
	linger := s.Linger
	if linger == 0 {
		linger = -1 // batch's way to say: not at all
	}
	return batch.Config{Name: "tune", Size: s.Size, Inflight: s.Inflight, Linger: linger, Level: batch.Accept}
}

// surveys are the client's three survey answers as documents, made once: what is measured is
// the way of a document from the buffer on.
func surveys() ([][]byte, error) {
	var docs [][]byte
	for _, answers := range client.SurveyAnswers() {
		text := fmt.Appendf(nil, `{"user":"00000000","answers":%s}`, answers)
		doc, _, err := document.Append(nil, text, &document.Options{})
		if err != nil {
			return nil, fmt.Errorf("tune: %w", err)
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

// idAt is where the twelve bytes of the ObjectID lie in a document that begins with it: behind
// the length, the type, and "_id" with its NUL.
const idAt = 4 + 1 + 4

// trial stores n documents in a fresh collection and returns how many a second that were. The
// buffer holds all of them, so that nothing but the store keeps it waiting.
func trial(ctx context.Context, s *store.Store, docs [][]byte, at Setting, n int) (rate float64, err error) {
	collection := "tune_" + bson.NewObjectID().Hex()
	config := at.config()
	config.Pending = n
	buf, err := batch.Open(s.Collection(collection), config)
	if err != nil {
		return 0, fmt.Errorf("tune: %w", err)
	}
	defer func() {
		drop := s.Database().Collection(collection).Drop(context.WithoutCancel(ctx))
		err = errors.Join(err, buf.Close(ctx), drop)
	}()
	start := time.Now()
	for i := range n {
		doc := docs[i%len(docs)]
		id := bson.NewObjectID()
		copy(doc[idAt:], id[:])
		if _, err := buf.Add(doc); err != nil {
			return 0, fmt.Errorf("tune: %w", err)
		}
	}
	if err := buf.Flush(ctx); err != nil {
		return 0, fmt.Errorf("tune: %w", err)
	}
	seconds := time.Since(start).Seconds()
	if stored := buf.Stats().Stored; stored != uint64(n) {
		return 0, fmt.Errorf("tune: %d of %d documents were stored", stored, n)
	}
	return float64(n) / seconds, nil
}
