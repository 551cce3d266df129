package resource

import (
	"encoding/json"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/rapidrest/rapidrest/document"
)

// value is one BSON value: its type and its bytes.
type value struct {
	typ  bsoncore.Type
	data []byte
}

func (v value) append(dst []byte, key string) []byte {
	return append(bsoncore.AppendHeader(dst, v.typ, key), v.data...)
}

// valueOf types the text of a query parameter: what is JSON is that JSON value, everything
// else the string itself. So 5 is a number, "5" a string, true a boolean, Ann a string. For
// _id, 24 hex digits are an ObjectID, as they are in a path.
//
// The JSON goes through document, so that it can be nothing that a posted document cannot
// be: no key starts with $, and no operator comes of it.
func valueOf(field, text string, opts *document.Options) (value, error) {
	if field == idField {
		if id, err := document.ParseID(text, document.ObjectID); err == nil {
			return value{bsoncore.Type(id.Type), id.Value}, nil
		}
	}
	b := document.Build(nil, opts)
	b.JSON("v", []byte(text))
	doc, _, err := b.End()
	if e, ok := errors.AsType[*document.Error](err); ok && e.Kind == document.Syntax {
		return stringValue(text), nil
	}
	if err != nil {
		return value{}, fmt.Errorf("resource: the value %s of %s: %w", quote(text), quote(field), err)
	}
	v, err := bsoncore.Document(doc).LookupErr("v")
	if err != nil {
		return value{}, fmt.Errorf("resource: the value %s of %s: %w", quote(text), quote(field), err)
	}
	if !comparableType(v.Type) {
		return value{}, fmt.Errorf("resource: the value %s of %s: a %s cannot be compared with", quote(text), quote(field), v.Type)
	}
	return value{v.Type, v.Data}, nil
}

func stringValue(s string) value {
	return value{bsoncore.TypeString, bsoncore.AppendString(nil, s)}
}

// comparableType says which types a client may compare with. A regular expression would be
// run as a pattern within $in, and code is never a value.
func comparableType(t bsoncore.Type) bool {
	switch t {
	case bsoncore.TypeRegex, bsoncore.TypeJavaScript, bsoncore.TypeCodeWithScope,
		bsoncore.TypeDBPointer, bsoncore.TypeSymbol, bsoncore.TypeUndefined:
		return false
	}
	return true
}

// valuesOf types the list of an "in": a JSON array, or values with commas between them.
func valuesOf(field, text string, opts *document.Options) ([]value, error) {
	if len(text) > 0 && text[0] == '[' && json.Valid([]byte(text)) {
		var items []json.RawMessage
		if err := json.Unmarshal([]byte(text), &items); err != nil {
			return nil, fmt.Errorf("resource: the list of %s: %w", quote(field), err)
		}
		vs := make([]value, 0, len(items))
		for _, item := range items {
			// A string in the array is typed by its content for _id only: ["65…"] holds ids.
			v, err := valueOf(field, elementText(field, item), opts)
			if err != nil {
				return nil, err
			}
			vs = append(vs, v)
		}
		return vs, nil
	}
	var vs []value
	for item := range splitComma(text) {
		v, err := valueOf(field, item, opts)
		if err != nil {
			return nil, err
		}
		vs = append(vs, v)
	}
	return vs, nil
}

// elementText is an element of a JSON list as valueOf takes it.
func elementText(field string, item json.RawMessage) string {
	var s string
	if field == idField && json.Unmarshal(item, &s) == nil {
		if _, err := document.ParseID(s, document.ObjectID); err == nil {
			return s
		}
	}
	return string(item)
}
