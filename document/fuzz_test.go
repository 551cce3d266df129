package document_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/document"
)

// beyondReference reports whether text may nest deeper than encoding/json goes (10,000 levels),
// where it says "no JSON" to what is JSON.
func beyondReference(text []byte) bool {
	return bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) > 10_000
}

func kindOf(t testing.TB, err error) document.Kind {
	var e *document.Error
	if err != nil && !errors.As(err, &e) {
		t.Fatalf("error is no *document.Error: %v", err)
	}
	if e == nil {
		return 0
	}
	return e.Kind
}

// FuzzAppend holds Append against the reference: the same texts are JSON, the same are documents,
// and the documents are the same bytes, which the driver decodes to the same values.
func FuzzAppend(f *testing.F) {
	for _, c := range cases {
		if len(c.text) < 1000 { // long seeds only slow the fuzzer down
			f.Add([]byte(c.text))
		}
	}
	prefix := []byte("in front")
	opts := fixed(document.Options{})
	f.Fuzz(func(t *testing.T, text []byte) {
		if beyondReference(text) {
			return
		}
		out, id, err := document.Append(prefix, text, opts)
		kind := kindOf(t, err)
		if (kind == document.Syntax) == isJSON(text) {
			t.Fatalf("%q: encoding/json says JSON is %v, Append says %v", text, isJSON(text), err)
		}
		if !bytes.HasPrefix(out, prefix) || err != nil && len(out) != len(prefix) {
			t.Fatalf("%q: the buffer became %q", text, out)
		}
		if kind == document.Syntax {
			return
		}
		want, ok := reference(t, text)
		if ok != (err == nil) {
			t.Fatalf("%q: the reference says document is %v, Append says %v", text, ok, err)
		}
		if ok {
			compare(t, text, out[len(prefix):], id, want)
		}
	})
}

