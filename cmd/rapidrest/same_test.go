package main

import (
	"fmt"
	"regexp"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
)

// What differs from run to run is replaced before two servers are compared.
var (
	anyID   = regexp.MustCompile(`[0-9a-f]{24}`)
	anyUUID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)
	anyTime = regexp.MustCompile(`"timestamp":1[0-9]{12}\b`)
)

func masked(body string) string {
	body = anyUUID.ReplaceAllString(body, "UUID")
	body = anyTime.ReplaceAllString(body, `"timestamp":NOW`)
	return anyID.ReplaceAllString(body, "ID")
}

// Lesson 8: the original compared unlike work. Both servers answer each request with the same
// status, content type and bytes, and leave the same documents behind, order of keys and types
// of numbers included. Of a problem the words may differ; status and content type do not.
func TestLesson08_BothServersDoTheSame(t *testing.T) {
	const (
		jsonT   = "application/json"
		problem = "application/problem+json"
	)
	steps := []struct {
		method, path, body string
		status             int
		contentType        string
		want               string // after masking; not looked at where it is a problem
	}{
		{"GET", "/hello", "", 200, "text/plain; charset=utf-8", "Hello world!"},
		{"GET", "/hello?and=more", "", 200, "text/plain; charset=utf-8", "Hello world!"},
		{"GET", "/timestamp", "", 200, jsonT, `{"timestamp":NOW}`},
		{"GET", "/documents", "", 404, problem, ""},
		{"POST", "/documents", "this is ignored", 201, jsonT, `{"_id":"ID","title":"Document UUID"}`},
		{"GET", "/documents", "", 200, jsonT, `{"_id":"ID","title":"Document UUID"}`},
		{"POST", "/survey/customer/ann", `{"z":1,"a":2147483648,"m":-0.5,"e":1e2}`, 201, jsonT, `{"_id":"ID"}`},
		{"POST", "/survey/customer/bob%20b", ` {"text":"\u00e9\"\n","deep":{"list":[1,{"x":null}],"t":true}} `, 201, jsonT, `{"_id":"ID"}`},
		{"POST", "/survey/customer/ann", `{}`, 201, jsonT, `{"_id":"ID"}`},
		{"POST", "/survey/customer/ann", `{"_id":7,"user":"x"}`, 201, jsonT, `{"_id":"ID"}`},
		{"PUT", "/survey/upserted/ann", `{"old":1,"q":[1]}`, 200, jsonT, `{"stored":true}`},
		{"PUT", "/survey/upserted/ann", `{"q":[2,{"x":0.5}]}`, 200, jsonT, `{"stored":true}`},
		{"PUT", "/survey/upserted/bob%20b", ` {} `, 200, jsonT, `{"stored":true}`},
		{"PUT", "/survey/upserted/ann", `{"q":`, 400, problem, ""},
		{"PUT", "/survey/upserted/ann", `[1]`, 422, problem, ""},
		{"PUT", "/survey/upserted", `{}`, 404, problem, ""},
		{"POST", "/surveybatched/batched/ann", `{"q1":"yes","q2":[1,2,3]}`, 202, jsonT, `{"_id":"ID"}`},
		{"POST", "/surveybatched/batched/bob", `{"q1":"no"}`, 202, jsonT, `{"_id":"ID"}`},
		{"POST", "/surveybatched/batched/cy", `{"q1":""}`, 202, jsonT, `{"_id":"ID"}`},
		{"POST", "/surveynodb/none/ann", `{"q1":"yes"}`, 200, jsonT, `{"stored":false}`},

		{"GET", "/nothing/here", "", 404, problem, ""},
		{"GET", "/", "", 404, problem, ""},
		{"POST", "/survey/customer", `{}`, 404, problem, ""},
		{"POST", "/survey/customer/ann/more", `{}`, 404, problem, ""},
	}
	for _, path := range []string{"/survey/bad/ann", "/surveybatched/bad/ann", "/surveynodb/bad/ann"} {
		for body, status := range map[string]int{
			``: 400, `{`: 400, `{"a":1`: 400, `{"a":1,}`: 400, `{"a" 1}`: 400, `{"a":1} x`: 400, `{"a":tru}`: 400, `nonsense`: 400,
			`[1]`: 422, `"text"`: 422, `null`: 422, `{"a\u0000":1}`: 422, `{"n":9223372036854775808}`: 422, `{"n":1e999}`: 422,
		} {
			steps = append(steps, struct {
				method, path, body string
				status             int
				contentType        string
				want               string
			}{"POST", path, body, status, problem, ""})
		}
	}

	stored := make(map[string]map[string][]string) // by server and collection
	for _, name := range scenarioServers {
		db := mongotest.Database(t)
		c := scenarioServer(t, name, db, "--batch-size", "2")
		url := c.url()
		for _, s := range steps {
			got := send(t, s.method, url+s.path, s.body)
			what := fmt.Sprintf("%s: %s %s %s", name, s.method, s.path, s.body)
			if got.status != s.status || got.header.Get("Content-Type") != s.contentType {
				t.Errorf("%s: %d %s, want %d %s; %s", what, got.status, got.header.Get("Content-Type"), s.status, s.contentType, got.body)
			}
			if s.contentType != problem && masked(got.body) != s.want {
				t.Errorf("%s: %s, want %s", what, masked(got.body), s.want)
			}
		}
		if code := c.terminate(); code != 0 {
			t.Errorf("%s: exit code %d, want 0", name, code)
		}
		stored[name] = make(map[string][]string)
		for _, collection := range []string{"documents", "customer", "upserted", "batched", "none", "bad"} {
			for _, doc := range documents(t, db, collection) {
				text, err := bson.MarshalExtJSON(doc, true, false)
				if err != nil {
					t.Fatal(err)
				}
				stored[name][collection] = append(stored[name][collection], masked(string(text)))
			}
		}
	}

	want := map[string][]string{
		"documents": {`{"_id":{"$oid":"ID"},"title":"Document UUID"}`},
		"customer": {
			`{"_id":{"$oid":"ID"},"user":"ann","answers":{"z":{"$numberInt":"1"},"a":{"$numberLong":"2147483648"},"m":{"$numberDouble":"-0.5"},"e":{"$numberDouble":"100.0"}}}`,
			`{"_id":{"$oid":"ID"},"user":"bob b","answers":{"text":"é\"\n","deep":{"list":[{"$numberInt":"1"},{"x":null}],"t":true}}}`,
			`{"_id":{"$oid":"ID"},"user":"ann","answers":{}}`,
			`{"_id":{"$oid":"ID"},"user":"ann","answers":{"_id":{"$numberInt":"7"},"user":"x"}}`,
		},
		"upserted": {
			`{"_id":"ann","answers":{"q":[{"$numberInt":"2"},{"x":{"$numberDouble":"0.5"}}]}}`,
			`{"_id":"bob b","answers":{}}`,
		},
		"batched": {
			`{"_id":{"$oid":"ID"},"user":"ann","answers":{"q1":"yes","q2":[{"$numberInt":"1"},{"$numberInt":"2"},{"$numberInt":"3"}]}}`,
			`{"_id":{"$oid":"ID"},"user":"bob","answers":{"q1":"no"}}`,
			`{"_id":{"$oid":"ID"},"user":"cy","answers":{"q1":""}}`,
		},
	}
	for _, name := range scenarioServers {
		if got := fmt.Sprint(stored[name]); got != fmt.Sprint(want) {
			t.Errorf("%s stored\n%s\nwant\n%s", name, got, fmt.Sprint(want))
		}
	}
}
