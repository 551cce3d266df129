package resource

import (
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/rapidrest/rapidrest/document"
	"github.com/rapidrest/rapidrest/router"
)

// pathID turns the last segment of a path into an _id: 24 hex digits are an ObjectID,
// anything else is a string; the query parameter id_type says otherwise.
func pathID(segment, idType string) (document.ID, error) {
	id, err := document.ParseID(segment, document.IDType(idType))
	if err != nil {
		return id, router.NewProblem(http.StatusBadRequest, err.Error())
	}
	return id, nil
}

// appendIDPath appends what follows the collection in the path of a document: its _id,
// escaped, and id_type where the digits alone would be read as something else. It says no
// for an _id that no path can carry: an empty string, a dot segment, a NUL, and types that
// id_type does not name.
func appendIDPath(dst []byte, id document.ID) ([]byte, bool) {
	switch id.Type {
	case bson.TypeObjectID:
		return hex.AppendEncode(dst, id.Value), true
	case bson.TypeString:
		s, _, ok := bsoncore.ReadString(id.Value)
		if !ok || !fitsSegment(s) {
			return dst, false
		}
		dst = appendEscaped(dst, s)
		if _, err := document.ParseID(s, document.ObjectID); err == nil {
			dst = append(dst, "?id_type=string"...)
		}
		return dst, true
	case bson.TypeInt32:
		n, _, ok := bsoncore.ReadInt32(id.Value)
		return append(strconv.AppendInt(dst, int64(n), 10), "?id_type=int"...), ok
	case bson.TypeInt64:
		n, _, ok := bsoncore.ReadInt64(id.Value)
		return append(strconv.AppendInt(dst, n, 10), "?id_type=int"...), ok
	case bson.TypeBinary:
		sub, b, _, ok := bsoncore.ReadBinary(id.Value)
		if !ok || sub != bson.TypeBinaryUUID || len(b) != 16 {
			return dst, false
		}
		for i, c := range b {
			if i == 4 || i == 6 || i == 8 || i == 10 {
				dst = append(dst, '-')
			}
			dst = hex.AppendEncode(dst, []byte{c})
		}
		return append(dst, "?id_type=uuid"...), true
	}
	return dst, false
}

// fitsSegment says whether the router takes s as one segment: it refuses NUL and whatever
// decodes into a dot segment, "a/../b" as one segment included.
func fitsSegment(s string) bool {
	if s == "" || strings.IndexByte(s, 0) >= 0 {
		return false
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "." || part == ".." {
			return false
		}
	}
	return true
}

// appendEscaped writes s as one path segment: all but RFC 3986's unreserved characters as %XX.
func appendEscaped(dst []byte, s string) []byte {
	const digits = "0123456789ABCDEF"
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '.', c == '_', c == '~':
			dst = append(dst, c)
		default:
			dst = append(dst, '%', digits[c>>4], digits[c&15])
		}
	}
	return dst
}
