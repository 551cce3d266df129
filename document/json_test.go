package document_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/document"
)

func TestAppendJSON(t *testing.T) {
	for _, c := range []struct {
		v                         any
		plain, relaxed, canonical string // "" is as the one before
	}{
		{int32(7), `7`, ``, `{"$numberInt":"7"}`},
		{int64(-7), `-7`, ``, `{"$numberLong":"-7"}`},
		{int64(math.MinInt64), `-9223372036854775808`, ``, `{"$numberLong":"-9223372036854775808"}`},
		{1.5, `1.5`, ``, `{"$numberDouble":"1.5"}`},
		{7.0, `7.0`, ``, `{"$numberDouble":"7.0"}`},
		{math.Copysign(0, -1), `-0.0`, ``, `{"$numberDouble":"-0.0"}`},
		{1e20, `100000000000000000000.0`, ``, `{"$numberDouble":"100000000000000000000.0"}`},
		{1e21, `1E+21`, ``, `{"$numberDouble":"1E+21"}`},
		{1e-7, `1E-07`, ``, `{"$numberDouble":"1E-07"}`},
		{0.1, `0.1`, ``, `{"$numberDouble":"0.1"}`},
		{math.NaN(), `"NaN"`, `{"$numberDouble":"NaN"}`, ``},
		{math.Inf(1), `"Infinity"`, `{"$numberDouble":"Infinity"}`, ``},
		{math.Inf(-1), `"-Infinity"`, `{"$numberDouble":"-Infinity"}`, ``},
		{decimal("12345678901234567890"), `12345678901234567890`, `{"$numberDecimal":"12345678901234567890"}`, ``},
		{decimal("1.5E+40"), `1.5E+40`, `{"$numberDecimal":"1.5E+40"}`, ``},
		{decimal("NaN"), `"NaN"`, `{"$numberDecimal":"NaN"}`, ``},
		{"", `""`, ``, ``},
		{"a\"b\\c/d\b\f\n\r\t\x00\x1f\x7fé\u2028😀<&>", `"a\"b\\c/d\b\f\n\r\t\u0000\u001f` + "\x7fé\u2028😀<&>\"", ``, ``},
		{"12345678\"12345678é12345678", `"12345678\"12345678é12345678"`, ``, ``},
		{"a\xffb\xe2\x82", "\"a\ufffdb\ufffd\ufffd\"", ``, ``},
		{nil, `null`, ``, ``},
		{true, `true`, ``, ``},
		{false, `false`, ``, ``},
		{bson.D{}, `{}`, ``, ``},
		{bson.A{}, `[]`, ``, ``},
		{bson.A{"x", bson.D{{Key: "k\"", Value: nil}}, bson.A{true}}, `["x",{"k\"":null},[true]]`, ``, ``},
		{bson.ObjectID(fixedID), `"0102030405060708090a0b0c"`, `{"$oid":"0102030405060708090a0b0c"}`, ``},
		{bson.DateTime(1356351330501), `"2012-12-24T12:15:30.501Z"`, `{"$date":"2012-12-24T12:15:30.501Z"}`, `{"$date":{"$numberLong":"1356351330501"}}`},
		{bson.DateTime(1356351330500), `"2012-12-24T12:15:30.500Z"`, `{"$date":"2012-12-24T12:15:30.500Z"}`, `{"$date":{"$numberLong":"1356351330500"}}`},
		{bson.DateTime(0), `"1970-01-01T00:00:00Z"`, `{"$date":"1970-01-01T00:00:00Z"}`, `{"$date":{"$numberLong":"0"}}`},
		{bson.DateTime(-1), `"1969-12-31T23:59:59.999Z"`, `{"$date":{"$numberLong":"-1"}}`, ``},
		{bson.DateTime(253402300800000), `{"$date":{"$numberLong":"253402300800000"}}`, ``, ``}, // the year 10000
		{bson.DateTime(-62167219200001), `{"$date":{"$numberLong":"-62167219200001"}}`, ``, ``}, // the year -1
		{bson.Binary{Data: []byte{1, 2, 3, 4}}, `"AQIDBA=="`, `{"$binary":{"base64":"AQIDBA==","subType":"00"}}`, ``},
		{bson.Binary{Subtype: 2, Data: []byte{1, 2, 3}}, `"AQID"`, `{"$binary":{"base64":"AQID","subType":"02"}}`, ``},
		{bson.Binary{Subtype: 4, Data: []byte("0123456789abcdef")}, `"30313233-3435-3637-3839-616263646566"`, `{"$binary":{"base64":"MDEyMzQ1Njc4OWFiY2RlZg==","subType":"04"}}`, ``},
		{bson.Symbol("s"), `"s"`, `{"$symbol":"s"}`, ``},
		{bson.JavaScript("f()"), `{"$code":"f()"}`, ``, ``},
		{bson.CodeWithScope{Code: "g()", Scope: bson.D{{Key: "x", Value: true}}}, `{"$code":"g()","$scope":{"x":true}}`, ``, ``},
		{bson.Regex{Pattern: "^\"", Options: "i"}, `{"$regularExpression":{"pattern":"^\"","options":"i"}}`, ``, ``},
		{bson.Timestamp{T: 4294967295, I: 2}, `{"$timestamp":{"t":4294967295,"i":2}}`, ``, ``},
		{bson.DBPointer{DB: "c", Pointer: fixedID}, `{"$dbPointer":{"$ref":"c","$id":{"$oid":"0102030405060708090a0b0c"}}}`, ``, ``},
		{bson.Undefined{}, `{"$undefined":true}`, ``, ``},
		{bson.MinKey{}, `{"$minKey":1}`, ``, ``},
		{bson.MaxKey{}, `{"$maxKey":1}`, ``, ``},
	} {
		raw := mustMarshal(t, bson.D{{Key: "a", Value: c.v}, {Key: "b", Value: nil}})
		want := c.plain
		for mode, text := range []string{c.plain, c.relaxed, c.canonical} {
			if text != "" {
				want = text
			}
			got, err := document.AppendJSON([]byte("front"), raw, document.Mode(mode))
			if err != nil || string(got) != `front{"a":`+want+`,"b":null}` {
				t.Errorf("%v %v:\n got %s, %v\nwant %s", c.v, document.Mode(mode), got, err, want)
			}
		}
	}
}

