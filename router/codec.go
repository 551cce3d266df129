package router

import (
	"encoding/json"
	"reflect"
	"unicode/utf8"

	jsoniter "github.com/json-iterator/go"
)

// Codec turns values into JSON and back. A Table's Codec is used by every route of
// it, by many goroutines at once. An app supplies its own to swap the library.
type Codec interface {
	// Append appends v as JSON to dst. With an error, what it returns is unspecified.
	Append(dst []byte, v any) ([]byte, error)
	// Decode reads data, exactly one JSON value, into what v points to. It must not
	// keep data, nor let v point into it: the bytes die with the request.
	Decode(data []byte, v any) error
}

// iterCodec is the default Codec: json-iterator, set to behave like encoding/json, for the types with
// which it does.
//
// json-iterator is lax where encoding/json is strict (it takes numbers such as 01 and
// 1., and raw newlines in strings), so Decode has encoding/json's scanner look first; that
// costs one pass and no allocation.
type iterCodec struct {
	api   jsoniter.API
	exact *exact
}

func defaultCodec() Codec {
	return iterCodec{jsoniter.ConfigCompatibleWithStandardLibrary, &exact{}}
}

// Append lets the library write behind dst. Its stream gets its own buffer back, so that it never
// holds one of ours; after a panic it is not used again.
func (c iterCodec) Append(dst []byte, v any) ([]byte, error) {
	if !c.exact.holds(reflect.TypeOf(v)) {
		out, err := json.Marshal(v)
		return append(dst, out...), err
	}
	s := c.api.BorrowStream(nil)
	own := s.Buffer()
	s.SetBuffer(dst)
	s.WriteVal(v)
	out, err := s.Buffer(), s.Error
	s.SetBuffer(own)
	c.api.ReturnStream(s)
	if err != nil {
		return dst, err
	}
	return out, nil
}

func (c iterCodec) Decode(data []byte, v any) error {
	if c.exact.holds(reflect.TypeOf(v)) && utf8.Valid(data) && json.Valid(data) && c.api.Unmarshal(data, v) == nil {
		return nil
	}
	// Few requests come here but those that fail anyhow. encoding/json decides, and says what
	// is wrong and where; its errors are part of its interface, json-iterator's are not. And it
	// replaces invalid UTF-8, where json-iterator passes it on.
	return json.Unmarshal(data, v)
}
