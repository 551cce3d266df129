package document_test

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/document"
)

var oid, _ = bson.ObjectIDFromHex("57e193d7a9cc81b4027498b5")

// wrappers are the forms of the Extended JSON v2 specification.
var wrappers = []struct {
	text string
	want any
}{
	{`{"$oid":"57e193d7a9cc81b4027498b5"}`, oid},
	{`{ "$oid" : "57E193D7A9CC81B4027498B5" }`, oid},
	{`{"\u0024oid":"57e193d7a9cc81b4027498b5"}`, oid},
	{`{"$symbol":"s"}`, bson.Symbol("s")},
	{`{"$numberInt":"-7"}`, int32(-7)},
	{`{"$numberLong":"7"}`, int64(7)},
	{`{"$numberLong":"-9223372036854775808"}`, int64(math.MinInt64)},
	{`{"$numberDouble":"7"}`, 7.0},
	{`{"$numberDouble":"-0.0"}`, math.Copysign(0, -1)},
	{`{"$numberDouble":"1.5E+10"}`, 1.5e10},
	{`{"$numberDouble":"Infinity"}`, math.Inf(1)},
	{`{"$numberDouble":"-Infinity"}`, math.Inf(-1)},
	{`{"$numberDouble":"NaN"}`, math.NaN()},
	{`{"$numberDecimal":"1.20"}`, decimal("1.20")},
	{`{"$numberDecimal":"-0"}`, decimal("-0")},
	{`{"$numberDecimal":"1E+6144"}`, decimal("1E+6144")},
	{`{"$numberDecimal":"9.999999999999999999999999999999999E+6144"}`, decimal("9.999999999999999999999999999999999E+6144")},
	{`{"$numberDecimal":"1E-6176"}`, decimal("1E-6176")},
	{`{"$numberDecimal":"NaN"}`, decimal("NaN")},
	{`{"$numberDecimal":"-Infinity"}`, decimal("-Infinity")},
	{`{"$binary":{"base64":"AQID","subType":"00"}}`, bson.Binary{Data: []byte{1, 2, 3}}},
	{`{"$binary":{"subType":"80","base64":""}}`, bson.Binary{Subtype: 0x80}},
	{`{"$binary":{"base64":"AQI=","subType":"2"}}`, bson.Binary{Subtype: 2, Data: []byte{1, 2}}},
	{`{"$uuid":"00112233-4455-6677-8899-aAbBcCdDeEfF"}`, bson.Binary{Subtype: 4, Data: []byte{0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}}},
	{`{"$code":"f()"}`, bson.JavaScript("f()")},
	{`{"$code":"f()","$scope":{"x":{"$numberLong":"1"}}}`, bson.CodeWithScope{Code: "f()", Scope: bson.D{{Key: "x", Value: int64(1)}}}},
	{`{"$scope":{"x":1,"y":"long"},"$code":"f()"}`, bson.CodeWithScope{Code: "f()", Scope: bson.D{{Key: "x", Value: int32(1)}, {Key: "y", Value: "long"}}}},
	{`{"$timestamp":{"t":4294967295,"i":1}}`, bson.Timestamp{T: math.MaxUint32, I: 1}},
	{`{"$timestamp":{"i":2,"t":0}}`, bson.Timestamp{I: 2}},
	{`{"$regularExpression":{"pattern":"^a","options":"xi"}}`, bson.Regex{Pattern: "^a", Options: "ix"}},
	{`{"$regularExpression":{"options":"","pattern":"\u00e9"}}`, bson.Regex{Pattern: "é"}},
	{`{"$dbPointer":{"$ref":"c","$id":{"$oid":"57e193d7a9cc81b4027498b5"}}}`, bson.DBPointer{DB: "c", Pointer: oid}},
	{`{"$date":"2012-12-24T12:15:30.501Z"}`, bson.NewDateTimeFromTime(time.Date(2012, 12, 24, 12, 15, 30, 501e6, time.UTC))},
	{`{"$date":"2012-12-24T12:15:30Z"}`, bson.NewDateTimeFromTime(time.Date(2012, 12, 24, 12, 15, 30, 0, time.UTC))},
	{`{"$date":"2012-12-24T13:15:30+01:00"}`, bson.NewDateTimeFromTime(time.Date(2012, 12, 24, 12, 15, 30, 0, time.UTC))},
	{`{"$date":"2012-12-24T13:15:30.5+0100"}`, bson.NewDateTimeFromTime(time.Date(2012, 12, 24, 12, 15, 30, 5e8, time.UTC))},
	{`{"$date":"1969-12-31T23:59:59.999Z"}`, bson.DateTime(-1)},
	{`{"$date":{"$numberLong":"-1"}}`, bson.DateTime(-1)},
	{`{"$minKey":1}`, bson.MinKey{}},
	{`{"$maxKey":1}`, bson.MaxKey{}},
	{`{"$undefined":true}`, bson.Undefined{}},
	{`[{"$numberInt":"1"},{"b":{"$numberInt":"2"}}]`, bson.A{int32(1), bson.D{{Key: "b", Value: int32(2)}}}},
	{`{"$ref":"c","$id":7,"$db":"d","x":1}`, bson.D{{Key: "$ref", Value: "c"}, {Key: "$id", Value: int32(7)}, {Key: "$db", Value: "d"}, {Key: "x", Value: int32(1)}}},
	{`{"x":1}`, bson.D{{Key: "x", Value: int32(1)}}},
}