func compare(t *testing.T, text, doc []byte, id document.ID, want bson.D) {
	if raw := mustMarshal(t, want); !bytes.Equal(doc, raw) {
		t.Fatalf("%q:\n got %x\nwant %x", text, doc, raw)
	}
	var got bson.D
	if err := bson.Unmarshal(doc, &got); err != nil {
		t.Fatalf("%q: the driver: %v", text, err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%q:\n got %#v\nwant %#v", text, got, want)
	}
	first, err := bson.Raw(doc).IndexErr(0)
	if err != nil || first.Key() != "_id" || byte(first.Value().Type) != byte(id.Type) ||
		!bytes.Equal(first.Value().Value, id.Value) {
		t.Fatalf("%q: id is %v, the document starts with %v", text, id, first)
	}
	for _, mode := range []document.Mode{document.Relaxed, document.Canonical} {
		out, err := document.AppendJSON(nil, doc, mode)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		back, _, err := document.Append(nil, out, &document.Options{ExtendedJSON: true})
		if err != nil || !bytes.Equal(back, doc) {
			t.Fatalf("%q: written as %s, read back as %x, %v; want %x", text, out, back, err, doc)
		}
	}
}

// FuzzExtendedJSON: with all options on, the same texts are JSON, and what is accepted is BSON by the
// driver's judgement, which written as canonical Extended JSON reads back as the same bytes.
func FuzzExtendedJSON(f *testing.F) {
	for _, w := range wrappers {
		f.Add([]byte(`{"a":` + w.text + `}`))
		f.Add([]byte(`{"a":[` + w.text + `],"_id":` + w.text + `}`))
	}
	opts := fixed(document.Options{ExtendedJSON: true, BigNumbers: true})
	f.Fuzz(func(t *testing.T, text []byte) {
		if beyondReference(text) {
			return
		}
		doc, _, err := document.Append(nil, text, opts)
		if (kindOf(t, err) == document.Syntax) == isJSON(text) {
			t.Fatalf("%q: encoding/json says JSON is %v, Append says %v", text, isJSON(text), err)
		}
		if err != nil {
			return
		}
		if err := bson.Raw(doc).Validate(); err != nil {
			t.Fatalf("%q: %x: %v", text, doc, err)
		}
		out, err := document.AppendJSON(nil, doc, document.Canonical)
		if err != nil {
			t.Fatalf("%q: %x: %v", text, doc, err)
		}
		if back, _, err := document.Append(nil, out, opts); err != nil || !bytes.Equal(back, doc) {
			t.Fatalf("%q: written as %s, read back as %x, %v; want %x", text, out, back, err, doc)
		}
	})
}

// FuzzArray holds the reader over an array against Append on every element by itself.
func FuzzArray(f *testing.F) {
	f.Add([]byte(`[]`))
	f.Add([]byte(`[{"a":1}, {"a":1,"a":2} ,3,[{"b":"]"}],{"_id":"x"}]`))
	f.Add([]byte(`[{"a":1},{"a":1,]`))
	f.Add([]byte(`[{"a":1},]`))
	f.Add([]byte(`[{"a":1}] x`))
	f.Add([]byte(`{"a":1}`))
	f.Add([]byte(" [\n{\"a\":\"\\ud800\"},{\"$a\":1},{\"a\":9223372036854775808}]"))
	opts := fixed(document.Options{})
	f.Fuzz(func(t *testing.T, body []byte) {
		if beyondReference(body) {
			return
		}
		var elements []json.RawMessage
		if isJSON(body) && json.Unmarshal(body, &elements) == nil && bytes.ContainsRune(body, '[') {
			checkElements(t, body, elements, opts)
			return
		}
		r := document.NewArray(body, opts)
		for {
			_, _, err := r.Next(nil)
			if err == io.EOF {
				t.Fatalf("%q is no array, and the reader found its end", body)
			}
			if kind := kindOf(t, err); kind == document.Syntax || isJSON(body) {
				if _, _, again := r.Next(nil); again != err {
					t.Fatalf("%q: after %v comes %v", body, err, again)
				}
				return
			}
		}
	})
}

func checkElements(t *testing.T, body []byte, elements []json.RawMessage, opts *document.Options) {
	r := document.NewArray(body, opts)
	for i, element := range elements {
		want, _, wantErr := document.Append(nil, element, opts)
		got, _, err := r.Next(nil)
		if !bytes.Equal(got, want) || kindOf(t, err) != kindOf(t, wantErr) || r.Index() != i {
			t.Fatalf("%q, element %d: got %x, %v at %d; want %x, %v", body, i, got, err, r.Index(), want, wantErr)
		}
	}
	if _, _, err := r.Next(nil); err != io.EOF {
		t.Fatalf("%q: after all elements: %v", body, err)
	}
}

// FuzzLines holds the reader over NDJSON against Append on every line by itself.
func FuzzLines(f *testing.F) {
	f.Add([]byte("{\"a\":1}\n\n{\"b\":2}\r\n \t\r\n{\"c\":\n3}"))
	f.Add([]byte("\ufeff{}\n{}\n{\"a\":1,\"a\":2}\n[]\n"))
	opts := fixed(document.Options{})
	f.Fuzz(func(t *testing.T, body []byte) {
		r := document.NewLines(body, opts)
		index, offset := 0, 0
		for n, line := range bytes.Split(body, []byte("\n")) {
			if len(bytes.Trim(line, " \t\r")) > 0 {
				checkLine(t, &r, line, offset, n+1, index, opts)
				index++
			}
			offset += len(line) + 1
		}
		if _, _, err := r.Next(nil); err != io.EOF {
			t.Fatalf("%q: after all lines: %v", body, err)
		}
	})
}

func checkLine(t *testing.T, r *document.Reader, line []byte, offset, number, index int, opts *document.Options) {
	want, _, wantErr := document.Append(nil, line, opts)
	got, _, err := r.Next(nil)
	if !bytes.Equal(got, want) || r.Line() != number || r.Index() != index {
		t.Fatalf("line %d %q: got %x, %v; want %x, %v", number, line, got, err, want, wantErr)
	}
	if wantErr != nil {
		w := *wantErr.(*document.Error)
		w.Offset += offset
		w.Line = number
		if g := err.(*document.Error); *g != w {
			t.Fatalf("line %d %q:\n got %+v\nwant %+v", number, line, *g, w)
		}
	}
}

// FuzzAppendJSON feeds AppendJSON with any bytes. What it takes is JSON in every mode, and in
// canonical Extended JSON it reads back as the same bytes wherever Append may hold it at all.
func FuzzAppendJSON(f *testing.F) {
	for _, v := range everyType {
		raw, err := bson.Marshal(bson.D{{Key: "_id", Value: int32(1)}, {Key: "v", Value: v}, {Key: "a", Value: bson.A{v, v}}})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, mode := range []document.Mode{document.Plain, document.Relaxed, document.Canonical} {
			text, err := document.AppendJSON(nil, raw, mode)
			if err != nil {
				if !errors.Is(err, document.ErrBSON) || len(text) > 0 {
					t.Fatalf("%x: %q, %v", raw, text, err)
				}
				continue
			}
			if !isJSON(text) {
				t.Fatalf("%x: %v JSON is not JSON: %q", raw, mode, text)
			}
			if mode == document.Canonical {
				checkReadBack(t, raw, text)
			}
		}
	})
}

// checkReadBack skips what has no single form: ids that are not first, keys of arrays that are not
// 0, 1, 2, …, strings that are not UTF-8, NaNs with a payload, decimals that are not canonical,
// options of a pattern out of order. All of them change the size, or the text of a second round.
func checkReadBack(t *testing.T, raw, text []byte) {
	back, _, err := document.Append(nil, text, fixed(document.Options{ExtendedJSON: true}))
	if err != nil {
		return
	}
	if bytes.Equal(back, raw) {
		return
	}
	again, err := document.AppendJSON(nil, back, document.Canonical)
	if err != nil {
		t.Fatalf("%x: read back as %x: %v", raw, back, err)
	}
	twice, _, err := document.Append(nil, again, fixed(document.Options{ExtendedJSON: true}))
	if err != nil || !bytes.Equal(twice, back) {
		t.Fatalf("%q:\nfirst  %x\nsecond %x %v", text, back, twice, err)
	}
}
