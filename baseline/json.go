package baseline

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	jsoniter "github.com/json-iterator/go"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// maxDepth is how deep documents and arrays may nest, the survey document around the answers
// included: MongoDB's own limit.
const maxDepth = 100

// errUnfit marks JSON that a BSON document cannot hold.
var errUnfit = errors.New("not a document")

// appendJSON appends the JSON object in text to dst as a BSON document.
func appendJSON(dst, text []byte) ([]byte, error) {
	it := jsoniter.ConfigDefault.BorrowIterator(text)
	defer jsoniter.ConfigDefault.ReturnIterator(it)
	if it.WhatIsNext() != jsoniter.ObjectValue {
		if jsoniter.Valid(text) {
			return nil, fmt.Errorf("baseline: %w: the body is no object", errUnfit)
		}
		return nil, errors.New("baseline: the body is no JSON")
	}
	b := builder{it: it, dst: dst}
	b.object(2)
	if b.err != nil {
		return nil, b.err
	}
	if it.Error != nil {
		return nil, fmt.Errorf("baseline: the body is no JSON: %w", it.Error)
	}
	// Only white space may follow; the iterator says io.EOF when it finds nothing more.
	if it.WhatIsNext() != jsoniter.InvalidValue || it.Error != io.EOF {
		return nil, errors.New("baseline: the body goes on after the JSON object")
	}
	return b.dst, nil
}

// builder walks a JSON text and appends each value as BSON.
type builder struct {
	it  *jsoniter.Iterator
	dst []byte
	err error // the first thing BSON cannot hold; what is no JSON is in it.Error
}

func (b *builder) object(depth int) {
	start, dst := bsoncore.AppendDocumentStart(b.dst)
	b.dst = dst
	b.it.ReadMapCB(func(_ *jsoniter.Iterator, key string) bool {
		return b.element(key, depth)
	})
	b.end(start)
}

func (b *builder) array(depth int) {
	start, dst := bsoncore.AppendArrayStart(b.dst)
	b.dst = dst
	n := 0
	b.it.ReadArrayCB(func(*jsoniter.Iterator) bool {
		n++
		return b.element(strconv.Itoa(n-1), depth)
	})
	b.end(start)
}

func (b *builder) end(start int32) {
	dst, err := bsoncore.AppendDocumentEnd(b.dst, start)
	b.dst = dst
	b.fail(err)
}

// element appends one value under key and says whether to go on.
func (b *builder) element(key string, depth int) bool {
	if strings.IndexByte(key, 0) >= 0 {
		b.fail(fmt.Errorf("baseline: %w: NUL in the key %q", errUnfit, key)) // bsoncore would panic
		return false
	}
	switch b.it.WhatIsNext() {
	case jsoniter.StringValue:
		b.dst = bsoncore.AppendStringElement(b.dst, key, b.it.ReadString())
	case jsoniter.NumberValue:
		b.number(key, string(b.it.ReadNumber()))
	case jsoniter.BoolValue:
		b.dst = bsoncore.AppendBooleanElement(b.dst, key, b.it.ReadBool())
	case jsoniter.NilValue:
		b.it.ReadNil()
		b.dst = bsoncore.AppendNullElement(b.dst, key)
	case jsoniter.ObjectValue:
		b.dst = bsoncore.AppendHeader(b.dst, bsoncore.TypeEmbeddedDocument, key)
		b.nested(depth, b.object)
	case jsoniter.ArrayValue:
		b.dst = bsoncore.AppendHeader(b.dst, bsoncore.TypeArray, key)
		b.nested(depth, b.array)
	default:
		b.fail(fmt.Errorf("baseline: no value after the key %q", key))
	}
	return b.err == nil && b.it.Error == nil
}

func (b *builder) nested(depth int, value func(depth int)) {
	if depth == maxDepth {
		b.fail(fmt.Errorf("baseline: %w: nested deeper than %d", errUnfit, maxDepth))
		return
	}
	value(depth + 1)
}

// number appends a whole number as int32 if it fits, else int64, and any other as a double.
func (b *builder) number(key, text string) {
	if strings.ContainsAny(text, ".eE") || text == "-0" {
		f, err := strconv.ParseFloat(text, 64)
		b.failNumber(text, err)
		b.dst = bsoncore.AppendDoubleElement(b.dst, key, f)
		return
	}
	n, err := strconv.ParseInt(text, 10, 64)
	b.failNumber(text, err)
	if n >= math.MinInt32 && n <= math.MaxInt32 {
		b.dst = bsoncore.AppendInt32Element(b.dst, key, int32(n))
	} else {
		b.dst = bsoncore.AppendInt64Element(b.dst, key, n)
	}
}

func (b *builder) failNumber(text string, err error) {
	switch {
	case err == nil:
	case errors.Is(err, strconv.ErrRange):
		b.fail(fmt.Errorf("baseline: %w: the number %q is out of range", errUnfit, text))
	default:
		b.fail(fmt.Errorf("baseline: %q is no JSON number", text))
	}
}

func (b *builder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}
