package document_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/document"
)

func TestBuilder(t *testing.T) {
	for text, want := range map[string]any{
		`{"q1":"yes","_id":7,"q2":[1]}`: bson.D{{Key: "q1", Value: "yes"}, {Key: "_id", Value: int32(7)}, {Key: "q2", Value: bson.A{int32(1)}}},
		` {} `:                          bson.D{},
		`[1,{}]`:                        bson.A{int32(1), bson.D{}},
		` "x" `:                         "x",
		`-0`:                            math.Copysign(0, -1),
		`2147483648`:                    int64(2147483648),
		`null`:                          nil,
	} {
		b := document.Build([]byte("front"), fixed(document.Options{}))
		b.String("user", "adä")
		b.JSON("answers", []byte(text))
		b.String("source", "")
		doc, id, err := b.End()
		wantDoc := mustMarshal(t, withID(bson.D{{Key: "user", Value: "adä"}, {Key: "answers", Value: want}, {Key: "source", Value: ""}}))
		if err != nil || !bytes.Equal(doc, append([]byte("front"), wantDoc...)) {
			t.Errorf("%s:\n got %x, %v\nwant %x", text, doc, err, wantDoc)
		}
		if !id.Generated || id.Type != bson.TypeObjectID || !bytes.Equal(id.Value, fixedID[:]) {
			t.Errorf("%s: id %v", text, id)
		}
	}
}

func TestBuilderFields(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.FixedZone("", 3600))
	b := document.Build(nil, fixed(document.Options{}))
	b.Int("small", -1)
	b.Int("large", math.MinInt64)
	b.Time("at", at)
	doc, _, err := b.End()
	want := mustMarshal(t, withID(bson.D{{Key: "small", Value: int32(-1)}, {Key: "large", Value: int64(math.MinInt64)}, {Key: "at", Value: at}}))
	if err != nil || !bytes.Equal(doc, want) {
		t.Errorf("got %x, %v; want %x", doc, err, want)
	}
}

func TestLesson24_BuilderRefusesNULInKey(t *testing.T) {
	for _, add := range []func(*document.Builder){
		func(b *document.Builder) { b.String("a\x00b", "x") },
		func(b *document.Builder) { b.Int("a\x00b", 1) },
		func(b *document.Builder) { b.JSON("a\x00b", []byte("1")) },
	} {
		b := document.Build(nil, nil)
		add(&b)
		if _, _, err := b.End(); err == nil {
			t.Error("a key with a NUL was taken")
		}
	}
}

func TestBuilderRefuses(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for text, kind := range map[string]document.Kind{
		``:                syntax,
		`{"a":1} x`:       syntax,
		`{"a":1,}`:        syntax,
		`{"a":1,"a":2}`:   unfit,
		`{"$a":1}`:        unfit,
		`1e999`:           unfit,
		deep(100):         unfit, // the document around it is the 101st level
		`{"a":1,"a":2} x`: syntax,
		`"` + strings.Repeat("x", document.MaxSize) + `"`:    tooLarge,
		`"` + strings.Repeat("x", document.MaxSize-60) + `"`: tooLarge, // with what follows
	} {
		b := document.Build([]byte("front"), nil)
		b.JSON("answers", []byte(text))
		b.String("note", strings.Repeat("y", 100))
		b.JSON("more", []byte(`1`))
		doc, _, err := b.End()
		if kindOf(t, err) != kind || string(doc) != "front" {
			t.Errorf("%s: %v, want kind %v; buffer %q", clip(text), err, kind, doc)
		}
	}
	b := document.Build(nil, nil)
	b.JSON("answers", []byte(deep(99)))
	if _, _, err := b.End(); err != nil {
		t.Errorf("depth 100: %v", err)
	}
	b = document.Build(nil, nil)
	b.String("user", "\xff")
	b.JSON("answers", []byte(`{`))
	var e *document.Error
	if _, _, err := b.End(); err == nil || errors.As(err, &e) {
		t.Errorf("a string that is not UTF-8: %v", err)
	}
}

func TestBuilderDoesNotAllocate(t *testing.T) {
	text := sample(t, "survey14")
	buf := make([]byte, 0, 1024)
	allocs := testing.AllocsPerRun(100, func() {
		b := document.Build(buf, nil)
		b.String("user", "ada")
		b.JSON("answers", text)
		if _, _, err := b.End(); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 0 && !raceEnabled {
		t.Errorf("%v allocations", allocs)
	}
}
