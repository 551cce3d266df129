package integration

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/document"
	"github.com/rapidrest/rapidrest/resource"
)

// TestTheDriverReadsWhatWasPosted: types and values, as a MongoDB client sees them.
func TestTheDriverReadsWhatWasPosted(t *testing.T) {
	s := serve(t, serviceConfig{})
	oid := bson.NewObjectID()
	for _, c := range []struct {
		posted string
		want   any
	}{
		{`0`, int32(0)},
		{`-1`, int32(-1)},
		{`2147483647`, int32(math.MaxInt32)},
		{`2147483648`, int64(1) << 31},
		{`-2147483648`, int32(math.MinInt32)},
		{`-2147483649`, int64(math.MinInt32) - 1},
		{`9223372036854775807`, int64(math.MaxInt64)},
		{`-9223372036854775808`, int64(math.MinInt64)},
		{`1.0`, 1.0},
		{`1e3`, 1000.0},
		{`0.1`, 0.1},
		{`1e-400`, 0.0},
		{`5e-324`, 5e-324},
		{`1.7976931348623157e308`, math.MaxFloat64},
		{`true`, true},
		{`false`, false},
		{`null`, nil},
		{`""`, ""},
		{`"Grüße, 世界 \ud83d\ude00 \u0000"`, "Grüße, 世界 😀 \x00"},
		{`[]`, bson.A{}},
		{`[1,"a",null,{"b":2.5}]`, bson.A{int32(1), "a", nil, bson.D{{Key: "b", Value: 2.5}}}},
		{`{}`, bson.D{}},
		{`{"z":1,"a":{"y":[]},"":3}`, bson.D{{Key: "z", Value: int32(1)}, {Key: "a", Value: bson.D{{Key: "y", Value: bson.A{}}}}, {Key: "", Value: int32(3)}}},
		{`"` + oid.Hex() + `"`, oid.Hex()},                 // 24 hex digits in a field are a string
		{`"2026-01-01T00:00:00Z"`, "2026-01-01T00:00:00Z"}, // and so is a time
		{strings.Repeat(`[{"a":`, 40) + `1` + strings.Repeat(`}]`, 40), nested(40)},
	} {
		for _, bulk := range []string{"%s", "[%s]"} {
			if err := s.db.Collection("types").Drop(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := s.do(t, "POST /collections/types"+json+fmt.Sprintf(bulk, `{"v":`+c.posted+`,"_id":"a"}`))
			if status(got) != "201" {
				t.Errorf("%.80s: %s", c.posted, got)
				continue
			}
			raw, err := s.db.Collection("types").FindOne(t.Context(), bson.D{}).Raw()
			want, _ := bson.Marshal(bson.D{{Key: "_id", Value: "a"}, {Key: "v", Value: c.want}})
			if err != nil || !bytes.Equal(raw, want) {
				t.Errorf("%.80s: the driver reads %s, %v; want %s", c.posted, raw, err, bson.Raw(want))
			}
		}
	}
}

func nested(n int) any {
	var v any = int32(1)
	for range n {
		v = bson.A{bson.D{{Key: "a", Value: v}}}
	}
	return v
}

// TestIDsAreTaken: an _id of any type that MongoDB takes comes back as it was posted, and first.
func TestIDsAreTaken(t *testing.T) {
	s := serve(t, serviceConfig{resource: resource.Config{Document: document.Options{ExtendedJSON: true}}})
	oid := bson.NewObjectID()
	for posted, want := range map[string]any{
		`"a"`:                          "a",
		`7`:                            int32(7),
		`1099511627776`:                int64(1) << 40,
		`1.5`:                          1.5,
		`true`:                         true,
		`{"a":1,"b":2}`:                bson.D{{Key: "a", Value: int32(1)}, {Key: "b", Value: int32(2)}},
		`{"$oid":"` + oid.Hex() + `"}`: oid,
		`{"$uuid":"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"}`: bson.Binary{Subtype: 4, Data: []byte{0xf8, 0x1d, 0x4f, 0xae, 0x7d, 0xec, 0x11, 0xd0, 0xa7, 0x65, 0x00, 0xa0, 0xc9, 0x1e, 0x6b, 0xf6}},
	} {
		got := s.do(t, "POST /collections/ids"+json+`{"x":1,"_id":`+posted+`}`)
		if status(got) != "201" {
			t.Errorf("%s: %s", posted, got)
			continue
		}
		raw, err := s.db.Collection("ids").FindOne(t.Context(), bson.D{{Key: "_id", Value: bson.D{{Key: "$eq", Value: want}}}}).Raw()
		wanted, _ := bson.Marshal(bson.D{{Key: "_id", Value: want}, {Key: "x", Value: int32(1)}})
		if err != nil || !bytes.Equal(raw, wanted) {
			t.Errorf("%s: the driver reads %s, %v", posted, raw, err)
		}
		if at := header(got, "Location"); at != "" {
			if found := s.do(t, "GET "+at); status(found) != "200" || !strings.HasSuffix(body(found), `,"x":1}`) {
				t.Errorf("%s: GET %s: %s", posted, at, found)
			}
		}
	}
}

func TestOneDocumentsLife(t *testing.T) {
	s := serve(t, serviceConfig{})
	at := "/collections/c/anna"
	expect(t, s.do(t, "PUT "+at+json+`{"n":1}`), "201\nEtag: "+s.tag(t, at))
	first := s.tag(t, at)
	expect(t, s.do(t, "GET "+at), "200\nContent-Type: application/json\nEtag: "+first+"\n\n"+`{"_id":"anna","n":1}`)
	expect(t, s.do(t, "HEAD "+at), "200\nContent-Type: application/json\nEtag: "+first)
	expect(t, s.do(t, "GET "+at+"\nIf-None-Match: \"x\", W/"+first), "304\nEtag: "+first)
	if got := s.do(t, "GET "+at+"\nIf-Match: \"x\""); status(got) != "412" {
		t.Errorf("GET with If-Match that fails: %s", got)
	}
	expect(t, s.do(t, "PUT "+at+"\nPrefer: return=representation"+json+`{"_id":"anna","n":2,"m":{"x":1,"y":2}}`),
		"200\nContent-Type: application/json\nEtag: "+s.tag(t, at)+"\nPreference-Applied: return=representation\n\n"+`{"_id":"anna","n":2,"m":{"x":1,"y":2}}`)
	if s.tag(t, at) == first {
		t.Error("another document has the same tag")
	}
	expect(t, s.do(t, "PATCH "+at+"\nContent-Type: application/merge-patch+json\n\n"+`{"n":null,"m":{"y":null,"z":[null]},"k":"v"}`), "204\nEtag: "+s.tag(t, at))
	if got := body(s.do(t, "GET "+at)); got != `{"_id":"anna","m":{"x":1,"z":[null]},"k":"v"}` {
		t.Errorf("patched: %s", got)
	}
	expect(t, s.do(t, "PUT "+at+json+`{"n":1}`), "204\nEtag: "+first)
	for _, r := range []string{"PUT " + at + json + `{"_id":"other"}`, "PATCH " + at + json + `{"_id":"other"}`} {
		if got := s.do(t, r); status(got) != "422" || !strings.Contains(body(got), `"pointer":"/_id"`) {
			t.Errorf("%s: %s", r, got)
		}
	}
	expect(t, s.do(t, "DELETE "+at), "204")
	if got := s.do(t, "DELETE "+at); status(got) != "404" {
		t.Errorf("deleted twice: %s", got)
	}
	if got := s.do(t, "GET "+at); status(got) != "404" {
		t.Errorf("after the deletion: %s", got)
	}
	for _, bad := range []string{`{"a":`, `[1]`, `{"$set":{"a":1}}`, `"x"`, `null`} {
		for _, method := range []string{"PUT", "PATCH"} {
			if got := s.do(t, method+" "+at+json+bad); status(got) != "400" && status(got) != "422" {
				t.Errorf("%s %s: %s", method, bad, got)
			}
		}
	}
}

// tag is the entity tag of what is stored, worked out from a GET.
func (s *service) tag(t *testing.T, at string) string {
	t.Helper()
	return header(s.do(t, "GET "+at), "Etag")
}

// TestPathIDs: one path, several documents, told apart by id_type. (The embedded database has one
// _id for an ObjectID and for the string of its digits, so these two are not in one collection.)
func TestPathIDs(t *testing.T) {
	s := serve(t, serviceConfig{})
	oid := bson.NewObjectID()
	for _, d := range []bson.D{
		{{Key: "_id", Value: "7"}, {Key: "is", Value: "string"}},
		{{Key: "_id", Value: int32(7)}, {Key: "is", Value: "int"}},
		{{Key: "_id", Value: oid}, {Key: "is", Value: "objectid"}},
	} {
		if _, err := s.db.Collection("c").InsertOne(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	s.do(t, "POST /collections/hex"+json+`{"_id":"`+oid.Hex()+`","is":"hex string"}`)
	for path, want := range map[string]string{
		"c/7":                                  `{"_id":"7","is":"string"}`,
		"c/7?id_type=string":                   `{"_id":"7","is":"string"}`,
		"c/7?id_type=int":                      `{"_id":7,"is":"int"}`,
		"c/" + oid.Hex():                       `{"_id":"` + oid.Hex() + `","is":"objectid"}`,
		"hex/" + oid.Hex() + "?id_type=string": `{"_id":"` + oid.Hex() + `","is":"hex string"}`,
	} {
		if got := body(s.do(t, "GET /collections/"+path)); got != want {
			t.Errorf("GET %s: %s", path, got)
		}
	}
	if got := s.do(t, "GET /collections/hex/"+oid.Hex()); status(got) != "404" {
		t.Errorf("an ObjectID finds the string of its digits: %s", got)
	}
	for _, path := range []string{"x?id_type=int", "x?id_type=objectid", "x?id_type=uuid", "x?id_type=decimal"} {
		if got := s.do(t, "GET /collections/c/"+path); status(got) != "400" {
			t.Errorf("GET %s: %s", path, got)
		}
	}
}

// TestPatchesDoNotLoseEachOther: sixteen clients add a field each, all at once, to one document.
func TestPatchesDoNotLoseEachOther(t *testing.T) {
	s := serve(t, serviceConfig{})
	s.do(t, "POST /collections/c"+json+`{"_id":"a"}`)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			if got := s.do(t, "PATCH /collections/c/a"+json+fmt.Sprintf(`{"f%d":%d}`, i, i)); status(got) != "204" {
				t.Errorf("patch %d: %s", i, got)
			}
		})
	}
	all.Wait()
	var doc bson.M
	if err := s.db.Collection("c").FindOne(context.Background(), bson.D{}).Decode(&doc); err != nil || len(doc) != 17 {
		t.Errorf("%d fields are there (%v): %v", len(doc), err, doc)
	}
}