// TestExtendedJSON reads every form as the value of "a".
func TestExtendedJSON(t *testing.T) {
	for _, c := range wrappers {
		text := []byte(`{"a":` + c.text + `,"b":true}`)
		got, _, err := document.Append(nil, text, fixed(document.Options{ExtendedJSON: true}))
		want := mustMarshal(t, withID(bson.D{{Key: "a", Value: c.want}, {Key: "b", Value: true}}))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s:\n got %x, %v\nwant %x", c.text, got, err, want)
		}
	}
}

func decimal(s string) bson.Decimal128 {
	d, err := bson.ParseDecimal128(s)
	if err != nil {
		panic(err)
	}
	return d
}

func TestExtendedJSONRefused(t *testing.T) {
	for _, text := range []string{
		`{"$oid":"57e193d7a9cc81b4027498b"}`, `{"$oid":"57e193d7a9cc81b4027498bg"}`, `{"$oid":7}`, `{"$oid":{}}`,
		`{"$oid":"57e193d7a9cc81b4027498b5","x":1}`, `{"x":1,"$oid":"57e193d7a9cc81b4027498b5"}`,
		`{"$numberInt":7}`, `{"$numberInt":"2147483648"}`, `{"$numberInt":"7.0"}`, `{"$numberInt":""}`, `{"$numberInt":"+7"}`,
		`{"$numberLong":"9223372036854775808"}`, `{"$numberLong":"0x1"}`, `{"$numberLong":"1_0"}`, `{"$numberLong":null}`,
		`{"$numberDouble":"1e400"}`, `{"$numberDouble":"inf"}`, `{"$numberDouble":"0x1p3"}`, `{"$numberDouble":""}`, `{"$numberDouble":1.5}`,
		`{"$numberDecimal":"1e6145"}`, `{"$numberDecimal":"1e-6177"}`, `{"$numberDecimal":"12345678901234567890123456789012345"}`, `{"$numberDecimal":"x"}`, `{"$numberDecimal":""}`,
		`{"$binary":"AQID"}`, `{"$binary":{}}`, `{"$binary":{"base64":"AQID"}}`, `{"$binary":{"base64":"AQID","base64":"AQID"}}`,
		`{"$binary":{"base64":"A","subType":"00"}}`, `{"$binary":{"base64":"AQID","subType":"100"}}`, `{"$binary":{"base64":"AQID","subType":"zz"}}`,
		`{"$binary":{"base64":"AQID","subType":"00","x":1}}`, `{"$binary":{"base64":1,"subType":"00"}}`, `{"$binary":{"base64":"AQID","subType":0}}`,
		`{"$uuid":"00112233445566778899aabbccddeeff"}`, `{"$uuid":"00112233-4455-6677-8899-aabbccddeefg"}`,
		`{"$code":1}`, `{"$code":"f()","x":1}`, `{"$code":"f()","$scope":1}`, `{"$scope":{}}`, `{"$scope":{},"$code":1}`, `{"$scope":{"$x":1},"$code":"f()"}`,
		`{"$timestamp":{"t":1}}`, `{"$timestamp":{"t":-1,"i":1}}`, `{"$timestamp":{"t":4294967296,"i":1}}`, `{"$timestamp":{"t":1.0,"i":1}}`, `{"$timestamp":{"t":"1","i":1}}`,
		`{"$regularExpression":{"pattern":"a\u0000","options":""}}`, `{"$regularExpression":{"pattern":"a"}}`, `{"$regularExpression":{"pattern":"a","options":"i\u00e9"}}`, `{"$regularExpression":{"pattern":"a","options":"i "}}`, `{"$regularExpression":{"pattern":"a","options":1}}`,
		`{"$dbPointer":{"$ref":"c","$id":"57e193d7a9cc81b4027498b5"}}`, `{"$dbPointer":{"$ref":1,"$id":{"$oid":"57e193d7a9cc81b4027498b5"}}}`,
		`{"$dbPointer":{"$ref":"c","$id":{"$oid":"57e193d7a9cc81b4027498b5","x":1}}}`,
		`{"$date":"yesterday"}`, `{"$date":1}`, `{"$date":{"$numberInt":"1"}}`, `{"$date":{"$numberLong":"1","x":1}}`, `{"$date":{}}`,
		`{"$minKey":2}`, `{"$maxKey":"1"}`, `{"$undefined":false}`, `{"$minKey":1.0}`, `{"$minKey":12}`,
		`{"$unknown":1}`, `{"$id":1}`, `{"$ref":"c","x":1,"$id":2}`, `{"$db":"d","$ref":"c"}`, `{"":1,"$ref":"c"}`,
	} {
		_, _, err := document.Append(nil, []byte(`{"a":`+text+`}`), &document.Options{ExtendedJSON: true})
		if kindOf(t, err) != unfit {
			t.Errorf("%s: %v, want it unfit", text, err)
		}
	}
}

