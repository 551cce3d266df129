package document_test

import (
	"math"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/document"
)

// A textCase is a JSON text with its verdict. want is the document without its generated _id, or
// with the _id that the text has; nil means that the text is refused, for kind, at offset.
type textCase struct {
	text    string
	want    bson.D
	kind    document.Kind
	offset  int
	pointer string
}

const (
	syntax   = document.Syntax
	unfit    = document.Unfit
	tooLarge = document.TooLarge
)

// a is the document {"a": v}.
func a(v any) bson.D { return bson.D{{Key: "a", Value: v}} }

func accept(text string, want bson.D) textCase { return textCase{text: text, want: want} }

func refuse(text string, kind document.Kind, offset int, pointer string) textCase {
	return textCase{text: text, kind: kind, offset: offset, pointer: pointer}
}

// nest puts n pairs of brackets around v.
func nest(n int, v any) any {
	for range n {
		v = bson.A{v}
	}
	return v
}

func nestObjects(n int, v any) bson.D {
	for range n - 1 {
		v = a(v)
	}
	return a(v)
}

var cases = concat(numberCases, stringCases, utf8Cases, structureCases, contractCases, idCases)

func concat(lists ...[]textCase) (all []textCase) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// Values are worked out from RFC 8259, section 6, and IEEE 754.
var numberCases = []textCase{
	accept(`{"a":0}`, a(int32(0))),
	accept(`{"a":7}`, a(int32(7))),
	accept(`{"a":-7}`, a(int32(-7))),
	accept(`{"a":2147483647}`, a(int32(math.MaxInt32))),
	accept(`{"a":2147483648}`, a(int64(1<<31))),
	accept(`{"a":-2147483648}`, a(int32(math.MinInt32))),
	accept(`{"a":-2147483649}`, a(int64(-1<<31-1))),
	accept(`{"a":9007199254740993}`, a(int64(1<<53+1))),
	accept(`{"a":9223372036854775807}`, a(int64(math.MaxInt64))),
	accept(`{"a":-9223372036854775808}`, a(int64(math.MinInt64))),
	refuse(`{"a":9223372036854775808}`, unfit, 5, "/a"),
	refuse(`{"a":-9223372036854775809}`, unfit, 5, "/a"),
	refuse(`{"a":18446744073709551616}`, unfit, 5, "/a"), // 2^64, which wraps to 0
	refuse(`{"a":18446744073709551623}`, unfit, 5, "/a"), // 2^64+7
	refuse(`{"a":123456789012345678901234567890}`, unfit, 5, "/a"),
	accept(`{"a":-0}`, a(math.Copysign(0, -1))),
	accept(`{"a":-0.0}`, a(math.Copysign(0, -1))),
	accept(`{"a":-0e7}`, a(math.Copysign(0, -1))),
	accept(`{"a":0.0}`, a(0.0)),
	accept(`{"a":0e0}`, a(0.0)),
	accept(`{"a":0E+000}`, a(0.0)),
	accept(`{"a":1.0}`, a(1.0)),
	accept(`{"a":1.5}`, a(1.5)),
	accept(`{"a":-1.5}`, a(-1.5)),
	accept(`{"a":0.1}`, a(0.1)),
	accept(`{"a":1e3}`, a(1000.0)),
	accept(`{"a":1E3}`, a(1000.0)),
	accept(`{"a":1e+3}`, a(1000.0)),
	accept(`{"a":1e-3}`, a(0.001)),
	accept(`{"a":12.5e-1}`, a(1.25)),
	accept(`{"a":1e0000000000000000000000003}`, a(1000.0)),
	accept(`{"a":1e22}`, a(1e22)),
	accept(`{"a":1e23}`, a(math.Float64frombits(0x44b52d02c7e14af6))), // between two doubles, the lower is nearer
	accept(`{"a":9007199254740993.0}`, a(9007199254740992.0)),         // half way: to even
	accept(`{"a":9007199254740993.0000000000000000000001}`, a(9007199254740994.0)),
	accept(`{"a":0.1e1}`, a(1.0)),
	accept(`{"a":0.30000000000000004}`, a(math.Float64frombits(0x3fd3333333333334))),
	accept(`{"a":2.2250738585072011e-308}`, a(math.Float64frombits(0x000fffffffffffff))), // the largest subnormal
	accept(`{"a":2.2250738585072014e-308}`, a(math.Float64frombits(0x0010000000000000))),
	accept(`{"a":5e-324}`, a(math.Float64frombits(1))),
	accept(`{"a":2.4703282292062327e-324}`, a(0.0)), // just below half the least subnormal
	accept(`{"a":2.4703282292062328e-324}`, a(math.Float64frombits(1))),
	accept(`{"a":1e-400}`, a(0.0)),
	accept(`{"a":-1e-400}`, a(math.Copysign(0, -1))),
	accept(`{"a":1e-99999999999999999999}`, a(0.0)),
	accept(`{"a":0e99999999999999999999}`, a(0.0)),
	accept(`{"a":1.7976931348623157e308}`, a(math.MaxFloat64)),
	accept(`{"a":1.7976931348623158e308}`, a(math.MaxFloat64)),
	refuse(`{"a":1.7976931348623159e308}`, unfit, 5, "/a"), // rounds to 2^1024
	refuse(`{"a":1e309}`, unfit, 5, "/a"),
	refuse(`{"a":-1e309}`, unfit, 5, "/a"),
	refuse(`{"a":1e99999999999999999999}`, unfit, 5, "/a"),
	accept(`{"a":`+strings.Repeat("1", 400)+`e-399}`, a(1.1111111111111112)),
	accept(`{"a":0.`+strings.Repeat("0", 400)+`1e401}`, a(1.0)),
	accept(`{"a":0.`+strings.Repeat("0", 100_000)+`15e100001}`, a(1.5)),
	accept(`{"a":-1`+strings.Repeat("0", 100_001)+`e-100001}`, a(-1.0)),
	accept(`{"a":-0.`+strings.Repeat("0", 100_000)+`e100001}`, a(math.Copysign(0, -1))),
	accept(`{"a":1e-100000000000}`, a(0.0)),
	refuse(`{"a":1.5e100000000000}`, unfit, 5, "/a"),
	accept(`{"a":1234567890123456789.0}`, a(1234567890123456768.0)),
	refuse(`{"a":01}`, syntax, 5, "/a"),
	refuse(`{"a":-01}`, syntax, 6, "/a"),
	refuse(`{"a":00}`, syntax, 5, "/a"),
	refuse(`{"a":+1}`, syntax, 5, "/a"),
	refuse(`{"a":-}`, syntax, 6, "/a"),
	refuse(`{"a":--1}`, syntax, 6, "/a"),
	refuse(`{"a":.5}`, syntax, 5, "/a"),
	refuse(`{"a":1.}`, syntax, 7, "/a"),
	refuse(`{"a":1.e3}`, syntax, 7, "/a"),
	refuse(`{"a":1e}`, syntax, 7, "/a"),
	refuse(`{"a":1e+}`, syntax, 8, "/a"),
	refuse(`{"a":1.2.3}`, syntax, 8, ""),
	refuse(`{"a":1-2}`, syntax, 6, ""),
	refuse(`{"a":0x10}`, syntax, 6, ""),
	refuse(`{"a":1_000}`, syntax, 6, ""),
	refuse(`{"a":NaN}`, syntax, 5, "/a"),
	refuse(`{"a":Infinity}`, syntax, 5, "/a"),
	refuse(`{"a":-Infinity}`, syntax, 6, "/a"),
	refuse(`{"a":1`, syntax, 6, ""),
	refuse(`{"a":１}`, syntax, 5, "/a"), // a full-width digit
}