// TestOneOfManyConditionalChangesWins: with one tag, one change.
func TestOneOfManyConditionalChangesWins(t *testing.T) {
	s := serve(t, serviceConfig{})
	s.do(t, "POST /collections/c"+json+`{"_id":"a","n":0}`)
	tag := s.tag(t, "/collections/c/a")
	var mu sync.Mutex
	won := 0
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			got := s.do(t, "PUT /collections/c/a\nIf-Match: "+tag+json+fmt.Sprintf(`{"n":%d}`, i+1))
			mu.Lock()
			defer mu.Unlock()
			switch status(got) {
			case "204":
				won++
			case "412":
			default:
				t.Errorf("change %d: %s", i, got)
			}
		})
	}
	all.Wait()
	if won != 1 {
		t.Errorf("%d changes went through with one tag", won)
	}
}

// TestConditionsSeeChangesOfOthers: a document that changed behind the server's back.
func TestConditionsSeeChangesOfOthers(t *testing.T) {
	s := serve(t, serviceConfig{})
	s.do(t, "POST /collections/c"+json+`{"_id":"a","n":0,"list":[1,{"x":null}],"e":{}}`)
	tag := s.tag(t, "/collections/c/a")
	if got := s.do(t, "PATCH /collections/c/a\nIf-Match: "+tag+json+`{"m":1}`); status(got) != "204" {
		t.Fatalf("unchanged: %s", got)
	}
	tag = s.tag(t, "/collections/c/a")
	if _, err := s.db.Collection("c").UpdateOne(t.Context(), bson.D{}, bson.D{{Key: "$set", Value: bson.D{{Key: "n", Value: 1}}}}); err != nil {
		t.Fatal(err)
	}
	for _, r := range []string{"PUT /collections/c/a\nIf-Match: " + tag + json + `{}`, "PATCH /collections/c/a\nIf-Match: " + tag + json + `{}`, "DELETE /collections/c/a\nIf-Match: " + tag} {
		if got := s.do(t, r); status(got) != "412" {
			t.Errorf("%s: %s", r, got)
		}
	}
}
