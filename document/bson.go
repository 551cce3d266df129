package document

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// ErrBSON is what every error about bytes that are no BSON document wraps.
var ErrBSON = errors.New("document: invalid BSON")

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrBSON}, args...)...)
}

// documentSize returns the size of the document at the start of raw, after looking at its frame:
// the length is within raw, and the last byte is NUL.
func documentSize(raw []byte) (int, error) {
	const least = 5
	if len(raw) < least {
		return 0, invalid("%d bytes are no document", len(raw))
	}
	n := int(int32(binary.LittleEndian.Uint32(raw)))
	if n < least || n > len(raw) {
		return 0, invalid("a document of %d bytes in %d", n, len(raw))
	}
	if raw[n-1] != 0 {
		return 0, invalid("a document does not end in NUL")
	}
	return n, nil
}

// element splits the element at the start of raw into its type, key and value. rest is what
// follows it.
func element(raw []byte) (t bson.Type, key, value, rest []byte, err error) {
	t = bson.Type(raw[0])
	end := bytes.IndexByte(raw[1:], 0) + 1
	if end == 0 {
		return 0, nil, nil, nil, invalid("a key does not end")
	}
	key, rest = raw[1:end], raw[end+1:]
	n, err := valueSize(t, rest)
	if err != nil {
		return 0, nil, nil, nil, fmt.Errorf("%w, in %s", err, clip(key))
	}
	return t, key, rest[:n], rest[n:], nil
}

// valueSize returns the size of the value of type t at the start of raw. A value that it has
// measured can be read without looking at bounds again, except inside a nested document.
func valueSize(t bson.Type, raw []byte) (int, error) {
	n := 0
	var err error
	switch t {
	case bson.TypeNull, bson.TypeUndefined, bson.TypeMinKey, bson.TypeMaxKey:
	case bson.TypeBoolean:
		n = 1
	case bson.TypeInt32:
		n = 4
	case bson.TypeDouble, bson.TypeInt64, bson.TypeDateTime, bson.TypeTimestamp:
		n = 8
	case bson.TypeObjectID:
		n = 12
	case bson.TypeDecimal128:
		n = 16
	case bson.TypeString, bson.TypeSymbol, bson.TypeJavaScript:
		n, err = stringSize(raw)
	case bson.TypeEmbeddedDocument, bson.TypeArray:
		n, err = documentSize(raw)
	case bson.TypeBinary:
		n, err = binarySize(raw)
	case bson.TypeRegex:
		n, err = regexSize(raw)
	case bson.TypeDBPointer:
		n, err = stringSize(raw)
		n += 12
	case bson.TypeCodeWithScope:
		n, err = scopeSize(raw)
	default:
		err = invalid("unknown type 0x%02x", byte(t))
	}
	if err == nil && n > len(raw) {
		err = invalid("a value of %d bytes in %d", n, len(raw))
	}
	return n, err
}

func stringSize(raw []byte) (int, error) {
	if len(raw) < 5 {
		return 0, invalid("%d bytes are no string", len(raw))
	}
	n := int(int32(binary.LittleEndian.Uint32(raw)))
	if n < 1 || n > len(raw)-4 {
		return 0, invalid("a string of %d bytes in %d", n, len(raw)-4)
	}
	if raw[4+n-1] != 0 {
		return 0, invalid("a string does not end in NUL")
	}
	return 4 + n, nil
}

func binarySize(raw []byte) (int, error) {
	if len(raw) < 5 {
		return 0, invalid("%d bytes are no binary", len(raw))
	}
	n := int(int32(binary.LittleEndian.Uint32(raw)))
	if n < 0 || n > len(raw)-5 {
		return 0, invalid("a binary of %d bytes in %d", n, len(raw)-5)
	}
	if raw[4] == bson.TypeBinaryBinaryOld && (n < 4 || int(int32(binary.LittleEndian.Uint32(raw[5:]))) != n-4) {
		return 0, invalid("a binary of subtype 2 has two different lengths")
	}
	return 5 + n, nil
}

func regexSize(raw []byte) (int, error) {
	pattern := bytes.IndexByte(raw, 0) + 1
	options := bytes.IndexByte(raw[pattern:], 0) + 1
	if pattern == 0 || options == 0 {
		return 0, invalid("a regular expression does not end")
	}
	return pattern + options, nil
}

// scopeSize measures code with scope: its length, a string, a document, and nothing else.
func scopeSize(raw []byte) (int, error) {
	if len(raw) < 4 {
		return 0, invalid("%d bytes are no code with scope", len(raw))
	}
	n := int(int32(binary.LittleEndian.Uint32(raw)))
	if n < 4 || n > len(raw) {
		return 0, invalid("code with scope of %d bytes in %d", n, len(raw))
	}
	code, err := stringSize(raw[4:n])
	if err != nil {
		return 0, err
	}
	scope, err := documentSize(raw[4+code : n])
	if err != nil {
		return 0, err
	}
	if 4+code+scope != n {
		return 0, invalid("code with scope has bytes behind its scope")
	}
	return n, nil
}
