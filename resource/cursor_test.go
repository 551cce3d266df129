package resource

import (
	"encoding/base64"
	"math"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/rapidrest/rapidrest/document"
)

var mongoDB document.Limits // which has none

func TestCursorLeadsBack(t *testing.T) {
	sort, err := parseSort("-age,name.last")
	if err != nil {
		t.Fatal(err)
	}
	id := bson.NewObjectID()
	doc := marshal(t, bson.D{{Key: "_id", Value: id}, {Key: "age", Value: 7.5}, {Key: "name", Value: bson.D{{Key: "last", Value: "Ünal"}}}})
	c := next(doc, sort, cursor{skip: 60}, 40)
	if len(c.after) != 3 || c.skip != 0 {
		t.Fatalf("next page starts after %v, skip %d", c.after, c.skip)
	}
	back, err := decodeCursor(c.encode(sort), sort, &mongoDB)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range back.after {
		if v.typ != c.after[i].typ || string(v.data) != string(c.after[i].data) {
			t.Errorf("value %d came back as %v, want %v", i, v, c.after[i])
		}
	}
	other, _ := parseSort("age,name.last")
	if _, err := decodeCursor(c.encode(sort), other, &mongoDB); err == nil || !strings.Contains(err.Error(), "another sort") {
		t.Errorf("a cursor of another sort: %v", err)
	}
}

// TestCursorByPosition: where the values of a sort cannot be compared with, the cursor counts.
func TestCursorByPosition(t *testing.T) {
	sort, _ := parseSort("x")
	for _, x := range []any{bson.A{1, 2}, bson.D{{Key: "a", Value: 1}}, math.NaN(), bson.Regex{Pattern: "x"}, strings.Repeat("x", maxCursor)} {
		c := next(marshal(t, bson.D{{Key: "_id", Value: 1}, {Key: "x", Value: x}}), sort, cursor{skip: 40}, 2)
		if c.after != nil || c.skip != 42 {
			t.Errorf("sorted by %T: the cursor starts after %v, skip %d", x, c.after, c.skip)
		}
		back, err := decodeCursor(c.encode(sort), sort, &mongoDB)
		if err != nil || back.skip != 42 || back.after != nil {
			t.Errorf("came back as %v, %v", back, err)
		}
	}
	if c := next(marshal(t, bson.D{{Key: "_id", Value: 1}}), sort, cursor{skip: 40}, 2); len(c.after) != 2 || c.after[0].typ != bsoncore.TypeNull {
		t.Errorf("a missing field: %v", c)
	}
}

// TestCursorCountsFromValues: a page that began after a value and ends with what cannot be
// compared with leads to one that begins so many documents after that value.
func TestCursorCountsFromValues(t *testing.T) {
	sort, _ := parseSort("x")
	c := next(marshal(t, bson.D{{Key: "_id", Value: 1}}), sort, cursor{}, 3)
	for page := range 3 {
		c = next(marshal(t, bson.D{{Key: "_id", Value: 2}, {Key: "x", Value: bson.A{1}}}), sort, c, 3)
		back, err := decodeCursor(c.encode(sort), sort, &mongoDB)
		if err != nil || back.skip != int64(3*page+3) || len(back.after) != 2 || back.after[0].typ != bsoncore.TypeNull {
			t.Fatalf("page %d: %v came back as %v, %v", page, c, back, err)
		}
		c = back
	}
	if c = next(marshal(t, bson.D{{Key: "_id", Value: 3}, {Key: "x", Value: "s"}}), sort, c, 3); c.skip != 0 || c.after[0].typ != bsoncore.TypeString {
		t.Errorf("after a value again: %v", c)
	}
}

func TestForgedCursors(t *testing.T) {
	sort, _ := parseSort("x")
	forge := func(d bson.D) string { return base64.RawURLEncoding.EncodeToString(marshal(t, d)) }
	s := bson.E{Key: "s", Value: sortHash(sort)}
	dec, _ := bson.ParseDecimal128("1")
	for name, d := range map[string]bson.D{
		"empty":             {},
		"no values":         {s},
		"too few":           {s, {Key: "k", Value: 1}},
		"too many":          {s, {Key: "k", Value: 1}, {Key: "k", Value: 1}, {Key: "k", Value: 1}},
		"negative position": {s, {Key: "n", Value: int64(-1)}},
		"no number":         {s, {Key: "n", Value: "1"}},
		"an operator":       {s, {Key: "k", Value: bson.D{{Key: "$gt", Value: 1}}}, {Key: "k", Value: 1}},
		"a pattern":         {s, {Key: "k", Value: bson.Regex{Pattern: "(a+)+$"}}, {Key: "k", Value: 1}},
		"code":              {s, {Key: "k", Value: bson.JavaScript("1")}, {Key: "k", Value: 1}},
		"an array":          {s, {Key: "k", Value: bson.A{1}}, {Key: "k", Value: 1}},
		"hash as a double":  {{Key: "s", Value: 1.0}, {Key: "n", Value: int64(1)}},
	} {
		if c, err := decodeCursor(forge(d), sort, &mongoDB); err == nil {
			t.Errorf("%s: taken as %v", name, c)
		}
	}
	// What the embedded database hangs up on is kept from it.
	ferret := document.FerretDB()
	for _, v := range []any{dec, math.Inf(1)} {
		text := forge(bson.D{s, {Key: "k", Value: v}, {Key: "k", Value: 1}})
		if _, err := decodeCursor(text, sort, &ferret); err == nil {
			t.Errorf("%v reaches a store that cannot hold it", v)
		}
		if _, err := decodeCursor(text, sort, &mongoDB); err != nil {
			t.Errorf("%v is refused for MongoDB: %v", v, err)
		}
	}
}

func FuzzCursor(f *testing.F) {
	sort, _ := parseSort("x")
	f.Add(cursor{skip: 5}.encode(sort))
	f.Add(cursor{after: []value{intOf(1), stringValue("x")}}.encode(sort))
	f.Fuzz(func(t *testing.T, text string) {
		c, err := decodeCursor(text, sort, &mongoDB)
		if err != nil {
			return
		}
		if c.after == nil {
			if c.skip < 0 {
				t.Fatalf("%q skips %d", text, c.skip)
			}
			return
		}
		if err := bson.Raw(afterDoc(sort, c.after)).Validate(); err != nil {
			t.Fatalf("%q makes a filter that is no BSON: %v", text, err)
		}
	})
}

func intOf(n int32) value { return value{bsoncore.TypeInt32, bsoncore.AppendInt32(nil, n)} }
