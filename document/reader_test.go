package document_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/document"
)

// read renders all that a reader gives. Every document and error is led by the index and line that
// the reader says it is at; a document is its "a", an error its kind, offset, line, column and
// pointer. The text ends in "end", or in "final" for an error that Next repeats.
func read(r document.Reader) string {
	var b strings.Builder
	var last error
	for {
		doc, _, err := r.Next(nil)
		if err == io.EOF {
			return b.String() + "end"
		}
		if err != nil && err == last {
			return b.String() + "final"
		}
		last = err
		fmt.Fprintf(&b, "#%d line %d: ", r.Index(), r.Line())
		var e *document.Error
		if errors.As(err, &e) {
			fmt.Fprintf(&b, "%v at %d (%d:%d) %s; ", e.Kind, e.Offset, e.Line, e.Column, e.Pointer)
			continue
		}
		fmt.Fprintf(&b, "%v; ", bson.Raw(doc).Lookup("a"))
	}
}

func TestArrayReader(t *testing.T) {
	for body, want := range map[string]string{
		`[]`:                                 `end`,
		" [ \n ] \n":                         `end`,
		`[{"a":"x"}]`:                        `#0 line 1: "x"; end`,
		"[\n{\"a\":\"x\"} ,\n{\"a\":\"y\"}]": `#0 line 2: "x"; #1 line 3: "y"; end`,
		// An element that cannot be a document is passed over, with all that is in it.
		"[{\"a\":\"x\"},\n[[{\"]\":\"}\"}]],{\"a\":\"y\"}]": `#0 line 1: "x"; #1 line 2: unfit at 12 (2:1) /1; #2 line 2: "y"; end`,
		`[1,null,"x",{"a":"y"}]`:                            `#0 line 1: unfit at 1 (1:2) /0; #1 line 1: unfit at 3 (1:4) /1; #2 line 1: unfit at 8 (1:9) /2; #3 line 1: "y"; end`,
		`[{"b":{"c":1,"c":2}},{"a":"x"}]`:                   `#0 line 1: unfit at 13 (1:14) /0/b/c; #1 line 1: "x"; end`,
		// Nobody can say where the next element starts.
		`[{"a":"x"},{"a":}]`:       `#0 line 1: "x"; #1 line 1: syntax at 16 (1:17) /1/a; final`,
		`[{"a":"x"},{"a":1,"a":}]`: `#0 line 1: "x"; #1 line 1: syntax at 22 (1:23) /1/a; final`,
		`[{"a":"x"},`:              `#0 line 1: "x"; #1 line 1: syntax at 11 (1:12) /1; final`,
		`[{"a":"x"},]`:             `#0 line 1: "x"; #1 line 1: syntax at 11 (1:12) /1; final`,
		`[{"a":"x"}`:               `#0 line 1: "x"; #0 line 1: syntax at 10 (1:11) ; final`,
		`[{"a":"x"} {"a":"y"}]`:    `#0 line 1: "x"; #0 line 1: syntax at 11 (1:12) ; final`,
		"[{\"a\":\"x\"}]\n x":      `#0 line 1: "x"; #0 line 2: syntax at 13 (2:2) ; final`,
		`[,{"a":"x"}]`:             `#0 line 1: syntax at 1 (1:2) /0; final`,
		`[`:                        `#0 line 1: syntax at 1 (1:2) /0; final`,
		``:                         `#-1 line 1: syntax at 0 (1:1) ; final`,
		`{"a":"x"}`:                `#-1 line 1: unfit at 0 (1:1) ; final`,
		`{"a":"x"`:                 `#-1 line 1: syntax at 8 (1:9) ; final`,
	} {
		if got := read(document.NewArray([]byte(body), nil)); got != want {
			t.Errorf("%q:\n got %s\nwant %s", body, got, want)
		}
	}
}

func TestLineReader(t *testing.T) {
	for body, want := range map[string]string{
		"":                                   `end`,
		"\n \t\r\n\n":                        `end`,
		`{"a":"x"}`:                          `#0 line 1: "x"; end`,
		"{\"a\":\"x\"}\n":                    `#0 line 1: "x"; end`,
		"{\"a\":\"x\"}\r\n{\"a\":\"y\"}\r\n": `#0 line 1: "x"; #1 line 2: "y"; end`,
		"\n\n{\"a\":\"x\"}\n\n{\"a\":\"y\"}": `#0 line 3: "x"; #1 line 5: "y"; end`,
		// A bad line is that line's error.
		"{\"a\":\n\"x\"}\n{\"a\":\"y\"}":             `#0 line 1: syntax at 5 (1:6) /a; #1 line 2: syntax at 9 (2:4) ; #2 line 3: "y"; end`,
		"\n {\"a\":1,\"a\":2}\n{\"a\":\"y\"}":        `#0 line 2: unfit at 9 (2:9) /a; #1 line 3: "y"; end`,
		"{\"a\":\"x\"} {\"a\":\"y\"}\n{\"a\":\"z\"}": `#0 line 1: syntax at 10 (1:11) ; #1 line 2: "z"; end`,
		"\ufeff{\"a\":\"x\"}\n{\"a\":\"y\"}":         `#0 line 1: syntax at 0 (1:1) ; #1 line 2: "y"; end`,
		"[]\n{\"a\":\"\\ud800\"}\n{":                 `#0 line 1: unfit at 0 (1:1) ; #1 line 2: unfit at 9 (2:7) /a; #2 line 3: syntax at 19 (3:2) ; end`,
	} {
		if got := read(document.NewLines([]byte(body), nil)); got != want {
			t.Errorf("%q:\n got %s\nwant %s", body, got, want)
		}
	}
}

// Every document goes to the caller's buffer, and what was there stays.
func TestReaderAppends(t *testing.T) {
	r := document.NewLines([]byte("{\"a\":1}\n{\"a\":2,\"a\":3}\n{\"_id\":4}"), fixed(document.Options{}))
	var out []byte
	for {
		var err error
		if out, _, err = r.Next(out); err == io.EOF {
			break
		}
	}
	want := append(mustMarshal(t, withID(a(int32(1)))), mustMarshal(t, bson.D{{Key: "_id", Value: int32(4)}})...)
	if !bytes.Equal(out, want) {
		t.Errorf("\n got %x\nwant %x", out, want)
	}
}

// A body of nothing but bad elements is read in one go, not once for every one of them.
func TestReaderIsNotQuadratic(t *testing.T) {
	const n = 1 << 18
	for _, r := range []document.Reader{
		document.NewArray([]byte("["+strings.Repeat("1,\n", n-1)+"1]"), nil),
		document.NewLines([]byte(strings.Repeat("1\n", n)), nil),
	} {
		count := 0
		for {
			_, _, err := r.Next(nil)
			if err == io.EOF {
				break
			}
			if e := err.(*document.Error); e.Kind != unfit || e.Line != count+1 {
				t.Fatalf("document %d: %v", count, err)
			}
			count++
		}
		if count != n {
			t.Errorf("%d documents of %d", count, n)
		}
	}
}

func TestReaderDoesNotAllocate(t *testing.T) {
	body := bytes.Repeat(append(sample(t, "survey14"), '\n'), 100)
	buf := make([]byte, 0, 1<<12)
	allocs := testing.AllocsPerRun(20, func() {
		r := document.NewLines(body, nil)
		for {
			if _, _, err := r.Next(buf); err == io.EOF {
				return
			}
		}
	})
	if allocs > 0 && !raceEnabled {
		t.Errorf("%v allocations", allocs)
	}
}
