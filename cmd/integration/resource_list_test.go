package integration

import (
	stdjson "encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/resource"
)

// people are documents of a test that lists.
const people = `[
	{"_id":1,"name":"Ann","age":30,"tags":["a","b"],"address":{"city":"Graz"}},
	{"_id":2,"name":"Bob","age":25,"tags":[]},
	{"_id":3,"name":"Cid","age":30.5,"limit":5},
	{"_id":4,"name":"Dan","age":"30","address":{"city":"Wien"}},
	{"_id":5,"name":"Eve","age":null},
	{"_id":6,"name":"Fay"}]`

func TestListing(t *testing.T) {
	s := serve(t, serviceConfig{})
	if got := s.do(t, "POST /collections/p"+json+people); status(got) != "201" {
		t.Fatal(got)
	}
	for query, want := range map[string]string{
		"":                                      "1 2 3 4 5 6",
		"age=30":                                "1",
		"age=%2230%22":                          "4",
		"age[gt]=25":                            "1 3",
		"age[gte]=25":                           "1 2 3",
		"age[lt]=30":                            "2",
		"age[lte]=30&age[gt]=25":                "1",
		"age[ne]=30":                            "2 3 4 5 6",
		"age=null":                              "5 6",
		"age[exists]=true":                      "1 2 3 4 5",
		"age[exists]=false":                     "6",
		"age[in]=25,30.5":                       "2 3",
		"age[in]=[25,null]":                     "2 5 6",
		"age[nin]=[25,30,null]":                 "3 4",
		"name=Ann":                              "1",
		"name[gte]=D&name[lt]=F":                "4 5",
		"tags=b":                                "1",
		"tags=[%22a%22,%22b%22]":                "1",
		"tags=[]":                               "2",
		"address.city=Wien":                     "4",
		"address=%7B%22city%22%3A%22Graz%22%7D": "1",
		"limit[eq]=5":                           "3",
		"_id[gt]=4":                             "5 6",
		"_id[in]=1,6":                           "1 6",
		"sort=-name":                            "6 5 4 3 2 1",
		"sort=-_id&limit=2":                     "6 5",
		"sort=name&limit=3":                     "1 2 3",
		"name=$where":                           "",
		"name=%7B%22%24ne%22:1":                 "", // no JSON, so a string
	} {
		got := s.do(t, "GET /collections/p?"+query)
		if status(got) != "200" || header(got, "Content-Type") != "application/json" {
			t.Errorf("%s: %s", query, got)
			continue
		}
		if ids := idsOf(t, body(got)); ids != want {
			t.Errorf("%s: %s, want %s", query, ids, want)
		}
	}
	expect(t, s.do(t, "GET /collections/p?fields=name&limit=1"), `
200
Content-Type: application/json
Link: </collections/p?fields=name&limit=1&after=`+afterOf(t, s.do(t, "GET /collections/p?fields=name&limit=1"))+`>; rel="next"

[{"_id":1,"name":"Ann"}]`)
	expect(t, s.do(t, "GET /collections/p?fields=-name,-tags,-address&_id[lt]=3&count=true"), `
200
Content-Type: application/json
X-Total-Count: 2

[{"_id":1,"age":30},{"_id":2,"age":25}]`)
	expect(t, s.do(t, "GET /collections/nothing?count=true"), "200\nContent-Type: application/json\nX-Total-Count: 0\n\n[]")
	expect(t, s.do(t, "HEAD /collections/nothing?count=true"), "200\nContent-Type: application/json\nX-Total-Count: 0")
	for _, bad := range []string{"a[regex]=x", "$where=1", "a=%7B%22%24gt%22%3A1%7D", "limit=0", "limit=1001", "after=zzz", "sort=$x", "fields=a,-b", "a=%zz"} {
		if got := s.do(t, "GET /collections/p?"+bad); status(got) != "400" || !strings.HasPrefix(body(got), `{"type":"about:blank","title":"Bad Request","status":400,"detail":"resource: `) {
			t.Errorf("%s: %s", bad, got)
		}
	}
}

