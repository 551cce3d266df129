package store

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/rapidrest/rapidrest/document"
)

// Limits says what the server cannot hold, so that it is refused before a
// document is promised a place. As long as no server has answered, that is
// everything that any known server cannot hold.
func (s *Store) Limits() document.Limits {
	if l := s.limits.Load(); l != nil {
		return *l
	}
	return document.FerretDB()
}

// learn asks the server what it is and keeps the answer. A server that refuses to
// say is taken for MongoDB, which has no limits of its own.
func (s *Store) learn(ctx context.Context) error {
	info, err := s.db.RunCommand(ctx, bson.D{{Key: "buildInfo", Value: 1}}).Raw()
	var refused mongo.CommandError
	if err != nil && !(errors.As(err, &refused) && refused.Code != 0) {
		return err
	}
	limits := limitsOf(info)
	s.limits.Store(&limits)
	return nil
}

// acquaint makes up for a question that Open could not ask, now that the server has
// answered something. If it fails, the next insert asks again.
func (s *Store) acquaint(ctx context.Context) {
	if s.limits.Load() == nil {
		_ = s.learn(ctx)
	}
}

// limitsOf reads the answer to buildInfo. FerretDB 1 names itself in
// ferretdbVersion; FerretDB 2 stores BSON as MongoDB does and has a document
// ferretdb there.
func limitsOf(info bson.Raw) document.Limits {
	if _, err := info.LookupErr("ferretdbVersion"); err == nil {
		return document.FerretDB()
	}
	return document.Limits{}
}
