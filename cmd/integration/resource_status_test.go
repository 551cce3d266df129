package integration

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/resource"
	"github.com/rapidrest/rapidrest/router"
	"github.com/rapidrest/rapidrest/router/middleware"
)

const json = "\nContent-Type: application/json\n\n"

// The tests of this file are the rows of the table of answers, each compared as a whole.

func TestStatus201_Stored(t *testing.T) {
	s := serve(t, serviceConfig{})
	expect(t, s.do(t, "POST /collections/c"+json+`{"_id":"a","n":1}`), `
201
Content-Type: application/json
Location: /collections/c/a

{"_id":"a"}`)
	got := s.do(t, "POST /collections/c"+json+`{"n":2}`)
	id := strings.TrimSuffix(strings.TrimPrefix(body(got), `{"_id":"`), `"}`)
	if _, err := bson.ObjectIDFromHex(id); err != nil {
		t.Fatalf("the _id is no ObjectID: %s", got)
	}
	expect(t, got, "201\nContent-Type: application/json\nLocation: /collections/c/"+id+"\n\n"+`{"_id":"`+id+`"}`)
	expect(t, s.do(t, "POST /collections/c"+json+`{"_id":7}`), `
201
Content-Type: application/json
Location: /collections/c/7?id_type=int

{"_id":7}`)
	expect(t, s.do(t, "POST /collections/c"+json+`{"_id":"65f0a1b2c3d4e5f6a7b8c9d0"}`), `
201
Content-Type: application/json
Location: /collections/c/65f0a1b2c3d4e5f6a7b8c9d0?id_type=string

{"_id":"65f0a1b2c3d4e5f6a7b8c9d0"}`)
	expect(t, s.do(t, "POST /collections/c"+json+`{"_id":"ü/ %"}`), `
201
Content-Type: application/json
Location: /collections/c/%C3%BC%2F%20%25

{"_id":"ü/ %"}`)
	expect(t, s.do(t, "POST /collections/c"+json+`{"_id":1.5}`), `
201
Content-Type: application/json

{"_id":1.5}`)
	expect(t, s.do(t, "POST /collections/c\nPrefer: return=minimal"+json+`{"_id":"m"}`), `
201
Location: /collections/c/m
Preference-Applied: return=minimal`)
	expect(t, s.do(t, "POST /collections/c\nPrefer: return=representation, wait=20"+json+`{"n":[1,2.0],"_id":"r"}`), `
201
Content-Type: application/json
Location: /collections/c/r
Preference-Applied: wait=20, return=representation

{"_id":"r","n":[1,2.0]}`)
}

func TestStatus201_Bulk(t *testing.T) {
	s := serve(t, serviceConfig{})
	want := `
201
Content-Type: application/json

{"stored":2,"ids":["a",7]}`
	expect(t, s.do(t, "POST /collections/array"+json+` [{"_id":"a"}, {"_id":7}]`), want)
	for _, typ := range []string{"application/x-ndjson", "application/ndjson; charset=utf-8", "Application/JSONL"} {
		c := strings.NewReplacer("/", "_", ";", "_", " ", "_", "=", "_").Replace(typ)
		expect(t, s.do(t, "POST /collections/"+c+"\nContent-Type: "+typ+"\n\n"+`{"_id":"a"}`+"\n\r\n"+`{"_id":7}`), want)
	}
}

func TestStatus202_Accepted(t *testing.T) {
	s := serve(t, serviceConfig{})
	expect(t, s.do(t, "POST /collections/c\nPrefer: respond-async"+json+`{"_id":"a"}`), `
202
Content-Type: application/json
Preference-Applied: respond-async, level=accept

{"_id":"a"}`)
	expect(t, s.do(t, "POST /collections/c\nPrefer: level=accept"+json+`[{"_id":"b"},{"_id":"c"}]`), `
202
Content-Type: application/json
Preference-Applied: level=accept

{"accepted":2,"ids":["b","c"]}`)
	// Both: the client takes a 202, but would rather hear that it is stored.
	expect(t, s.do(t, "POST /collections/c\nPrefer: respond-async, wait=20"+json+`{"_id":"d"}`), `
201
Content-Type: application/json
Location: /collections/c/d
Preference-Applied: wait=20

{"_id":"d"}`)
	if err := s.buffers.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, err := s.db.Collection("c").CountDocuments(t.Context(), bson.D{}); n != 4 || err != nil {
		t.Errorf("%d documents are stored (%v), want 4", n, err)
	}
}

