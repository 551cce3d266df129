package document

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// A Mode is a way to write BSON as JSON.
type Mode uint8

const (
	// Plain is for readers who know nothing of MongoDB: an ObjectID is its 24 hexadecimal digits,
	// a date an RFC 3339 string, a binary its base64 (a UUID its usual form), a decimal128 a
	// number. NaN and the infinities are the strings "NaN", "Infinity" and "-Infinity". Types with
	// no such form are written as in Relaxed. The doc comment of the package has the table.
	Plain Mode = iota
	// Relaxed is relaxed Extended JSON v2: types are kept, except between the kinds of numbers.
	Relaxed
	// Canonical is canonical Extended JSON v2: all types are kept.
	Canonical
)

// String returns the name of the mode in lower case.
func (m Mode) String() string {
	switch m {
	case Plain:
		return "plain"
	case Relaxed:
		return "relaxed"
	case Canonical:
		return "canonical"
	}
	return fmt.Sprintf("Mode(%d)", uint8(m))
}

// maxWriteDepth is how deep a document may be nested to be written: what MongoDB itself takes from
// anybody (BSONDepth::kDefaultMaxAllowableDepth), which is more than it takes from users.
const maxWriteDepth = 200

// AppendJSON appends the BSON document raw to dst as JSON, in one pass and without white space. It
// is for documents of any origin: bytes that are no BSON give an error that wraps [ErrBSON], and
// then dst is returned as it was. In strings that are not UTF-8, each bad byte is written as U+FFFD.
func AppendJSON(dst, raw []byte, mode Mode) ([]byte, error) {
	n, err := documentSize(raw)
	if err == nil && n != len(raw) {
		err = invalid("%d bytes behind the document", len(raw)-n)
	}
	w := jsonWriter{out: dst, mode: mode}
	if err == nil {
		err = w.document(raw)
	}
	if err != nil {
		return w.out[:len(dst)], err
	}
	return w.out, nil
}

// A jsonWriter writes values, which valueSize has measured, to the end of out.
type jsonWriter struct {
	out   []byte
	mode  Mode
	depth int
}

func (w *jsonWriter) raw(s string) { w.out = append(w.out, s...) }

func (w *jsonWriter) document(raw []byte) error {
	w.raw("{")
	err := w.elements(raw, true)
	w.raw("}")
	return err
}

func (w *jsonWriter) array(raw []byte) error {
	w.raw("[")
	err := w.elements(raw, false)
	w.raw("]")
	return err
}

func (w *jsonWriter) elements(raw []byte, keys bool) error {
	if w.depth == maxWriteDepth {
		return invalid("nested deeper than %d", maxWriteDepth)
	}
	w.depth++
	rest := raw[4 : len(raw)-1]
	for first := true; len(rest) > 0; first = false {
		var t bson.Type
		var key, value []byte
		var err error
		if t, key, value, rest, err = element(rest); err != nil {
			return err
		}
		if !first {
			w.raw(",")
		}
		if keys {
			w.string(key)
			w.raw(":")
		}
		if err := w.value(t, value); err != nil {
			return err
		}
	}
	w.depth--
	return nil
}

// value writes a value of any type.
func (w *jsonWriter) value(t bson.Type, v []byte) error {
	switch t {
	case bson.TypeString:
		w.string(v[4 : len(v)-1])
	case bson.TypeInt32:
		w.int32(v)
	case bson.TypeInt64:
		w.int64(v)
	case bson.TypeDouble:
		w.double(v)
	case bson.TypeBoolean:
		return w.boolean(v)
	case bson.TypeNull:
		w.raw("null")
	case bson.TypeEmbeddedDocument:
		return w.document(v)
	case bson.TypeArray:
		return w.array(v)
	case bson.TypeObjectID:
		w.objectID(v)
	case bson.TypeDateTime:
		w.date(v)
	case bson.TypeBinary:
		w.binary(v)
	case bson.TypeDecimal128:
		w.decimal(v)
	default:
		return w.rareValue(t, v)
	}
	return nil
}
