package document_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/document"
)

// withID is want as it must come out: the id that the text gave, or fixedID in front.
func withID(want bson.D) bson.D {
	if len(want) > 0 && want[0].Key == "_id" {
		return want
	}
	return append(bson.D{{Key: "_id", Value: bson.ObjectID(fixedID)}}, want...)
}

func TestAppend(t *testing.T) {
	if len(cases) < 150 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(clip(c.text), func(t *testing.T) {
			doc, id, err := document.Append([]byte("front"), []byte(c.text), fixed(document.Options{}))
			if c.want == nil {
				checkRefusal(t, c, err)
				if string(doc) != "front" {
					t.Errorf("the buffer became %q", doc)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := mustMarshal(t, withID(c.want))
			if got := doc[len("front"):]; !bytes.Equal(got, want) {
				t.Errorf("\n got %x\nwant %x", got, want)
			}
			if generated := len(c.want) == 0 || c.want[0].Key != "_id"; id.Generated != generated {
				t.Errorf("Generated = %v", id.Generated)
			}
		})
	}
}

func checkRefusal(t *testing.T, c textCase, err error) {
	t.Helper()
	var e *document.Error
	if !errors.As(err, &e) {
		t.Fatalf("error is %v, want a *document.Error", err)
	}
	if e.Kind != c.kind || e.Offset != c.offset || e.Pointer != c.pointer {
		t.Errorf("%v: got %v at %d, %q; want %v at %d, %q", e, e.Kind, e.Offset, e.Pointer, c.kind, c.offset, c.pointer)
	}
	line := 1 + strings.Count(c.text[:c.offset], "\n")
	column := c.offset - strings.LastIndex(c.text[:c.offset], "\n")
	if e.Line != line || e.Column != column {
		t.Errorf("line %d, column %d; want %d, %d", e.Line, e.Column, line, column)
	}
	if !strings.HasPrefix(e.Error(), "document: ") || e.Msg == "" {
		t.Errorf("message %q", e.Error())
	}
}

func clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}

// TestAppendBytes has documents written out by hand from bsonspec.org, so that nothing but the
// specification stands behind them.
func TestAppendBytes(t *testing.T) {
	const id = "07 5f696400 0102030405060708090a0b0c"
	for _, c := range []struct{ text, want string }{
		{`{}`, "16000000" + id + "00"},
		{`{"a":1}`, "1d000000" + id + "10 6100 01000000 00"},
		{`{"a":-1}`, "1d000000" + id + "10 6100 ffffffff 00"},
		{`{"a":4294967296}`, "21000000" + id + "12 6100 0000000001000000 00"},
		{`{"a":1.5}`, "21000000" + id + "01 6100 000000000000f83f 00"},
		{`{"a":-0}`, "21000000" + id + "01 6100 0000000000000080 00"},
		{`{"a":"é"}`, "20000000" + id + "02 6100 03000000 c3a900 00"},
		{`{"a":null}`, "19000000" + id + "0a 6100 00"},
		{`{"a":true}`, "1a000000" + id + "08 6100 01 00"},
		{`{"a":{"b":false}}`, "22000000" + id + "03 6100 09000000 08 6200 00 00 00"},
		{`{"a":[7,null]}`, "28000000" + id + "04 6100 0f000000 10 3000 07000000 0a 3100 00 00"},
		{`{"_id":7}`, "0e000000 10 5f696400 07000000 00"},
		{`{"a":null,"_id":"x"}`, "13000000 02 5f696400 02000000 7800 0a 6100 00"},
	} {
		want, err := hex.DecodeString(strings.ReplaceAll(c.want, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := document.Append(nil, []byte(c.text), fixed(document.Options{}))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s:\n got %x, %v\nwant %x", c.text, got, err, want)
		}
	}
}

// Options are shared, parsers are not.
func TestAppendConcurrently(t *testing.T) {
	opts := fixed(document.Options{})
	text := sample(t, "events2k")
	want, _, err := document.Append(nil, text, opts)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			var buf []byte
			for range 200 {
				document.Append(buf[:0], text[:len(text)-1], opts) // a fault now and then
				if buf, _, _ = document.Append(buf[:0], text, opts); !bytes.Equal(buf, want) {
					t.Error("documents got mixed up")
				}
			}
		})
	}
	group.Wait()
}
