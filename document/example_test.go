package document_test

import (
	"errors"
	"fmt"
	"io"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/document"
)

// counter makes ids that are the same on every run.
func counter() func() [12]byte {
	var id [12]byte
	return func() [12]byte {
		id[11]++
		return id
	}
}

func Example() {
	opts := &document.Options{NewID: counter()} // without it: bson.NewObjectID

	doc, id, err := document.Append(nil, []byte(`{"name":"Ada","age":36}`), opts)
	if err != nil {
		panic(err)
	}
	fmt.Println(id.Generated, bson.Raw(doc))

	_, _, err = document.Append(nil, []byte(`{"name":"Ada","tags":["a",{"b":1,"b":2}]}`), opts)
	fmt.Println(err)
	// Output:
	// true {"_id": {"$oid":"000000000000000000000001"},"name": "Ada","age": {"$numberInt":"36"}}
	// document: duplicate key "b" (line 1, column 34, offset 33, at "/tags/1/b")
}

func ExampleAppend_reuse() {
	opts := &document.Options{NewID: counter()}
	var buf []byte // grows once, then serves every request
	for _, text := range []string{`{"n":1}`, `{"n":2.5,"_id":"mine"}`} {
		var id document.ID
		var err error
		if buf, id, err = document.Append(buf[:0], []byte(text), opts); err != nil {
			panic(err)
		}
		reply, _ := id.AppendJSON([]byte(`{"_id":`))
		fmt.Printf("%s} %d bytes\n", reply, len(buf))
	}
	// Output:
	// {"_id":"000000000000000000000001"} 29 bytes
	// {"_id":"mine"} 30 bytes
}

func ExampleError() {
	for _, text := range []string{"{\"a\":1,\n \"b\":tru}", `{"a":[1,1e999]}`} {
		_, _, err := document.Append(nil, []byte(text), nil)
		var e *document.Error
		if errors.As(err, &e) {
			fmt.Printf("%v at line %d, column %d, %s\n", e.Kind, e.Line, e.Column, e.Pointer)
		}
	}
	// Output:
	// syntax at line 2, column 6, /b
	// unfit at line 1, column 9, /a/1
}

func ExampleOptions_extendedJSON() {
	text := []byte(`{"_id":{"$oid":"65f000000000000000000001"},"at":{"$date":"2026-01-02T03:04:05Z"}}`)
	_, _, err := document.Append(nil, text, nil)
	fmt.Println(err)
	doc, _, err := document.Append(nil, text, &document.Options{ExtendedJSON: true})
	fmt.Println(bson.Raw(doc).Lookup("at").Type, err)
	// Output:
	// document: key "$oid" starts with $ (line 1, column 9, offset 8, at "/_id/$oid")
	// UTC datetime <nil>
}

func ExampleLimits() {
	opts := &document.Options{Limits: document.FerretDB()}
	_, _, err := document.Append(nil, []byte(`{"matrix":[[1,2],[3,4]]}`), opts)
	fmt.Println(err)
	// Output:
	// document: an array inside an array, which the store cannot hold (line 1, column 12, offset 11, at "/matrix/0")
}

func ExampleNewArray() {
	r := document.NewArray([]byte(`[{"a":1}, {"$a":2}, {"a":3}]`), nil)
	for {
		_, id, err := r.Next(nil)
		if err == io.EOF {
			break
		}
		fmt.Println(r.Index(), id.Generated, err)
	}
	// Output:
	// 0 true <nil>
	// 1 false document: key "$a" starts with $ (line 1, column 12, offset 11, at "/1/$a")
	// 2 true <nil>
}

func ExampleNewLines() {
	r := document.NewLines([]byte("{\"a\":1}\r\n\r\n{\"a\":\n{\"_id\":7}"), nil)
	for {
		_, id, err := r.Next(nil)
		if err == io.EOF {
			break
		}
		fmt.Println(r.Line(), id.Type, err)
	}
	// Output:
	// 1 objectID <nil>
	// 3 invalid document: the text ends where a value should be (line 3, column 6, offset 16, at "/a")
	// 4 32-bit integer <nil>
}

func ExampleBuild() {
	b := document.Build(nil, &document.Options{NewID: counter()})
	b.String("user", "ada")
	b.JSON("answers", []byte(`{"q1":"yes","q2":[1,2]}`))
	doc, _, err := b.End()
	if err != nil {
		panic(err)
	}
	text, _ := document.AppendJSON(nil, doc, document.Plain)
	fmt.Printf("%s\n", text)
	// Output:
	// {"_id":"000000000000000000000001","user":"ada","answers":{"q1":"yes","q2":[1,2]}}
}

func ExampleAppendJSON() {
	doc, err := bson.Marshal(bson.D{
		{Key: "_id", Value: bson.ObjectID{11: 1}},
		{Key: "at", Value: bson.DateTime(1767323045000)},
		{Key: "n", Value: int64(7)},
	})
	if err != nil {
		panic(err)
	}
	for _, mode := range []document.Mode{document.Plain, document.Relaxed, document.Canonical} {
		text, err := document.AppendJSON(nil, doc, mode)
		fmt.Printf("%s %v\n", text, err)
	}
	// Output:
	// {"_id":"000000000000000000000001","at":"2026-01-02T03:04:05Z","n":7} <nil>
	// {"_id":{"$oid":"000000000000000000000001"},"at":{"$date":"2026-01-02T03:04:05Z"},"n":7} <nil>
	// {"_id":{"$oid":"000000000000000000000001"},"at":{"$date":{"$numberLong":"1767323045000"}},"n":{"$numberLong":"7"}} <nil>
}

func ExampleParseID() {
	for _, c := range []struct{ text, t string }{
		{"65f000000000000000000001", ""}, {"ada", ""}, {"7", "int"}, {"x", "uuid"},
	} {
		id, err := document.ParseID(c.text, document.IDType(c.t))
		fmt.Println(id.Type, err)
	}
	// Output:
	// objectID <nil>
	// string <nil>
	// 32-bit integer <nil>
	// invalid document: invalid id: "x" is no UUID
}
