package document_test

import (
	"errors"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/document"
)

func TestParseID(t *testing.T) {
	uuid := bson.Binary{Subtype: 4, Data: []byte{0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}}
	for _, c := range []struct {
		text string
		t    document.IDType
		want any // nil: refused
		json string
	}{
		{"0102030405060708090a0b0c", document.AnyID, bson.ObjectID(fixedID), `"0102030405060708090a0b0c"`},
		{"0102030405060708090A0B0C", document.AnyID, bson.ObjectID(fixedID), `"0102030405060708090a0b0c"`},
		{"0102030405060708090a0b0", document.AnyID, "0102030405060708090a0b0", `"0102030405060708090a0b0"`},
		{"0102030405060708090a0b0g", document.AnyID, "0102030405060708090a0b0g", `"0102030405060708090a0b0g"`},
		{"7", document.AnyID, "7", `"7"`},
		{"", document.AnyID, "", `""`},
		{"\xff", document.AnyID, nil, ""},
		{"0102030405060708090a0b0c", document.StringID, "0102030405060708090a0b0c", `"0102030405060708090a0b0c"`},
		{"a\"é", document.StringID, "a\"é", `"a\"é"`},
		{"\xff", document.StringID, nil, ""},
		{"0102030405060708090a0b0c", document.ObjectID, bson.ObjectID(fixedID), `"0102030405060708090a0b0c"`},
		{"7", document.ObjectID, nil, ""},
		{"7", document.IntID, int32(7), `7`},
		{"-7", document.IntID, int32(-7), `-7`},
		{"2147483648", document.IntID, int64(2147483648), `2147483648`},
		{"9223372036854775808", document.IntID, nil, ""},
		{"+7", document.IntID, nil, ""},
		{"7.0", document.IntID, nil, ""},
		{"", document.IntID, nil, ""},
		{"00112233-4455-6677-8899-AABBCCDDEEFF", document.UUIDID, uuid, `"00112233-4455-6677-8899-aabbccddeeff"`},
		{"00112233445566778899aabbccddeeff", document.UUIDID, nil, ""},
		{"00112233-4455-6677-8899-aabbccddeef-", document.UUIDID, nil, ""},
		{"x", "date", nil, ""},
	} {
		id, err := document.ParseID(c.text, c.t)
		if c.want == nil {
			if !errors.Is(err, document.ErrID) {
				t.Errorf("%q as %q: %v, %v", c.text, c.t, id, err)
			}
			continue
		}
		wantType, wantValue, _ := bson.MarshalValue(c.want)
		if err != nil || byte(id.Type) != byte(wantType) || string(id.Value) != string(wantValue) || id.Generated {
			t.Errorf("%q as %q: %v, %v; want %v %x", c.text, c.t, id, err, wantType, wantValue)
			continue
		}
		if text, err := id.AppendJSON([]byte("id=")); err != nil || string(text) != "id="+c.json {
			t.Errorf("%q as %q: JSON %s, %v; want %s", c.text, c.t, text, err, c.json)
		}
		element := id.AppendElement(nil, "_id")
		if want := mustMarshal(t, bson.D{{Key: "_id", Value: c.want}}); string(element) != string(want[4:len(want)-1]) {
			t.Errorf("%q as %q: element %x", c.text, c.t, element)
		}
	}
}

// What Append calls an int, ParseID does too: the two find each other.
func TestParseIDMatchesAppend(t *testing.T) {
	for _, n := range []string{"0", "-1", "2147483647", "2147483648", "-2147483649", "9223372036854775807"} {
		_, stored, err := document.Append(nil, []byte(`{"_id":`+n+`}`), nil)
		asked, err2 := document.ParseID(n, document.IntID)
		if err != nil || err2 != nil || stored.Type != asked.Type || string(stored.Value) != string(asked.Value) {
			t.Errorf("%s: %v and %v", n, stored, asked)
		}
	}
}

func TestIDClone(t *testing.T) {
	doc, id, err := document.Append(nil, []byte(`{"_id":"abc"}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	kept := id.Clone()
	clear(doc)
	if text, err := kept.AppendJSON(nil); err != nil || string(text) != `"abc"` {
		t.Errorf("%s, %v", text, err)
	}
}

// An ID that somebody made up is an error, not a panic.
func TestIDInvalid(t *testing.T) {
	for _, id := range []document.ID{
		{}, {Type: bson.TypeObjectID}, {Type: bson.TypeObjectID, Value: make([]byte, 13)}, {Type: bson.TypeString, Value: []byte("x")},
		{Type: bson.TypeBoolean, Value: []byte{2}}, {Type: bson.TypeEmbeddedDocument, Value: []byte{6, 0, 0, 0, 9, 0}},
	} {
		if text, err := id.AppendJSON(nil); !errors.Is(err, document.ErrBSON) || len(text) > 0 {
			t.Errorf("%v: %s, %v", id, text, err)
		}
	}
}
