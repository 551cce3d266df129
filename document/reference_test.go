package document_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/document"
)

// The reference is the contract once more, written for clarity and with other tools: encoding/json
// says what is JSON and reads it token by token, math/big judges integers, and the driver
// marshals the result. It allocates as it likes.

var fixedID = [12]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}

// fixed returns options whose generated id is always fixedID.
func fixed(o document.Options) *document.Options {
	o.NewID = func() [12]byte { return fixedID }
	return &o
}

// isJSON is RFC 8259 with the encoding of its section 8.1.
func isJSON(text []byte) bool { return json.Valid(text) && utf8.Valid(text) }

// reference returns the document that text stands for, and whether it can be one. The text must be
// JSON.
func reference(t testing.TB, text []byte) (bson.D, bool) {
	if loneSurrogate(text) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	tok, err := d.Token()
	if err != nil {
		t.Fatalf("reference: %v in %q", err, text)
	}
	if tok != json.Delim('{') {
		return nil, false
	}
	doc, ok := referenceObject(d, 1)
	if !ok {
		return nil, false
	}
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("reference: trailing data in %q", text)
	}
	return referenceID(doc)
}

// referenceID puts _id first.
func referenceID(doc bson.D) (bson.D, bool) {
	sorted := bson.D{{Key: "_id", Value: bson.ObjectID(fixedID)}}
	for _, e := range doc {
		if e.Key != "_id" {
			sorted = append(sorted, e)
			continue
		}
		switch e.Value.(type) {
		case nil, bson.A:
			return nil, false
		}
		sorted[0] = e
	}
	return sorted, true
}

func referenceObject(d *json.Decoder, depth int) (bson.D, bool) {
	if depth > 100 {
		return nil, false
	}
	doc, seen := bson.D{}, map[string]bool{}
	for d.More() {
		tok, _ := d.Token()
		key := tok.(string)
		if seen[key] || strings.HasPrefix(key, "$") || strings.Contains(key, "\x00") {
			return nil, false
		}
		seen[key] = true
		v, ok := referenceValue(d, depth)
		if !ok {
			return nil, false
		}
		doc = append(doc, bson.E{Key: key, Value: v})
	}
	d.Token()
	return doc, true
}

func referenceValue(d *json.Decoder, depth int) (any, bool) {
	tok, _ := d.Token()
	switch v := tok.(type) {
	case json.Delim:
		if v == '{' {
			return referenceObject(d, depth+1)
		}
		return referenceArray(d, depth+1)
	case json.Number:
		return referenceNumber(string(v))
	}
	return tok, true
}

func referenceArray(d *json.Decoder, depth int) (bson.A, bool) {
	if depth > 100 {
		return nil, false
	}
	a := bson.A{}
	for d.More() {
		v, ok := referenceValue(d, depth)
		if !ok {
			return nil, false
		}
		a = append(a, v)
	}
	d.Token()
	return a, true
}

func referenceNumber(s string) (any, bool) {
	if strings.ContainsAny(s, ".eE") {
		f, err := strconv.ParseFloat(s, 64)
		return f, err == nil
	}
	if s == "-0" {
		return math.Copysign(0, -1), true
	}
	n, _ := new(big.Int).SetString(s, 10)
	switch {
	case !n.IsInt64():
		return nil, false
	case n.Int64() == int64(int32(n.Int64())):
		return int32(n.Int64()), true
	}
	return n.Int64(), true
}

// loneSurrogate looks for half a surrogate pair in the escapes of a JSON text.
func loneSurrogate(text []byte) bool {
	unit := func(i int) uint64 {
		if i+6 > len(text) || text[i] != '\\' || text[i+1] != 'u' {
			return 0
		}
		v, _ := strconv.ParseUint(string(text[i+2:i+6]), 16, 16)
		return v
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		switch u := unit(i); {
		case 0xD800 <= u && u < 0xDC00:
			if low := unit(i + 6); low < 0xDC00 || low > 0xDFFF {
				return true
			}
			i += 11
		case 0xDC00 <= u && u <= 0xDFFF:
			return true
		default:
			i++
		}
	}
	return false
}

// mustMarshal is the driver's idea of a document.
func mustMarshal(t testing.TB, v any) []byte {
	t.Helper()
	raw, err := bson.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
