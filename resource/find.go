package resource

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/rapidrest/rapidrest/document"
)

// idFilter is {_id: value}. The value is an ObjectID, a string, a number or a UUID, never a
// document, so that it cannot be taken for an operator.
func idFilter(id document.ID) bson.Raw {
	start, dst := bsoncore.AppendDocumentStart(nil)
	dst = id.AppendElement(dst, idField)
	dst, _ = bsoncore.AppendDocumentEnd(dst, start)
	return dst
}

// find reads the one document that filter names; the error is mongo.ErrNoDocuments where
// there is none.
func (m *mount) find(ctx context.Context, collection string, filter bson.Raw) (bson.Raw, error) {
	return m.coll(collection).FindOne(ctx, filter).Raw()
}

// coll is a collection as the driver sees it.
func (m *mount) coll(name string) *mongo.Collection { return m.Store.Database().Collection(name) }

// page reads one page of a listing: its documents, one after the other as JSON, and the
// cursor of the page after it, nil where there is none.
func (m *mount) page(ctx context.Context, collection string, l *listing, out []byte) ([]byte, *cursor, error) {
	conds := l.filter
	if len(l.after.after) > 0 {
		after := afterDoc(l.sort, l.after.after)
		if after == nil {
			return append(out, "[]"...), nil, nil
		}
		conds.conds = append(conds.conds[:len(conds.conds):len(conds.conds)], after)
	}
	// One more than asked for: it says whether there is a page after this one.
	opts := options.Find().SetSort(bson.Raw(sortDoc(l.sort))).SetLimit(int64(l.limit + 1)).SetSkip(l.after.skip)
	if l.projection != nil {
		opts.SetProjection(bson.Raw(l.projection))
	}
	found, err := m.coll(collection).Find(ctx, bson.Raw(conds.doc()), opts)
	if err != nil {
		return out, nil, err
	}
	defer found.Close(context.WithoutCancel(ctx))
	return m.appendPage(ctx, found, l, out)
}

// appendPage writes what the store finds, up to the limit and to MaxPage.
func (m *mount) appendPage(ctx context.Context, found *mongo.Cursor, l *listing, out []byte) ([]byte, *cursor, error) {
	var last bson.Raw
	n, size := 0, 0
	out = append(out, '[')
	for found.Next(ctx) {
		size += len(found.Current)
		if n == l.limit || (n > 0 && size > m.MaxPage) {
			c := next(last, l.sort, l.after, n)
			return append(out, ']'), &c, nil
		}
		if n > 0 {
			out = append(out, ',')
		}
		var err error
		if out, err = document.AppendJSON(out, found.Current, document.Plain); err != nil {
			return out, nil, err
		}
		last = append(last[:0], found.Current...)
		n++
	}
	return append(out, ']'), nil, found.Err()
}
