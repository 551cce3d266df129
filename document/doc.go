// Package document turns JSON into BSON documents, strictly and in one pass, and BSON into JSON.
//
// It is for servers that put what strangers send into MongoDB: it refuses what JSON or MongoDB
// forbid, says where, and changes nothing silently. There is no reflection and no tree in between;
// with a buffer that has grown, [Append] allocates nothing.
//
// A whole program, which reads NDJSON and prints what would be stored:
//
//	package main
//
//	import (
//		"fmt"
//		"io"
//		"log"
//		"os"
//
//		"github.com/rapidrest/rapidrest/document"
//	)
//
//	func main() {
//		body, err := io.ReadAll(os.Stdin)
//		if err != nil {
//			log.Fatal(err)
//		}
//		var doc, text []byte
//		for r := document.NewLines(body, nil); ; {
//			doc, _, err = r.Next(doc[:0])
//			if err == io.EOF {
//				return
//			}
//			if err != nil {
//				log.Printf("line %d: %v", r.Line(), err)
//				continue
//			}
//			if text, err = document.AppendJSON(text[:0], doc, document.Relaxed); err != nil {
//				log.Fatal(err)
//			}
//			fmt.Printf("%s\n", text)
//		}
//	}
//
// # From JSON
//
// A text is one JSON object, with white space around it at most. It becomes:
//
//	object, array           document, array
//	true, false, null       boolean, null
//	string                  string
//	integer                 int32 if it fits, else int64; beyond that it is refused,
//	                        or with BigNumbers a decimal128 of up to 34 significant digits
//	-0                      the double -0, because no integer can hold it
//	fraction or exponent    double, correctly rounded; too small a number is 0 or -0
//	_id                     moved to the front; without one, a new ObjectID
//	{"$oid":"…"} and so on  with ExtendedJSON: the type that Extended JSON v2 means
//
// What is refused says of what kind it is. A text that is no JSON is [Syntax], whatever else might
// be wrong with it:
//
//	Syntax     anything that RFC 8259 does not allow: trailing data, leading zeros, control
//	           characters in strings, comments, trailing commas, …
//	Syntax     invalid UTF-8, and a byte order mark
//	Unfit      a top level that is no object
//	Unfit      a key twice in one object, a key that starts with $, a key with a NUL
//	Unfit      half of a surrogate pair (\ud800 alone)
//	Unfit      an integer beyond int64 (see above), a number beyond the range of a double
//	Unfit      objects and arrays nested deeper than MaxDepth, the document counting as 1
//	Unfit      an _id that is an array, a regular expression, undefined or null
//	Unfit      what Limits says that the store cannot hold
//	Unfit      with ExtendedJSON: a wrapper that is not as the specification says
//	TooLarge   a document of more than MaxSize bytes of BSON, _id included
//
// Keys that are empty, contain a dot, or differ in case or Unicode normalisation only, are allowed.
//
// [NewArray] and [NewLines] read many documents from one body. [Build] puts a document together
// from an app's own fields and JSON that came from elsewhere.
//
// # To JSON
//
// [AppendJSON] writes any BSON document, of any origin, in one of three modes:
//
//	                    Plain                   Relaxed                    Canonical
//	int32 7             7                       7                          {"$numberInt":"7"}
//	int64 7             7                       7                          {"$numberLong":"7"}
//	double 7            7.0                     7.0                        {"$numberDouble":"7.0"}
//	NaN, ±Infinity      "NaN", "Infinity", …    {"$numberDouble":"NaN"}    as Relaxed
//	decimal128          12345678901234567890    {"$numberDecimal":"12…"}   as Relaxed
//	ObjectID            "65f0…"                 {"$oid":"65f0…"}           as Relaxed
//	date                "2026-01-02T03:04:05Z"  {"$date":"2026-01-…"}      {"$date":{"$numberLong":"…"}}
//	date before 1970    as other dates          {"$date":{"$numberLong":"…"}}, as Canonical
//	year > 9999, < 0    as Canonical            as Canonical               {"$date":{"$numberLong":"…"}}
//	UUID                "0011…-…-ff"            {"$binary":{…}}            as Relaxed
//	binary              base64 in a string      {"$binary":{…}}            as Relaxed
//	symbol              a string                {"$symbol":"…"}            as Relaxed
//	all other types     as Relaxed              as Extended JSON v2        as Extended JSON v2
//
// A double always has a fraction or an exponent, so that what [Append] made of plain JSON comes back
// as the same types when the text is read again.
package document