// A wrapper is no way around the syntax.
func TestExtendedJSONSyntax(t *testing.T) {
	for _, text := range []string{
		`{"$oid" "57e193d7a9cc81b4027498b5"}`, `{"$oid":"57e193d7a9cc81b4027498b5"`, `{"$oid":"57e193d7a9cc81b4027498b5",}`,
		`{"$binary":{"base64":"AQID" "subType":"00"}}`, `{"$binary":{"base64":"AQID","subType":"00",}}`, `{"$binary":{"base64":`,
		`{"$undefined":truex}`, `{"$minKey":01}`, `{"$code":"f()",}`, `{"$code":"f()","$scope":{}`, `{"$scope":{,},"$code":"f()"}`,
		`{"$date":{"$numberLong":"1"`, `{"$timestamp":{"t":01,"i":1}}`, `{"$symbol":"\x"}`, `{"$numberInt":"1}`, `{"$dbPointer":{"$ref":"c","$id":{"$oid":"57e193d7a9cc81b4027498b5"`,
		`{"$`, `{"\`, `{"$oid`, `{"$oid":`,
	} {
		_, _, err := document.Append(nil, []byte(`{"a":`+text+`}`), &document.Options{ExtendedJSON: true})
		if kindOf(t, err) != syntax {
			t.Errorf("%s: %v, want a syntax error", text, err)
		}
	}
}

func TestExtendedJSONID(t *testing.T) {
	opts := fixed(document.Options{ExtendedJSON: true})
	doc, id, err := document.Append(nil, []byte(`{"a":1,"_id":{"$oid":"57e193d7a9cc81b4027498b5"}}`), opts)
	want := mustMarshal(t, bson.D{{Key: "_id", Value: oid}, {Key: "a", Value: int32(1)}})
	if err != nil || !bytes.Equal(doc, want) || id.Generated || !bytes.Equal(id.Value, oid[:]) {
		t.Errorf("got %x, %v, %v; want %x", doc, id, err, want)
	}
	for _, text := range []string{
		`{"_id":{"$regularExpression":{"pattern":"a","options":""}}}`, `{"_id":{"$undefined":true}}`, `{"$oid":"57e193d7a9cc81b4027498b5"}`,
		`{"$ref":"c","$id":1}`,
	} {
		if _, _, err := document.Append(nil, []byte(text), opts); kindOf(t, err) != unfit {
			t.Errorf("%s: %v, want it unfit", text, err)
		}
	}
}

// The driver writes what we read, in both formats and for every type.
func TestExtendedJSONFromDriver(t *testing.T) {
	for _, v := range everyType {
		want := mustMarshal(t, bson.D{{Key: "_id", Value: int32(1)}, {Key: "v", Value: v}})
		text, err := bson.MarshalExtJSON(bson.Raw(want), true, false)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := document.Append(nil, text, &document.Options{ExtendedJSON: true})
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s:\n got %x, %v\nwant %x", text, got, err, want)
		}
	}
}