// idsOf are the _ids of a listing, with blanks between them.
func idsOf(t *testing.T, list string) string {
	t.Helper()
	var docs []struct {
		ID any `json:"_id"`
	}
	if err := stdjson.Unmarshal([]byte(list), &docs); err != nil {
		t.Fatalf("%s: %v", list, err)
	}
	var ids []string
	for _, d := range docs {
		ids = append(ids, fmt.Sprint(d.ID))
	}
	return strings.Join(ids, " ")
}

// afterOf is the cursor of an answer's Link, "" where it has none.
func afterOf(t *testing.T, answer string) string {
	t.Helper()
	link := header(answer, "Link")
	_, after, _ := strings.Cut(link, "after=")
	after, _, _ = strings.Cut(after, ">")
	return after
}

// pages follows the links from a first query and returns the _ids of all pages in turn.
func (s *service) pages(t *testing.T, first string) (ids []string, pages int) {
	t.Helper()
	for at := first; at != ""; {
		got := s.do(t, "GET "+at)
		if status(got) != "200" {
			t.Fatalf("GET %s: %s", at, got)
		}
		ids = append(ids, strings.Fields(idsOf(t, body(got)))...)
		if pages++; pages > 1000 {
			t.Fatal("the pages have no end")
		}
		link := header(got, "Link")
		at = ""
		if link != "" {
			at = strings.TrimSuffix(strings.TrimPrefix(link, "<"), `>; rel="next"`)
		}
	}
	return ids, pages
}