// The driver reads what we write, for every type.
func TestAppendJSONToDriver(t *testing.T) {
	for _, v := range everyType {
		raw := mustMarshal(t, bson.D{{Key: "v", Value: v}})
		text, err := document.AppendJSON(nil, raw, document.Canonical)
		if err != nil {
			t.Fatal(err)
		}
		var back bson.Raw
		if err := bson.UnmarshalExtJSON(text, true, &back); err != nil || !bytes.Equal(back, raw) {
			t.Errorf("%s:\n got %x, %v\nwant %x", text, []byte(back), err, raw)
		}
	}
}

func TestAppendJSONInvalid(t *testing.T) {
	for name, raw := range map[string]string{
		"empty":                     "",
		"no frame":                  "\x05\x00\x00\x00",
		"length too small":          "\x04\x00\x00\x00\x00",
		"length negative":           "\xff\xff\xff\xff\x00",
		"length beyond":             "\x06\x00\x00\x00\x00",
		"bytes behind":              "\x05\x00\x00\x00\x00\x00",
		"no NUL at the end":         "\x05\x00\x00\x00\x01",
		"key does not end":          "\x07\x00\x00\x00\x0aa\x00",
		"unknown type":              "\x08\x00\x00\x00\x20a\x00\x00",
		"int32 cut":                 "\x0b\x00\x00\x00\x10a\x00\x01\x00\x00\x00",
		"double cut":                "\x0b\x00\x00\x00\x01a\x00\x01\x00\x00\x00",
		"bool missing":              "\x08\x00\x00\x00\x08a\x00\x00",
		"bool 2":                    "\x09\x00\x00\x00\x08a\x00\x02\x00",
		"string length 0":           "\x0d\x00\x00\x00\x02a\x00\x00\x00\x00\x00\x00\x00",
		"string length negative":    "\x0d\x00\x00\x00\x02a\x00\xff\xff\xff\xff\x00\x00",
		"string beyond":             "\x0d\x00\x00\x00\x02a\x00\x03\x00\x00\x00\x00\x00",
		"string no NUL":             "\x0d\x00\x00\x00\x02a\x00\x01\x00\x00\x00x\x00",
		"document beyond":           "\x0d\x00\x00\x00\x03a\x00\x06\x00\x00\x00\x00\x00",
		"document inside bad":       "\x10\x00\x00\x00\x03a\x00\x08\x00\x00\x00\x0aab\x00\x00",
		"binary negative":           "\x0d\x00\x00\x00\x05a\x00\xff\xff\xff\xff\x00\x00",
		"binary old, two lengths":   "\x11\x00\x00\x00\x05a\x00\x04\x00\x00\x00\x02\x05\x00\x00\x00\x00",
		"binary old, short":         "\x0e\x00\x00\x00\x05a\x00\x01\x00\x00\x00\x02\x00\x00",
		"regex no options":          "\x0a\x00\x00\x00\x0ba\x00x\x00\x00"[:9] + "\x00",
		"regex no end":              "\x0a\x00\x00\x00\x0ba\x00xy\x00",
		"code with scope, short":    "\x0d\x00\x00\x00\x0fa\x00\x04\x00\x00\x00\x00\x00",
		"code with scope, negative": "\x0d\x00\x00\x00\x0fa\x00\xff\xff\xff\xff\x00\x00",
		"dbpointer cut":             "\x0e\x00\x00\x00\x0ca\x00\x01\x00\x00\x00\x00\x00\x00",
	} {
		out, err := document.AppendJSON([]byte("front"), []byte(raw), document.Relaxed)
		if !errors.Is(err, document.ErrBSON) || string(out) != "front" {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
}

// TestAppendJSONDepth nests as deep as bytes allow: an error, not the end of the stack.
func TestAppendJSONDepth(t *testing.T) {
	raw := []byte{5, 0, 0, 0, 0}
	for range 300 {
		raw = mustMarshal(t, bson.D{{Key: "a", Value: bson.Raw(raw)}})
	}
	if _, err := document.AppendJSON(nil, raw, document.Plain); !errors.Is(err, document.ErrBSON) {
		t.Errorf("got %v", err)
	}
}
