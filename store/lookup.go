package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rapidrest/rapidrest/document"
)

// ask finds out whether duplicates are on _id where the server did not say. Where
// _id is the only unique index they all are, which one question settles. Otherwise
// those whose _id the collection holds are, and each is looked up by itself: by
// equality, since FerretDB answers anything else by reading the whole collection.
func (c *Collection) ask(ctx context.Context, which []int, docs [][]byte, tell func(i int, onID bool)) error {
	ctx = withoutDeadline(ctx)
	others, err := c.otherUnique(ctx)
	if err != nil {
		return err
	}
	for _, i := range which {
		onID := true
		if others {
			if onID, err = c.has(ctx, docs[i]); err != nil {
				return err
			}
		}
		tell(i, onID)
	}
	return nil
}

// otherUnique says whether an index beside that on _id is unique.
func (c *Collection) otherUnique(ctx context.Context) (bool, error) {
	specs, err := c.coll.Indexes().ListSpecifications(ctx)
	if err != nil {
		return false, err
	}
	for _, s := range specs {
		if s.Name != idIndex && s.Unique != nil && *s.Unique {
			return true, nil
		}
	}
	return false, nil
}

// has says whether the collection holds a document with doc's _id.
func (c *Collection) has(ctx context.Context, doc []byte) (bool, error) {
	_, err := c.find(ctx, doc, options.FindOne().SetProjection(bson.D{{Key: "_id", Value: 1}}))
	if errors.Is(err, mongo.ErrNoDocuments) {
		return false, nil
	}
	return err == nil, err
}

// manyScans is the number of documents from which FerretDB answers one question for
// all of them sooner than one for each. It has no index for either, but compares an
// _id with a single value inside SQLite, and with many by decoding every document.
const manyScans = 24

// Holds says which documents the collection holds exactly, byte for byte. It is one
// question; a FerretDB is asked for a few documents one after the other. With an
// error, the answers are those that came before it.
func (c *Collection) Holds(ctx context.Context, docs [][]byte) (held []bool, err error) {
	ctx = withoutDeadline(ctx)
	if len(docs) < manyScans && c.s.Limits() != (document.Limits{}) {
		held, err = c.holdsEach(ctx, docs)
	} else {
		held, err = c.holdsAll(ctx, docs)
	}
	if err != nil {
		return held, fmt.Errorf("store: %s: look for documents: %w", c.ns, err)
	}
	return held, nil
}

func (c *Collection) holdsEach(ctx context.Context, docs [][]byte) (held []bool, err error) {
	for _, doc := range docs {
		found, err := c.find(ctx, doc, options.FindOne())
		if err != nil && !errors.Is(err, mongo.ErrNoDocuments) {
			return held, err
		}
		held = append(held, err == nil && bytes.Equal(found, doc))
	}
	return held, nil
}

func (c *Collection) holdsAll(ctx context.Context, docs [][]byte) ([]bool, error) {
	ids := make(bson.A, len(docs))
	places := make(map[string][]int, len(docs)) // by _id; one batch may hold it twice
	for i, doc := range docs {
		id, err := bson.Raw(doc).LookupErr("_id")
		if err != nil {
			return nil, err
		}
		ids[i] = id
		key := idKey(id)
		places[key] = append(places[key], i)
	}
	cursor, err := c.coll.Find(ctx, bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: ids}}}})
	if err != nil {
		return nil, err
	}
	held := make([]bool, len(docs))
	for cursor.Next(ctx) {
		for _, i := range places[idKey(cursor.Current.Lookup("_id"))] {
			held[i] = bytes.Equal(cursor.Current, docs[i])
		}
	}
	if err := errors.Join(cursor.Err(), cursor.Close(ctx)); err != nil {
		return nil, err
	}
	return held, nil
}

// idKey is an _id as the key of a map: its type and its bytes.
func idKey(id bson.RawValue) string { return string(append([]byte{byte(id.Type)}, id.Value...)) }

func (c *Collection) find(ctx context.Context, doc []byte, opts *options.FindOneOptionsBuilder) (bson.Raw, error) {
	id, err := bson.Raw(doc).LookupErr("_id")
	if err != nil {
		return nil, err
	}
	return c.coll.FindOne(ctx, bson.D{{Key: "_id", Value: id}}, opts).Raw()
}
