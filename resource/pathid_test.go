package resource

import (
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/document"
)

func TestPathID(t *testing.T) {
	const hex = "65f0a1b2c3d4e5f6a7b8c9d0"
	oid, _ := bson.ObjectIDFromHex(hex)
	uuid := bson.Binary{Subtype: 4, Data: []byte{0xf8, 0x1d, 0x4f, 0xae, 0x7d, 0xec, 0x11, 0xd0, 0xa7, 0x65, 0x00, 0xa0, 0xc9, 0x1e, 0x6b, 0xf6}}
	for _, c := range []struct {
		segment, idType string
		want            any // nil: refused
	}{
		{hex, "", oid},
		{strings.ToUpper(hex), "", oid},
		{hex, "objectid", oid},
		{hex, "string", hex},
		{hex[:23], "", hex[:23]},
		{hex[:23] + "g", "", hex[:23] + "g"},
		{"anna", "", "anna"},
		{"7", "", "7"},
		{"7", "int", int32(7)},
		{"-2147483648", "int", int32(-2147483648)},
		{"2147483648", "int", int64(2147483648)},
		{"9223372036854775807", "int", int64(9223372036854775807)},
		{"9223372036854775808", "int", nil},
		{"7.0", "int", nil},
		{"anna", "objectid", nil},
		{"f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "uuid", uuid},
		{"F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6", "uuid", uuid},
		{"f81d4fae7dec11d0a76500a0c91e6bf6", "uuid", nil},
		{"f81d4fae-7dec-11d0-a765-00a0c91e6bfg", "uuid", nil},
		{"7", "float", nil},
		{"7", "INT", nil},
	} {
		got, err := pathID(c.segment, c.idType)
		if c.want == nil {
			if err == nil {
				t.Errorf("pathID(%q, %q) = %v, want an error", c.segment, c.idType, got)
			}
			continue
		}
		typ, data, _ := bson.MarshalValue(c.want)
		if err != nil || got.Type != typ || string(got.Value) != string(data) {
			t.Errorf("pathID(%q, %q) = %v, %v; want %v", c.segment, c.idType, got, err, c.want)
		}
	}
}

// TestLocationLeadsBack: what appendIDPath writes, pathID reads as the same _id.
func TestLocationLeadsBack(t *testing.T) {
	oid := bson.NewObjectID()
	for _, c := range []struct {
		id   any
		want string // "" where there is no path
	}{
		{oid, oid.Hex()},
		{"anna", "anna"},
		{"a b/ü?&=%", "a%20b%2F%C3%BC%3F%26%3D%25"},
		{oid.Hex(), oid.Hex() + "?id_type=string"},
		{int32(-5), "-5?id_type=int"},
		{int64(1) << 40, "1099511627776?id_type=int"},
		{bson.Binary{Subtype: 4, Data: []byte("0123456789abcdef")}, "30313233-3435-3637-3839-616263646566?id_type=uuid"},
		{"", ""},
		{".", ""},
		{"..", ""},
		{"a/../b", ""},
		{"...", "..."},
		{"a\x00b", ""},
		{1.5, ""},
		{true, ""},
		{bson.D{{Key: "a", Value: 1}}, ""},
		{bson.Binary{Subtype: 0, Data: []byte("x")}, ""},
	} {
		typ, data, err := bson.MarshalValue(c.id)
		if err != nil {
			t.Fatal(err)
		}
		id := document.ID{Type: typ, Value: data}
		got, ok := appendIDPath(nil, id)
		if ok != (c.want != "") || (ok && string(got) != c.want) {
			t.Errorf("appendIDPath(%v) = %q, %v; want %q", c.id, got, ok, c.want)
		}
		if !ok {
			continue
		}
		path, query, _ := strings.Cut(string(got), "?id_type=")
		segment, err := unescapeQuery(path)
		if err != nil {
			t.Fatal(err)
		}
		back, err := pathID(segment, query)
		if err != nil || back.Type != id.Type || string(back.Value) != string(id.Value) {
			t.Errorf("%q leads to %v, %v; want %v", got, back, err, id)
		}
	}
}
