package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
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

// Holds says whether the collection holds exactly this document, byte for byte.
func (c *Collection) Holds(ctx context.Context, doc []byte) (bool, error) {
	held, err := c.find(withoutDeadline(ctx), doc, options.FindOne())
	if errors.Is(err, mongo.ErrNoDocuments) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("store: %s: look for a document: %w", c.ns, err)
	}
	return bytes.Equal(held, doc), nil
}

func (c *Collection) find(ctx context.Context, doc []byte, opts *options.FindOneOptionsBuilder) (bson.Raw, error) {
	id, err := bson.Raw(doc).LookupErr("_id")
	if err != nil {
		return nil, err
	}
	return c.coll.FindOne(ctx, bson.D{{Key: "_id", Value: id}}, opts).Raw()
}
