package router

import (
	"encoding/json"

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

// iterCodec is the default Codec: json-iterator, set to behave like encoding/json.
//
// json-iterator is lax where encoding/json is strict (it takes numbers such as 01 and
// 1., and raw newlines in strings), so Decode has encoding/json's scanner look first; that
// costs one pass and no allocation.
type iterCodec struct{ api jsoniter.API }

func defaultCodec() Codec {
	return iterCodec{jsoniter.ConfigCompatibleWithStandardLibrary}
}

func (c iterCodec) Append(dst []byte, v any) ([]byte, error) {
	s := c.api.BorrowStream(nil)
	defer c.api.ReturnStream(s)
	s.WriteVal(v)
	if s.Error != nil {
		return dst, s.Error
	}
	return append(dst, s.Buffer()...), nil
}

func (c iterCodec) Decode(data []byte, v any) error {
	if json.Valid(data) && c.api.Unmarshal(data, v) == nil {
		return nil
	}
	// Only a request that fails anyhow comes here. encoding/json decides, and says what
	// is wrong and where; its errors are part of its interface, json-iterator's are not.
	return json.Unmarshal(data, v)
}
