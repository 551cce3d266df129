package resource

import (
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"math"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/rapidrest/rapidrest/document"
)

// maxCursor bounds a cursor's text, so that its link stays within the 8,000 bytes of a
// request line that every server takes.
const maxCursor = 3000

// cursor says where a page starts: skip documents after the one that had these values of the
// sort fields, or after the beginning. skip is 0 as long as each page ends with a document
// whose values can be compared with; where they cannot, the place of the page before stays
// and skip grows. It cannot count from anywhere else: the documents before the values have
// been left out, so that of a position from the beginning nothing would be known. Either the
// values or skip get further with every page, so that the pages come to an end. A cursor
// belongs to a sort, which its text names by a hash. It holds values and nothing else, so a
// forged one can ask for nothing that a filter could not.
type cursor struct {
	after []value
	skip  int64
}

// sortHash names a sort within a cursor.
func sortHash(sort []sortKey) int64 {
	h := fnv.New64a()
	h.Write(sortDoc(sort))
	return int64(h.Sum64())
}

// encode writes the cursor as text that may stand in a URL.
func (c cursor) encode(sort []sortKey) string {
	start, dst := bsoncore.AppendDocumentStart(nil)
	dst = bsoncore.AppendInt64Element(dst, "s", sortHash(sort))
	if len(c.after) == 0 || c.skip > 0 {
		dst = bsoncore.AppendInt64Element(dst, "n", c.skip)
	}
	for _, v := range c.after {
		dst = v.append(dst, "k")
	}
	dst, _ = bsoncore.AppendDocumentEnd(dst, start)
	return base64.RawURLEncoding.EncodeToString(dst)
}

// decodeCursor reads a cursor's text and refuses one of another sort, or of values that the
// store cannot hold.
func decodeCursor(text string, sort []sortKey, limits *document.Limits) (cursor, error) {
	bad := func(why string) (cursor, error) {
		return cursor{}, fmt.Errorf("resource: after=%s is no cursor of this listing: %s", quote(text), why)
	}
	if len(text) > maxCursor {
		return bad("too long")
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || bson.Raw(raw).Validate() != nil {
		return bad("not understood")
	}
	elems, err := bson.Raw(raw).Elements()
	if err != nil || len(elems) < 2 || elems[0].Key() != "s" {
		return bad("not understood")
	}
	if h, ok := elems[0].Value().Int64OK(); !ok || h != sortHash(sort) {
		return bad("it belongs to another sort")
	}
	var c cursor
	values := elems[1:]
	if values[0].Key() == "n" {
		n, ok := values[0].Value().Int64OK()
		if !ok || n < 0 {
			return bad("not understood")
		}
		c.skip, values = n, values[1:]
		if len(values) == 0 {
			return c, nil
		}
	}
	if len(values) != len(sort) {
		return bad("not understood")
	}
	for _, e := range values {
		v := value{bsoncore.Type(e.Value().Type), e.Value().Value}
		if !keyable(v) || !limitsAllow(v, limits) {
			return bad("a value in it cannot be compared with")
		}
		c.after = append(c.after, v)
	}
	return c, nil
}

// next is the cursor that follows a page of n documents, of which last is the last, and which
// started at from.
func next(last bson.Raw, sort []sortKey, from cursor, n int) cursor {
	counted := cursor{after: from.after, skip: from.skip + int64(n)}
	var c cursor
	size := 0
	for _, k := range sort {
		v, ok := sortValue(last, k.field)
		if !ok {
			return counted
		}
		if size += len(v.data); size > maxCursor/2 {
			return counted
		}
		c.after = append(c.after, v)
	}
	return c
}

// sortValue finds the value that the store sorted a document by; a missing field sorts as
// null does. Where an array is on the way it is one of the array's elements, and which one
// depends on the order: such a value is not used.
func sortValue(doc bson.Raw, field string) (value, bool) {
	for {
		part, rest, more := strings.Cut(field, ".")
		v, err := doc.LookupErr(part)
		if err != nil {
			return value{typ: bsoncore.TypeNull}, true
		}
		if !more {
			found := value{bsoncore.Type(v.Type), v.Value}
			return found, keyable(found)
		}
		switch v.Type {
		case bson.TypeEmbeddedDocument:
			doc, field = v.Document(), rest
		case bson.TypeArray:
			return value{}, false
		default:
			return value{typ: bsoncore.TypeNull}, true
		}
	}
}

// limitsAllow says whether the store survives a comparison with v: what it cannot hold it
// may not be asked about either, and the embedded database hangs up on some of it.
func limitsAllow(v value, limits *document.Limits) bool {
	if *limits == (document.Limits{}) {
		return true
	}
	switch v.typ {
	case bsoncore.TypeDouble:
		f, _, ok := bsoncore.ReadDouble(v.data)
		return ok && !math.IsInf(f, 0)
	case bsoncore.TypeDecimal128, bsoncore.TypeEmbeddedDocument:
		return false
	}
	return true
}
