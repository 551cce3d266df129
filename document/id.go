package document

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// An ID is the _id of a document. The zero ID is none.
type ID struct {
	// Type is the BSON type of the value.
	Type bson.Type
	// Value is the value as BSON has it. In an ID from [Append], a [Reader] or a [Builder] it is a
	// view into the document and dies with it.
	Value []byte
	// Generated says that the text had no _id, so that this ObjectID is unique by construction.
	Generated bool
}

// AppendJSON appends the id as plain JSON: an ObjectID as a string of 24 hexadecimal digits, a
// number as a number. It fails only if the ID was not made by this package.
func (id ID) AppendJSON(dst []byte) ([]byte, error) {
	w := jsonWriter{out: dst, mode: Plain}
	n, err := valueSize(id.Type, id.Value)
	if err == nil && n != len(id.Value) {
		err = invalid("%d bytes behind the value", len(id.Value)-n)
	}
	if err == nil {
		err = w.value(id.Type, id.Value)
	}
	if err != nil {
		return dst, err
	}
	return w.out, nil
}

// AppendElement appends the id as a BSON element with the given key, for a filter. The key must
// not contain a NUL.
func (id ID) AppendElement(dst []byte, key string) []byte {
	dst = append(append(append(dst, byte(id.Type)), key...), 0)
	return append(dst, id.Value...)
}

// Clone returns a copy whose Value does not depend on the document.
func (id ID) Clone() ID {
	id.Value = append([]byte(nil), id.Value...)
	return id
}

// An IDType is how [ParseID] reads an id.
type IDType string

const (
	AnyID      IDType = ""         // 24 hexadecimal digits are an ObjectID, all else is a string
	ObjectID   IDType = "objectid" // 24 hexadecimal digits
	StringID   IDType = "string"   // any UTF-8 text
	IntID      IDType = "int"      // an int64 in decimal; int32 if it fits, as [Append] has it
	UUIDID     IDType = "uuid"     // 8-4-4-4-12 hexadecimal digits, as BSON binary of subtype 4
	uuidLength        = 36
)

// ErrID is what every error of [ParseID] wraps.
var ErrID = errors.New("document: invalid id")

// ParseID reads the id that a path or query names. Errors wrap [ErrID] and quote the text.
func ParseID(text string, t IDType) (ID, error) {
	switch t {
	case AnyID:
		if id, err := parseObjectID(text); err == nil {
			return id, nil
		}
		return stringID(text)
	case ObjectID:
		return parseObjectID(text)
	case StringID:
		return stringID(text)
	case IntID:
		return parseIntID(text)
	case UUIDID:
		return parseUUID(text)
	}
	return ID{}, fmt.Errorf("%w: unknown type %q (objectid, string, int or uuid)", ErrID, t)
}

func parseObjectID(text string) (ID, error) {
	var oid [12]byte
	if len(text) == 24 {
		if _, err := hex.Decode(oid[:], []byte(text)); err == nil {
			return ID{Type: bson.TypeObjectID, Value: oid[:]}, nil
		}
	}
	return ID{}, fmt.Errorf("%w: %s is no ObjectID (24 hexadecimal digits)", ErrID, clip([]byte(text)))
}

func stringID(text string) (ID, error) {
	if !utf8.ValidString(text) {
		return ID{}, fmt.Errorf("%w: %s is not UTF-8", ErrID, clip([]byte(text)))
	}
	value := binary.LittleEndian.AppendUint32(nil, uint32(len(text)+1))
	return ID{Type: bson.TypeString, Value: append(append(value, text...), 0)}, nil
}

func parseIntID(text string) (ID, error) {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || text[0] == '+' {
		return ID{}, fmt.Errorf("%w: %s is no 64-bit integer", ErrID, clip([]byte(text)))
	}
	if int64(int32(v)) == v {
		return ID{Type: bson.TypeInt32, Value: binary.LittleEndian.AppendUint32(nil, uint32(v))}, nil
	}
	return ID{Type: bson.TypeInt64, Value: binary.LittleEndian.AppendUint64(nil, uint64(v))}, nil
}

func parseUUID(text string) (ID, error) {
	raw, ok := decodeUUID([]byte(text))
	if !ok {
		return ID{}, fmt.Errorf("%w: %s is no UUID", ErrID, clip([]byte(text)))
	}
	value := []byte{16, 0, 0, 0, bson.TypeBinaryUUID}
	return ID{Type: bson.TypeBinary, Value: append(value, raw[:]...)}, nil
}

// decodeUUID reads the textual form of RFC 9562, in either case.
func decodeUUID(text []byte) (raw [16]byte, ok bool) {
	if len(text) != uuidLength {
		return raw, false
	}
	digits := make([]byte, 0, 32)
	for i, c := range text {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (c == '-') {
			return raw, false
		}
		if !dash {
			digits = append(digits, c)
		}
	}
	_, err := hex.Decode(raw[:], digits)
	return raw, err == nil
}