func TestBigNumbers(t *testing.T) {
	opts := fixed(document.Options{BigNumbers: true})
	for _, text := range []string{
		"9223372036854775808", "-9223372036854775809", "18446744073709551616", "123456789012345678901234567890",
		"9999999999999999999999999999999999", "-9999999999999999999999999999999999", "10000000000000000000000000000000000",
		"1" + strings.Repeat("0", 100), "9999999999999999999999999999999999" + strings.Repeat("0", 6111), "1" + strings.Repeat("0", 6144),
	} {
		got, _, err := document.Append(nil, []byte(`{"a":`+text+`}`), opts)
		if want := mustMarshal(t, withID(a(decimal(text)))); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s:\n got %x, %v\nwant %x", text, got, err, want)
		}
	}
	for _, text := range []string{
		"12345678901234567890123456789012345", "1" + strings.Repeat("0", 6145), "1" + strings.Repeat("0", 40) + "1", "1e400", "-1.5e999",
	} {
		if _, _, err := document.Append(nil, []byte(`{"a":`+text+`}`), opts); kindOf(t, err) != unfit {
			t.Errorf("%s: %v, want it unfit", clip(text), err)
		}
	}
	got, _, err := document.Append(nil, []byte(`{"a":9223372036854775807}`), opts)
	if want := mustMarshal(t, withID(a(int64(math.MaxInt64)))); err != nil || !bytes.Equal(got, want) {
		t.Errorf("what fits stays an int64: %x, %v", got, err)
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		text    string
		pointer string
	}{
		{`{"a":[1,[2]]}`, "/a/1"},
		{`{"a":{"b":[[]]}}`, "/a/b/0"},
		{`{"a.b":1}`, "/a.b"},
		{`{"a":{"c.d":1}}`, "/a/c.d"},
		{`{"a":-0}`, "/a"},
		{`{"a":[-0.0]}`, "/a/0"},
		{`{"a":-1e-999}`, "/a"},
		{`{"a":{"$numberDouble":"-0"}}`, "/a/$numberDouble"},
		{`{"a":{"$numberDouble":"Infinity"}}`, "/a/$numberDouble"},
		{`{"a":{"$numberDouble":"-Infinity"}}`, "/a/$numberDouble"},
		{`{"a":{"$numberDouble":"NaN"}}`, "/a/$numberDouble"},
		{`{"a":{"$numberDecimal":"1"}}`, "/a/$numberDecimal"},
		{`{"a":9223372036854775808}`, "/a"},
		{`{"a":{"$code":"f()"}}`, "/a/$code"},
		{`{"a":{"$code":"f()","$scope":{}}}`, "/a/$code"},
		{`{"a":{"$scope":{},"$code":"f()"}}`, "/a/$scope"},
		{`{"a":{"$symbol":"s"}}`, "/a/$symbol"},
		{`{"a":{"$minKey":1}}`, "/a/$minKey"},
		{`{"a":{"$maxKey":1}}`, "/a/$maxKey"},
		{`{"a":{"$undefined":true}}`, "/a/$undefined"},
		{`{"a":{"$ref":"c","$id":1}}`, "/a/$ref"},
		{`{"a":{"$dbPointer":{"$ref":"c","$id":{"$oid":"57e193d7a9cc81b4027498b5"}}}}`, "/a/$dbPointer"},
	} {
		text := []byte(c.text)
		if _, _, err := document.Append(nil, text, &document.Options{ExtendedJSON: true, BigNumbers: true}); err != nil {
			t.Errorf("%s: MongoDB can hold it: %v", text, err)
		}
		_, _, err := document.Append(nil, text, &document.Options{ExtendedJSON: true, BigNumbers: true, Limits: document.FerretDB()})
		if e, ok := err.(*document.Error); !ok || e.Kind != unfit || e.Pointer != c.pointer {
			t.Errorf("%s: %v, want it unfit at %s", text, err, c.pointer)
		}
	}
	fits := []byte(`{"a":[{"b":[1]},{"c":[]}],"":0.0,"d":{"$date":"2020-01-01T00:00:00Z"},"r":{"$regularExpression":{"pattern":"a.b","options":""}}}`)
	if _, _, err := document.Append(nil, fits, &document.Options{ExtendedJSON: true, Limits: document.FerretDB()}); err != nil {
		t.Error(err)
	}
}