func TestStatus202_Spooled(t *testing.T) {
	s := serve(t, serviceConfig{
		resource: resource.Config{Level: batch.Spool},
		batch:    batch.Config{Level: batch.Spool, Dir: t.TempDir()},
	})
	expect(t, s.do(t, "POST /collections/c"+json+`{"_id":"a"}`), `
202
Content-Type: application/json
Preference-Applied: level=spool

{"_id":"a"}`)
	expect(t, s.do(t, "POST /collections/c\nPrefer: wait=20"+json+`{"_id":"b"}`), `
201
Content-Type: application/json
Location: /collections/c/b
Preference-Applied: wait=20

{"_id":"b"}`)
	expect(t, s.do(t, "POST /collections/c\nPrefer: level=accept"+json+`{"_id":"c"}`), `
202
Content-Type: application/json
Preference-Applied: level=accept

{"_id":"c"}`)
}

func TestStatus207_OutcomesDiffer(t *testing.T) {
	s := serve(t, serviceConfig{})
	s.do(t, "POST /collections/c"+json+`{"_id":"old"}`)
	expect(t, s.do(t, "POST /collections/c"+json+`[{"_id":"a"},{"_id":"old"},{"$set":1},{"_id":"b"}]`), `
207
Content-Type: application/json

{"stored":2,"ids":["a",null,null,"b"],"errors":[`+
		`{"index":1,"status":409,"detail":"a document with this _id exists"},`+
		`{"index":2,"status":422,"detail":"key \"$set\" starts with $","offset":28,"line":1,"column":29,"pointer":"/2/$set"}]}`)
	ndjson := "\nContent-Type: application/x-ndjson\n\n"
	expect(t, s.do(t, "POST /collections/c"+ndjson+"{\"_id\":\"c\"}\n{\"_id\":\n[1]\n{\"_id\":\"d\"}\n"), `
207
Content-Type: application/json

{"stored":2,"ids":["c",null,null,"d"],"errors":[`+
		`{"index":1,"status":400,"detail":"the text ends where a value should be","offset":19,"line":2,"column":8,"pointer":"/_id"},`+
		`{"index":2,"status":422,"detail":"a document must be an object, this starts with '['","offset":20,"line":3,"column":1,"pointer":""}]}`)
	ids := s.ids(t, "c")
	if got := strings.Join(ids, " "); got != "a b c d old" {
		t.Errorf("stored: %s", got)
	}
}

func TestStatus400_NotJSON(t *testing.T) {
	s := serve(t, serviceConfig{})
	expect(t, s.do(t, "POST /collections/c"+json+"{\n  \"a\": 01}"), `
400
Content-Type: application/problem+json

{"type":"about:blank","title":"Bad Request","status":400,"detail":"a number cannot start with 0 followed by a digit",`+
		`"column":8,"line":2,"offset":9,"pointer":"/a"}`)
	for name, bad := range map[string]string{
		"empty":     "",
		"blank":     "  ",
		"cut":       `{"a":1`,
		"trailing":  `{"a":1} x`,
		"two":       `{"a":1}{"b":2}`,
		"mark":      "\xef\xbb\xbf{}",
		"utf8":      "{\"a\":\"\xff\"}",
		"array":     `[{"a":1},`,
		"array two": `[{"a":1}] 1`,
		"in array":  `[{"a":1},{"b":}]`,
	} {
		got := s.do(t, "POST /collections/c"+json+bad)
		if status(got) != "400" || !strings.Contains(body(got), `"offset":`) {
			t.Errorf("%s: %s", name, got)
		}
	}
	for _, bulk := range []string{"POST /collections/c" + json + "[]", "POST /collections/c\nContent-Type: application/x-ndjson\n\n\n\n"} {
		expect(t, s.do(t, bulk), problem(400, "Bad Request", "resource: the body holds no document"))
	}
	if ids := s.ids(t, "c"); len(ids) > 0 {
		t.Errorf("of bodies that are no JSON, %v were stored", ids)
	}
	for _, path := range []string{"/collections/%zz", "/collections/a%2", "/collections/a%00b", "/collections/c/../d", "/collections/%2e%2e", "/collections/a$b", "/collections/c?a=%zz"} {
		if got := s.do(t, "GET "+path); status(got) != "400" {
			t.Errorf("GET %s: %s", path, got)
		}
	}
}