var stringCases = []textCase{
	accept(`{"a":""}`, a("")),
	accept(`{"a":"x"}`, a("x")),
	accept(`{"a":"1234567"}`, a("1234567")),
	accept(`{"a":"12345678"}`, a("12345678")),
	accept(`{"a":"123456789"}`, a("123456789")),
	accept(`{"a":"`+strings.Repeat("0123456789", 1000)+`"}`, a(strings.Repeat("0123456789", 1000))),
	accept(`{"a":"\"\\\/\b\f\n\r\t"}`, a("\"\\/\b\f\n\r\t")),
	accept(`{"a":"12345678\n12345678\"12345678"}`, a("12345678\n12345678\"12345678")),
	accept(`{"a":"\u0041\u00e9\u65E5\u65e5"}`, a("Aé日日")),
	accept(`{"a":"\u0000"}`, a("\x00")),
	accept(`{"a":"\u001f\u007f\u0080"}`, a("\x1f\x7f\u0080")),
	accept(`{"a":"\ud83d\ude00"}`, a("😀")),
	accept(`{"a":"\uD800\uDC00\uDBFF\uDFFF"}`, a("\U00010000\U0010FFFF")),
	accept(`{"a":"\ufffd\uffff\ufeff"}`, a("\ufffd\uffff\ufeff")),
	accept(`{"a":"\\u0041"}`, a(`\u0041`)),
	accept("{\"a\":\"\x7f\"}", a("\x7f")),
	accept(`{"\u0061":1}`, a(int32(1))),
	accept(`{"a\n\"b":1}`, bson.D{{Key: "a\n\"b", Value: int32(1)}}),
	refuse(`{"a":"\ud800"}`, unfit, 6, "/a"),
	refuse(`{"a":"\udc00"}`, unfit, 6, "/a"),
	refuse(`{"a":"x\ud800y"}`, unfit, 7, "/a"),
	refuse(`{"a":"\ud800\ud800"}`, unfit, 6, "/a"),
	refuse(`{"a":"\ud800\u0041"}`, unfit, 6, "/a"),
	refuse(`{"a":"\ude00\ud83d"}`, unfit, 6, "/a"),
	refuse(`{"a":"\ud83d\ude00\ude00"}`, unfit, 18, "/a"),
	refuse(`{"\ud800":1}`, unfit, 2, ""),
	refuse(`{"a":"\ud800\uZZZZ"}`, syntax, 12, "/a"),
	refuse(`{"a":"\u12"}`, syntax, 6, "/a"),
	refuse(`{"a":"\u12G4"}`, syntax, 6, "/a"),
	refuse(`{"a":"\u`, syntax, 6, "/a"),
	refuse(`{"a":"\x41"}`, syntax, 6, "/a"),
	refuse(`{"a":"\'"}`, syntax, 6, "/a"),
	refuse(`{"a":"\U0041"}`, syntax, 6, "/a"),
	refuse("{\"a\":\"\\\x00\"}", syntax, 6, "/a"),
	refuse(`{"a":"\`, syntax, 7, "/a"),
	refuse(`{"a":"x`, syntax, 7, "/a"),
	refuse(`{"a":"x\"}`, syntax, 10, "/a"),
	refuse("{\"a\":\"x\ny\"}", syntax, 7, "/a"),
	refuse("{\"a\":\"x\ty\"}", syntax, 7, "/a"),
	refuse("{\"a\":\"\x00\"}", syntax, 6, "/a"),
	refuse("{\"a\":\"\x1f\"}", syntax, 6, "/a"),
	refuse("{\"a\":\"12345678\x1f\"}", syntax, 14, "/a"),
	refuse(`{'a':1}`, syntax, 1, ""),
	refuse(`{"a":'x'}`, syntax, 5, "/a"),
	refuse(`{a:1}`, syntax, 1, ""),
}

// The kinds of bad UTF-8 are those of the Unicode standard, table 3-7.
var utf8Cases = []textCase{
	accept("{\"a\":\"é\"}", a("é")),
	accept("{\"a\":\"\u0080\u07ff\u0800\uffff\U00010000\U0010ffff\"}", a("\u0080\u07ff\u0800\uffff\U00010000\U0010ffff")),
	accept("{\"a\":\"\ud7ff\ue000\"}", a("\ud7ff\ue000")),
	accept("{\"日本\":\"Привет, мир\"}", bson.D{{Key: "日本", Value: "Привет, мир"}}),
	accept("{\"a\":\"\ufeff\"}", a("\ufeff")),
	refuse("{\"a\":\"\x80\"}", syntax, 6, "/a"),             // continuation alone
	refuse("{\"a\":\"\xbf\"}", syntax, 6, "/a"),             //
	refuse("{\"a\":\"\xc3\"}", syntax, 6, "/a"),             // cut short
	refuse("{\"a\":\"\xe2\x82\"}", syntax, 6, "/a"),         //
	refuse("{\"a\":\"\xf0\x9f\x98\"}", syntax, 6, "/a"),     //
	refuse("{\"a\":\"\xc0\x80\"}", syntax, 6, "/a"),         // overlong NUL
	refuse("{\"a\":\"\xc1\xbf\"}", syntax, 6, "/a"),         //
	refuse("{\"a\":\"\xe0\x80\xaf\"}", syntax, 6, "/a"),     // overlong slash
	refuse("{\"a\":\"\xe0\x9f\xbf\"}", syntax, 6, "/a"),     //
	refuse("{\"a\":\"\xf0\x8f\xbf\xbf\"}", syntax, 6, "/a"), //
	refuse("{\"a\":\"\xed\xa0\x80\"}", syntax, 6, "/a"),     // a surrogate
	refuse("{\"a\":\"\xed\xbf\xbf\"}", syntax, 6, "/a"),     //
	refuse("{\"a\":\"\xf4\x90\x80\x80\"}", syntax, 6, "/a"), // past U+10FFFF
	refuse("{\"a\":\"\xf5\x80\x80\x80\"}", syntax, 6, "/a"), //
	refuse("{\"a\":\"\xf8\x88\x80\x80\x80\"}", syntax, 6, "/a"),
	refuse("{\"a\":\"\xfe\"}", syntax, 6, "/a"),
	refuse("{\"a\":\"\xff\"}", syntax, 6, "/a"),
	refuse("{\"a\":\"\xc3(\"}", syntax, 6, "/a"),         // a bad second byte
	refuse("{\"a\":\"é\xffé\"}", syntax, 8, "/a"),        //
	refuse("{\"\xff\":1}", syntax, 2, ""),                // in a key
	refuse("{\"a\":1}\xff", syntax, 7, ""),               // outside
	refuse("{\"a\":\"12345678\xff\"}", syntax, 14, "/a"), // behind a whole word
	refuse("\ufeff{\"a\":1}", syntax, 0, ""),
	refuse("{\ufeff\"a\":1}", syntax, 1, ""),
	refuse("{\x00\"\x00a\x00\"\x00}", syntax, 1, ""), // UTF-16
}

var structureCases = []textCase{
	accept(`{}`, bson.D{}),
	accept(" \t\r\n{ \t\r\n} \t\r\n", bson.D{}),
	accept(`{"a":null,"b":true,"c":false}`, bson.D{{Key: "a", Value: nil}, {Key: "b", Value: true}, {Key: "c", Value: false}}),
	accept(`{ "a" : [ 1 , "x" , null ] }`, a(bson.A{int32(1), "x", nil})),
	accept(`{"a":{}}`, a(bson.D{})),
	accept(`{"a":[]}`, a(bson.A{})),
	accept(`{"a":[[],[{}],{"b":[]}]}`, a(bson.A{bson.A{}, bson.A{bson.D{}}, bson.D{{Key: "b", Value: bson.A{}}}})),
	accept(`{"a":[0,1,2,3,4,5,6,7,8,9,10,11]}`, a(bson.A{int32(0), int32(1), int32(2), int32(3), int32(4),
		int32(5), int32(6), int32(7), int32(8), int32(9), int32(10), int32(11)})),
	accept(`{"b":{"c":{"d":1}},"a":2}`, bson.D{{Key: "b", Value: bson.D{{Key: "c", Value: bson.D{{Key: "d", Value: int32(1)}}}}}, {Key: "a", Value: int32(2)}}),
	refuse(``, syntax, 0, ""),
	refuse(`  `, syntax, 2, ""),
	refuse(`{`, syntax, 1, ""),
	refuse(`}`, syntax, 0, ""),
	refuse(`{"a"}`, syntax, 4, ""),
	refuse(`{"a":}`, syntax, 5, "/a"),
	refuse(`{"a":1,}`, syntax, 7, ""),
	refuse(`{,"a":1}`, syntax, 1, ""),
	refuse(`{"a":1,,"b":2}`, syntax, 7, ""),
	refuse(`{"a":1 "b":2}`, syntax, 7, ""),
	refuse(`{"a" 1}`, syntax, 5, ""),
	refuse(`{"a":1;"b":2}`, syntax, 6, ""),
	refuse(`{1:2}`, syntax, 1, ""),
	refuse(`{null:2}`, syntax, 1, ""),
	refuse(`{"a":[1,]}`, syntax, 8, "/a/1"),
	refuse(`{"a":[,1]}`, syntax, 6, "/a/0"),
	refuse(`{"a":[1 2]}`, syntax, 8, "/a"),
	refuse(`{"a":[1}`, syntax, 7, "/a"),
	refuse(`{"a":[1`, syntax, 7, "/a"),
	refuse(`{"a":{"b":1]`, syntax, 11, "/a"),
	refuse(`{"a":1}}`, syntax, 7, ""),
	refuse(`{"a":1} x`, syntax, 8, ""),
	refuse(`{"a":1}{"b":2}`, syntax, 7, ""),
	refuse(`{"a":1},`, syntax, 7, ""),
	refuse("{\"a\":1}\x00", syntax, 7, ""),
	refuse("{\"a\":\x0b1}", syntax, 5, "/a"),   // a vertical tab is no white space
	refuse("{\"a\":\u00a01}", syntax, 5, "/a"), // nor is a no-break space
	refuse(`{"a":tru}`, syntax, 5, "/a"),       //
	refuse(`{"a":True}`, syntax, 5, "/a"),      //
	refuse(`{"a":nul`, syntax, 5, "/a"),        //
	refuse(`{"a":truex}`, syntax, 9, ""),       //
	refuse(`{"a":undefined}`, syntax, 5, "/a"), //
	refuse(`{"a":1/*c*/}`, syntax, 6, ""),      //
	refuse("{\"a\":1//c\n}", syntax, 6, ""),    //
	refuse(`[`, syntax, 1, "/0"),
	refuse(`{"a":{"b":[0,{"c":}]}}`, syntax, 18, "/a/b/1/c"),
	refuse(`{"a/b":{"c~d":x}}`, syntax, 14, "/a~1b/c~0d"),
	refuse(`{"\u0061":x}`, syntax, 10, "/a"),
	refuse(`{"":x}`, syntax, 4, "/"),
}

// What DESIGN allows and forbids beyond RFC 8259.
var contractCases = []textCase{
	accept(`{"a":1,"":2,"c":3}`, bson.D{{Key: "a", Value: int32(1)}, {Key: "", Value: int32(2)}, {Key: "c", Value: int32(3)}}),
	accept(`{"a.b":1,".":2,"a":3}`, bson.D{{Key: "a.b", Value: int32(1)}, {Key: ".", Value: int32(2)}, {Key: "a", Value: int32(3)}}),
	accept(`{"a$":1,"b$c":2}`, bson.D{{Key: "a$", Value: int32(1)}, {Key: "b$c", Value: int32(2)}}),
	accept(`{"a":"$oid"}`, a("$oid")),
	accept(`{"a":1,"A":2}`, bson.D{{Key: "a", Value: int32(1)}, {Key: "A", Value: int32(2)}}),
	accept(`{"a":{"a":{"a":1}}}`, a(a(a(int32(1))))),
	accept(`{"é":1,"e\u0301":2}`, bson.D{{Key: "é", Value: int32(1)}, {Key: "e\u0301", Value: int32(2)}}), // not normalised
	refuse(`null`, unfit, 0, ""),
	refuse(`true`, unfit, 0, ""),
	refuse(` 1`, unfit, 1, ""),
	refuse(`"a"`, unfit, 0, ""),
	refuse(`[]`, unfit, 0, ""),
	refuse(`[{"a":1}]`, unfit, 0, ""),
	refuse(`{"a":1,"a":1}`, unfit, 7, "/a"),
	refuse(`{"a":1,"\u0061":2}`, unfit, 7, "/a"),
	refuse(`{"a":1,"b":{"c":1,"d":2,"c":3}}`, unfit, 24, "/b/c"),
	refuse(`{"a":[{"b":1},{"b":1,"b":2}]}`, unfit, 21, "/a/1/b"),
	refuse(`{"":1,"":2}`, unfit, 6, "/"),
	refuse(`{"a\u0000b":1}`, unfit, 3, ""),
	refuse(`{"\u0000":1}`, unfit, 2, ""),
	refuse(`{"$":1}`, unfit, 1, "/$"),
	refuse(`{"$set":{"a":1}}`, unfit, 1, "/$set"),
	refuse(`{"a":{"$oid":"65f000000000000000000000"}}`, unfit, 6, "/a/$oid"),
	refuse(`{"a":{"$date":0}}`, unfit, 6, "/a/$date"),
	refuse(`{"a":{"b":1,"$c":2}}`, unfit, 12, "/a/$c"),
	refuse(`{"a":{"\u0024oid":"65f000000000000000000000"}}`, unfit, 6, "/a/$oid"),
	refuse(`{"a":[{"$ref":"x"}]}`, unfit, 7, "/a/0/$ref"),
	// A text that is no JSON is nothing else, wherever that shows.
	refuse(`{"a":1,"a":2`, syntax, 12, ""),
	refuse(`{"$a":1,}`, syntax, 8, ""),
	refuse(`[1,]`, syntax, 3, "/1"),
	refuse(`{"a":1e999,"b":tru}`, syntax, 15, "/b"),
	refuse(`{"a":"\ud800","b":"\x"}`, syntax, 19, "/b"),
	accept(`{"a":`+strings.Repeat("[", 99)+"1"+strings.Repeat("]", 99)+`}`, a(nest(99, int32(1)))),
	accept(`{"a":`+strings.Repeat("[", 99)+strings.Repeat("]", 99)+`}`, a(nest(98, bson.A{}))),
	accept(strings.Repeat(`{"a":`, 100)+"1"+strings.Repeat("}", 100), nestObjects(100, int32(1))),
	refuse(`{"a":`+strings.Repeat("[", 100)+"1"+strings.Repeat("]", 100)+`}`, unfit, 104, "/a"+strings.Repeat("/0", 99)),
	refuse(strings.Repeat(`{"a":`, 100)+"{}"+strings.Repeat("}", 100), unfit, 500, strings.Repeat("/a", 100)),
	refuse(`{"a":`+strings.Repeat("[", 100), syntax, 105, "/a"+strings.Repeat("/0", 100)),
}

var idCases = []textCase{
	accept(`{"_id":1}`, bson.D{{Key: "_id", Value: int32(1)}}),
	accept(`{"_id":"x","a":1}`, bson.D{{Key: "_id", Value: "x"}, {Key: "a", Value: int32(1)}}),
	accept(`{"a":1,"_id":2}`, bson.D{{Key: "_id", Value: int32(2)}, {Key: "a", Value: int32(1)}}),
	accept(`{"a":1,"_id":2,"b":"three"}`, bson.D{{Key: "_id", Value: int32(2)}, {Key: "a", Value: int32(1)}, {Key: "b", Value: "three"}}),
	accept(`{"a":1,"_id":12345678901,"b":2}`, bson.D{{Key: "_id", Value: int64(12345678901)}, {Key: "a", Value: int32(1)}, {Key: "b", Value: int32(2)}}),
	accept(`{"a":[1,2],"_id":"a string that is longer than an ObjectID","b":{"c":1}}`, bson.D{
		{Key: "_id", Value: "a string that is longer than an ObjectID"},
		{Key: "a", Value: bson.A{int32(1), int32(2)}}, {Key: "b", Value: bson.D{{Key: "c", Value: int32(1)}}}}),
	accept(`{"b":1,"_id":"1234567"}`, bson.D{{Key: "_id", Value: "1234567"}, {Key: "b", Value: int32(1)}}), // 17 bytes, as the room
	accept(`{"\u005fid":1,"a":2}`, bson.D{{Key: "_id", Value: int32(1)}, {Key: "a", Value: int32(2)}}),
	accept(`{"a":2,"_id":{"x":1,"_id":3}}`, bson.D{{Key: "_id", Value: bson.D{{Key: "x", Value: int32(1)}, {Key: "_id", Value: int32(3)}}}, {Key: "a", Value: int32(2)}}),
	accept(`{"_id":-0}`, bson.D{{Key: "_id", Value: math.Copysign(0, -1)}}),
	accept(`{"_id":false}`, bson.D{{Key: "_id", Value: false}}),
	accept(`{"_id":"65f000000000000000000000"}`, bson.D{{Key: "_id", Value: "65f000000000000000000000"}}), // no guessing
	accept(`{"a":{"b":1,"_id":null}}`, a(bson.D{{Key: "b", Value: int32(1)}, {Key: "_id", Value: nil}})),
	accept(`{"_ID":1}`, bson.D{{Key: "_ID", Value: int32(1)}}),
	refuse(`{"_id":null}`, unfit, 7, "/_id"),
	refuse(`{"_id":[]}`, unfit, 7, "/_id"),
	refuse(`{"a":1,"_id":[1]}`, unfit, 13, "/_id"),
	refuse(`{"_id":{"$oid":"65f000000000000000000000"}}`, unfit, 8, "/_id/$oid"),
	refuse(`{"_id":1,"_id":2}`, unfit, 9, "/_id"),
	refuse(`{"a":0,"_id":1,"_id":2}`, unfit, 15, "/_id"),
}