// TestPagesHoldEveryDocumentOnce: for sorts by values of every type, mixed, missing and equal,
// in both directions, all pages together are the listing as the database sorts it.
func TestPagesHoldEveryDocumentOnce(t *testing.T) {
	s := serve(t, serviceConfig{})
	values := []any{
		nil, int32(1), int32(2), int64(1) << 40, 1.5, 2.0, "", "a", "b", true, false,
		bson.NewObjectID(), bson.NewObjectID(), bson.DateTime(1), bson.DateTime(time.Now().UnixMilli()),
		bson.Binary{Data: []byte{1}}, bson.Timestamp{T: 1},
	}
	var docs []any
	for i := range 60 {
		d := bson.D{{Key: "_id", Value: mixedID(i)}, {Key: "n", Value: int32(i)}}
		if i%7 != 0 {
			d = append(d, bson.E{Key: "v", Value: values[i%len(values)]})
		}
		d = append(d, bson.E{Key: "o", Value: bson.D{{Key: "g", Value: int32(i % 3)}}})
		docs = append(docs, d)
	}
	if _, err := s.db.Collection("m").InsertMany(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	for _, sort := range []string{"", "sort=-_id", "sort=v", "sort=-v", "sort=o.g,v", "sort=-o.g,v,-_id", "sort=-o.g,-n", "sort=none", "sort=-v&fields=n"} {
		whole := strings.Fields(idsOf(t, body(s.do(t, "GET /collections/m?limit=1000&"+sort))))
		if len(whole) != len(docs) {
			t.Fatalf("%s: %d documents", sort, len(whole))
		}
		for _, limit := range []int{1, 7, 60} {
			ids, n := s.pages(t, fmt.Sprintf("/collections/m?limit=%d&%s", limit, sort))
			if !slices.Equal(ids, whole) {
				t.Errorf("%s, by %d:\n%v\nwant\n%v", sort, limit, ids, whole)
			}
			if want := (len(docs) + limit - 1) / limit; n != want {
				t.Errorf("%s, by %d: %d pages, want %d", sort, limit, n, want)
			}
		}
	}
}

// mixedID is an _id of one of several types.
func mixedID(i int) any {
	switch i % 4 {
	case 0:
		return int32(i)
	case 1:
		return fmt.Sprint("s", i)
	case 2:
		return float64(i) + 0.5
	}
	return bson.NewObjectID()
}

// TestPagesStandStillWhileDocumentsComeAndGo: what is inserted or deleted before the place of a
// cursor moves nothing.
func TestPagesStandStillWhileDocumentsComeAndGo(t *testing.T) {
	s := serve(t, serviceConfig{})
	s.do(t, "POST /collections/p"+json+people)
	first := s.do(t, "GET /collections/p?limit=2")
	s.do(t, "DELETE /collections/p/1?id_type=int")
	s.do(t, "POST /collections/p"+json+`{"_id":0}`)
	second := s.do(t, "GET /collections/p?limit=2&after="+afterOf(t, first))
	if ids := idsOf(t, body(second)); ids != "3 4" {
		t.Errorf("the second page is %s", ids)
	}
	if got := s.do(t, "GET /collections/p?limit=2&sort=name&after="+afterOf(t, first)); status(got) != "400" {
		t.Errorf("a cursor of another sort: %s", got)
	}
}

// TestPagesByArraysAreCounted: no page can start after an array, so it starts at a position.
func TestPagesByArraysAreCounted(t *testing.T) {
	s := serve(t, serviceConfig{})
	s.do(t, "POST /collections/p"+json+`[{"_id":1,"v":[3]},{"_id":2,"v":[1,5]},{"_id":3,"v":[2]}]`)
	whole := idsOf(t, body(s.do(t, "GET /collections/p?sort=v")))
	ids, _ := s.pages(t, "/collections/p?sort=v&limit=1")
	if got := strings.Join(ids, " "); got != whole {
		t.Errorf("the pages are %s, want %s", got, whole)
	}
}

// TestPagesEndWhereValuesAndPositionsMix: a field that is an array or an object in some
// documents and is missing in others.
func TestPagesEndWhereValuesAndPositionsMix(t *testing.T) {
	s := serve(t, serviceConfig{})
	var docs []any
	for i := range int32(26) {
		d := bson.D{{Key: "_id", Value: i}}
		if i < 20 {
			d = append(d, bson.E{Key: "o", Value: bson.D{{Key: "x", Value: i}}}, bson.E{Key: "arr", Value: bson.A{i}})
		}
		docs = append(docs, d)
	}
	if _, err := s.db.Collection("p").InsertMany(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	for _, sort := range []string{"arr", "-arr", "o", "-o", "arr,-o"} {
		whole := strings.Fields(idsOf(t, body(s.do(t, "GET /collections/p?sort="+sort))))
		if len(whole) != len(docs) {
			t.Fatalf("%s: %d documents", sort, len(whole))
		}
		for _, limit := range []int{1, 3, 7, 25} {
			if ids, _ := s.pages(t, fmt.Sprintf("/collections/p?limit=%d&sort=%s", limit, sort)); !slices.Equal(ids, whole) {
				t.Errorf("%s, by %d:\n%v\nwant\n%v", sort, limit, ids, whole)
			}
		}
	}
}

// TestPagesAreBoundedInBytes: a page ends early rather than grow without bound.
func TestPagesAreBoundedInBytes(t *testing.T) {
	s := serve(t, serviceConfig{resource: resource.Config{MaxPage: 1000}})
	for i := range 5 {
		s.do(t, "POST /collections/p"+json+fmt.Sprintf(`{"_id":%d,"x":"%s"}`, i, strings.Repeat("x", 400)))
	}
	s.do(t, "POST /collections/p"+json+fmt.Sprintf(`{"_id":5,"x":"%s"}`, strings.Repeat("x", 4000)))
	ids, n := s.pages(t, "/collections/p")
	if got := strings.Join(ids, " "); got != "0 1 2 3 4 5" || n != 4 {
		t.Errorf("%d pages: %s", n, got)
	}
}

// TestLinksAreSafe: what a client wrote into the query does not get out of the Link.
func TestLinksAreSafe(t *testing.T) {
	s := serve(t, serviceConfig{})
	s.do(t, "POST /collections/p"+json+`[{"_id":1},{"_id":2}]`)
	got := s.do(t, `GET /collections/p?limit=1&x[ne]=a>;"b<&after=`)
	if status(got) != "400" { // an empty cursor is none
		t.Errorf("%s", got)
	}
	got = s.do(t, `GET /collections/p?limit=1&x[ne]=a>;"b<`)
	link := header(got, "Link")
	if !strings.HasPrefix(link, "</collections/p?limit=1&x[ne]=a%3E;%22b%3C&after=") || strings.Count(link, ">") != 1 {
		t.Errorf("Link: %s", link)
	}
}