func TestStatus401_NoToken(t *testing.T) {
	s := serve(t, serviceConfig{group: []router.Middleware{middleware.BearerToken("secret")}})
	for _, auth := range []string{"", "\nAuthorization: Bearer wrong", "\nAuthorization: Basic c2VjcmV0"} {
		got := s.do(t, "POST /collections/c"+auth+json+`{}`)
		if status(got) != "401" || !strings.HasPrefix(header(got, "Www-Authenticate"), "Bearer") {
			t.Errorf("%q: %s", auth, got)
		}
	}
	if got := s.do(t, "POST /collections/c\nAuthorization: Bearer secret"+json+`{}`); status(got) != "201" {
		t.Errorf("with the token: %s", got)
	}
}

func TestStatus403_CollectionNotAllowed(t *testing.T) {
	s := serve(t, serviceConfig{resource: resource.Config{Allow: resource.AllowOnly("answers", "system.*")}})
	for _, c := range []string{"other", "answers2", "system", "system.users", "system.js"} {
		want := problem(403, "Forbidden", `resource: the collection \"`+c+`\" is not served here`)
		expect(t, s.do(t, "POST /collections/"+c+json+`{}`), want)
		expect(t, s.do(t, "GET /collections/"+c), want)
		expect(t, s.do(t, "GET /collections/"+c+"/1"), want)
		expect(t, s.do(t, "DELETE /collections/"+c+"/1"), want)
	}
	if got := s.do(t, "POST /collections/answers"+json+`{}`); status(got) != "201" {
		t.Errorf("the collection on the list: %s", got)
	}
}

// TestStatus400_CollectionName: what could be SQL to the embedded database reaches no store and
// no buffer, and leaves nothing behind.
func TestStatus400_CollectionName(t *testing.T) {
	s := serve(t, serviceConfig{})
	for _, c := range []string{"x%22%20(a%20int);", "x%22", "x%27;--", "a%20b", "a$b", "a%00b", "a%0Ab", "-a", strings.Repeat("x", 121)} {
		for _, request := range []string{
			"POST /collections/" + c + json + `{}`,
			"POST /collections/" + c + "\nPrefer: respond-async" + json + `{}`,
			"POST /collections/" + c + json + `[{},{}]`,
			"GET /collections/" + c,
			"GET /collections/" + c + "/1",
			"PUT /collections/" + c + "/1" + json + `{}`,
			"PATCH /collections/" + c + "/1\nContent-Type: application/merge-patch+json\n\n{}",
			"DELETE /collections/" + c + "/1",
		} {
			if got := s.do(t, request); status(got) != "400" || header(got, "Content-Type") != "application/problem+json" {
				t.Errorf("%s: %s", request, got)
			}
		}
	}
	if err := s.buffers.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if names, err := s.db.ListCollectionNames(t.Context(), bson.D{}); err != nil || len(names) > 0 {
		t.Errorf("collections: %q, %v", names, err)
	}
}

func TestStatus404(t *testing.T) {
	s := serve(t, serviceConfig{})
	expect(t, s.do(t, "GET /collections/c/65f0a1b2c3d4e5f6a7b8c9d0"),
		problem(404, "Not Found", `resource: no document with the _id \"65f0a1b2c3d4e5f6a7b8c9d0\" in \"c\"`))
	for _, r := range []string{"GET /collections/c/x", "DELETE /collections/c/x", "PATCH /collections/c/x\nContent-Type: application/merge-patch+json\n\n{}", "GET /", "GET /collections", "GET /collections/", "GET /collections/c/", "GET /collections/c/x/y", "POST /Collections/c" + json + "{}"} {
		if got := s.do(t, r); status(got) != "404" {
			t.Errorf("%s: %s", r, got)
		}
	}
}

func TestStatus405(t *testing.T) {
	s := serve(t, serviceConfig{})
	for r, allow := range map[string]string{
		"DELETE /collections/c":         "GET, HEAD, OPTIONS, POST",
		"PUT /collections/c":            "GET, HEAD, OPTIONS, POST",
		"POST /collections/c/x":         "DELETE, GET, HEAD, OPTIONS, PATCH, PUT",
		"TRACE /collections/c/x":        "DELETE, GET, HEAD, OPTIONS, PATCH, PUT",
		"BREW /collections/c?sort=milk": "GET, HEAD, OPTIONS, POST",
	} {
		got := s.do(t, r)
		if status(got) != "405" || header(got, "Allow") != allow {
			t.Errorf("%s: %s", r, got)
		}
	}
	expect(t, s.do(t, "OPTIONS /collections/c"), "204\nAllow: GET, HEAD, OPTIONS, POST")
}

func TestStatus406(t *testing.T) {
	s := serve(t, serviceConfig{})
	want := problem(406, "Not Acceptable", "resource: the answers here are application/json")
	for _, r := range []string{"GET /collections/c", "GET /collections/c/x", "DELETE /collections/c/x"} {
		expect(t, s.do(t, r+"\nAccept: text/html, application/json;q=0"), want)
	}
	expect(t, s.do(t, "POST /collections/c\nAccept: text/html"+json+`{}`), want)
	if ids := s.ids(t, "c"); len(ids) > 0 {
		t.Errorf("a request that was not acceptable stored %v", ids)
	}
	expect(t, s.do(t, "GET /collections/c\nAccept: text/html;q=0.9, */*;q=0.1"), "200\nContent-Type: application/json\n\n[]")
}

func TestStatus409_Exists(t *testing.T) {
	s := serve(t, serviceConfig{})
	s.do(t, "POST /collections/c"+json+`{"_id":"a"}`)
	expect(t, s.do(t, "POST /collections/c"+json+`{"_id":"a"}`), problem(409, "Conflict", "resource: a document with this _id exists"))

	_, err := s.db.Collection("u").Indexes().CreateOne(t.Context(), mongo.IndexModel{
		Keys: bson.D{{Key: "mail", Value: 1}}, Options: options.Index().SetUnique(true),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.do(t, "POST /collections/u"+json+`{"_id":1,"mail":"x@example.org"}`)
	want := problem(409, "Conflict", "resource: another document holds this value of a unique index")
	expect(t, s.do(t, "POST /collections/u"+json+`{"mail":"x@example.org"}`), want)
	expect(t, s.do(t, "PUT /collections/u/2?id_type=int"+json+`{"mail":"x@example.org"}`), want)
	s.do(t, "POST /collections/u"+json+`{"_id":3,"mail":"y@example.org"}`)
	expect(t, s.do(t, "PATCH /collections/u/3?id_type=int"+json+`{"mail":"x@example.org"}`), want)
}

func TestStatus412And428(t *testing.T) {
	s := serve(t, serviceConfig{resource: resource.Config{RequireIfMatch: true}})
	s.do(t, "POST /collections/c"+json+`{"_id":"a"}`)
	tag := header(s.do(t, "GET /collections/c/a"), "Etag")
	failed := "412\nContent-Type: application/problem+json\nEtag: " + tag + "\n\n" +
		`{"type":"about:blank","title":"Precondition Failed","status":412,"detail":"resource: the document is not, or no longer, what the condition says"}`
	needed := problem(428, "Precondition Required", "resource: a change here needs If-Match with the document's ETag")
	for _, r := range []string{"PUT /collections/c/a|" + json + "{}", "PATCH /collections/c/a|" + json + "{}", "DELETE /collections/c/a|\n\n"} {
		line, rest, _ := strings.Cut(r, "|")
		expect(t, s.do(t, line+rest), needed)
		expect(t, s.do(t, line+"\nIf-Match: \"other\""+rest), failed)
		expect(t, s.do(t, line+"\nIf-Match: W/"+tag+rest), failed)
	}
	expect(t, s.do(t, "PUT /collections/c/a\nIf-None-Match: *"+json+"{}"), failed)
	if got := s.do(t, "PATCH /collections/c/a\nIf-Match: \"x\", "+tag+json+`{"n":1}`); status(got) != "204" {
		t.Errorf("with the right tag: %s", got)
	}
	if got := s.do(t, "DELETE /collections/c/a\nIf-Match: "+tag); status(got) != "412" {
		t.Errorf("with the tag of before the change: %s", got)
	}
	if got := s.do(t, "DELETE /collections/c/a\nIf-Match: *"); status(got) != "204" {
		t.Errorf("with *: %s", got)
	}
	if got := s.do(t, "PUT /collections/c/a\nIf-Match: *"+json+"{}"); status(got) != "412" {
		t.Errorf("what is not there matches *: %s", got)
	}
	if got := s.do(t, "PUT /collections/c/a\nIf-None-Match: *"+json+"{}"); status(got) != "201" {
		t.Errorf("what is not there does not match *: %s", got)
	}
}

func TestStatus413_OneDocumentOver16MiB(t *testing.T) {
	s := serve(t, serviceConfig{limits: router.Limits{MaxBody: 40 << 20}})
	large := `{"a":"` + strings.Repeat("x", 16<<20) + `"}`
	got := s.do(t, "POST /collections/c"+json+large)
	if status(got) != "413" || header(got, "Content-Type") != "application/problem+json" || !strings.Contains(body(got), "16 MiB") {
		t.Errorf("%.500s", got)
	}
	got = s.do(t, "POST /collections/c"+json+`[{"_id":"a"},`+large+`]`)
	if status(got) != "207" || !strings.Contains(body(got), `{"stored":1,"ids":["a",null],"errors":[{"index":1,"status":413,`) {
		t.Errorf("%.500s", got)
	}
}

func TestStatus413_TooManyDocuments(t *testing.T) {
	s := serve(t, serviceConfig{resource: resource.Config{MaxBulk: 2}})
	expect(t, s.do(t, "POST /collections/c"+json+`[{},{},{}]`), problem(413, "Request Entity Too Large", "resource: more than 2 documents in one request"))
}

func TestStatus415(t *testing.T) {
	s := serve(t, serviceConfig{})
	for _, typ := range []string{"", "\nContent-Type: text/plain", "\nContent-Type: application/x-www-form-urlencoded", "\nContent-Type: application/xml"} {
		expect(t, s.do(t, "POST /collections/c"+typ+"\n\n{}"), `
415
Accept-Post: application/json, application/x-ndjson
Content-Type: application/problem+json

{"type":"about:blank","title":"Unsupported Media Type","status":415,"detail":"resource: the body's Content-Type is neither application/json nor application/x-ndjson"}`)
	}
	got := s.do(t, "PATCH /collections/c/a\nContent-Type: text/plain\n\n{}")
	if status(got) != "415" || header(got, "Accept-Patch") != "application/merge-patch+json" {
		t.Errorf("PATCH: %s", got)
	}
	got = s.do(t, "POST /collections/c\nContent-Encoding: compress"+json+"{}")
	if status(got) != "415" || header(got, "Accept-Encoding") != "gzip, deflate, br, zstd" {
		t.Errorf("compress: %s", got)
	}
}

func TestStatus422_CannotBeHeld(t *testing.T) {
	s := serve(t, serviceConfig{})
	expect(t, s.do(t, "POST /collections/c"+json+`{"a":{"b":1,"b":2}}`), `
422
Content-Type: application/problem+json

{"type":"about:blank","title":"Unprocessable Entity","status":422,"detail":"duplicate key \"b\"","column":13,"line":1,"offset":12,"pointer":"/a/b"}`)
	for name, doc := range map[string]string{
		"$ key":         `{"$where":1}`,
		"nested $ key":  `{"a":[{"$gt":1}]}`,
		"big number":    `{"a":9223372036854775808}`,
		"large double":  `{"a":1e309}`,
		"NUL":           `{"a\u0000b":1}`,
		"surrogate":     `{"a":"\ud800"}`,
		"depth":         strings.Repeat(`{"a":`, 100) + "{}" + strings.Repeat("}", 100),
		"brackets":      `{"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}",
		"null":          `null`,
		"scalar":        `1`,
		"array _id":     `{"_id":[1]}`,
		"null _id":      `{"_id":null}`,
		"nested arrays": `{"a":[[1]]}`, // the store at hand cannot
		"dotted key":    `{"a.b":1}`,   // likewise
	} {
		if got := s.do(t, "POST /collections/c"+json+doc); status(got) != "422" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestStatus422_Rejected(t *testing.T) {
	s := serve(t, serviceConfig{sink: func(batch.Sink) batch.Sink {
		return sinkFunc(func(_ context.Context, docs [][]byte) ([]batch.Outcome, error) {
			out := make([]batch.Outcome, len(docs))
			for i := range out {
				out[i] = batch.Outcome{Kind: batch.Rejected, Code: 121, Reason: "Document failed validation"}
			}
			return out, nil
		})
	}})
	expect(t, s.do(t, "POST /collections/c"+json+`{}`), problem(422, "Unprocessable Entity", "resource: the store rejected the document: Document failed validation"))
}

func TestStatus422_Validate(t *testing.T) {
	s := serve(t, serviceConfig{resource: resource.Config{Validate: func(c string, doc []byte) error {
		if c == "strict" && !strings.Contains(string(doc), `"n":`) {
			return errors.New("n is required")
		}
		return nil
	}}})
	refused := problem(422, "Unprocessable Entity", "n is required")
	expect(t, s.do(t, "POST /collections/strict"+json+`{}`), refused)
	expect(t, s.do(t, "PUT /collections/strict/a"+json+`{}`), refused)
	if got := s.do(t, "POST /collections/strict"+json+`{"_id":"a","n":1}`); status(got) != "201" {
		t.Errorf("a document that fits: %s", got)
	}
	expect(t, s.do(t, "PATCH /collections/strict/a"+json+`{"n":null}`), refused)
	expect(t, s.do(t, "POST /collections/strict"+json+`[{"_id":"x","n":1},{}]`), `
207
Content-Type: application/json

{"stored":1,"ids":["x",null],"errors":[{"index":1,"status":422,"detail":"n is required"}]}`)
	if got := s.do(t, "POST /collections/free"+json+`{}`); status(got) != "201" {
		t.Errorf("another collection: %s", got)
	}
}

func TestStatus429_OverTheRate(t *testing.T) {
	s := serve(t, serviceConfig{group: []router.Middleware{middleware.RateLimit(middleware.RateLimitConfig{Rate: 0.001, Burst: 1})}})
	if got := s.do(t, "POST /collections/c"+json+`{}`); status(got) != "201" {
		t.Fatalf("the first: %s", got)
	}
	got := s.do(t, "POST /collections/c"+json+`{}`)
	if status(got) != "429" || header(got, "Retry-After") == "" || header(got, "Content-Type") != "application/problem+json" {
		t.Errorf("the second: %s", got)
	}
}

func TestStatus503_Full(t *testing.T) {
	gate := make(chan struct{})
	s := serve(t, serviceConfig{
		batch: batch.Config{Pending: 2, Size: 1},
		sink:  func(next batch.Sink) batch.Sink { return gated{next, gate} },
	})
	for _, id := range []string{"a", "b"} {
		if got := s.do(t, "POST /collections/c\nPrefer: respond-async"+json+`{"_id":"`+id+`"}`); status(got) != "202" {
			t.Fatalf("%s: %s", id, got)
		}
	}
	full := `
503
Content-Type: application/problem+json
Retry-After: 1

{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"resource: too many documents wait for the store; none of this request was taken"}`
	expect(t, s.do(t, "POST /collections/c"+json+`{"_id":"c"}`), full)
	expect(t, s.do(t, "POST /collections/c\nPrefer: respond-async"+json+`[{"_id":"d"}]`), full)
	expect(t, s.do(t, "POST /collections/c"+json+`[{},{},{}]`), problem(413, "Request Entity Too Large", "resource: more than the buffer of this collection can hold"))
	close(gate)
	if err := s.buffers.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.do(t, "POST /collections/c"+json+`{"_id":"e"}`); status(got) != "201" {
		t.Errorf("with room again: %s", got)
	}
	if got := strings.Join(s.ids(t, "c"), " "); got != "a b e" {
		t.Errorf("stored: %s", got)
	}
}

func TestStatus504_StillOnItsWay(t *testing.T) {
	gate := make(chan struct{})
	s := serve(t, serviceConfig{sink: func(next batch.Sink) batch.Sink { return gated{next, gate} }})
	expect(t, s.do(t, "POST /collections/c\nPrefer: wait=1"+json+`{"_id":"a"}`), `
504
Content-Type: application/problem+json
Preference-Applied: wait=1

{"type":"about:blank","title":"Gateway Timeout","status":504,"detail":"resource: the store has not answered in time; the document is still on its way to it","_id":"a"}`)
	// Who takes a 202 as well is not told that something went wrong.
	expect(t, s.do(t, "POST /collections/c\nPrefer: respond-async, wait=1"+json+`{"_id":"b"}`), `
202
Content-Type: application/json
Preference-Applied: respond-async, wait=1, level=accept

{"_id":"b"}`)
	close(gate)
	if err := s.buffers.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.ids(t, "c"), " "); got != "a b" {
		t.Errorf("what was on its way and arrived: %q", got)
	}
}

// problem is a rendered problem without headers or members of its own.
func problem(status int, title, detail string) string {
	return itoa(status) + "\nContent-Type: application/problem+json\n\n" +
		`{"type":"about:blank","title":"` + title + `","status":` + itoa(status) + `,"detail":"` + detail + `"}`
}
