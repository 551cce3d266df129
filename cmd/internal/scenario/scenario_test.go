package scenario_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/cmd/internal/scenario"
)

func post(s *scenario.Server, uri, body string) *fasthttp.Response {
	var ctx fasthttp.RequestCtx
	ctx.Request.Header.SetMethod("POST")
	ctx.Request.SetRequestURI(uri)
	ctx.Request.SetBodyString(body)
	s.Handler(&ctx)
	return &ctx.Response
}

func Example() {
	s, err := scenario.New(scenario.Config{}) // no store: documents go nowhere
	if err != nil {
		fmt.Println(err)
		return
	}
	res := post(s, "/surveynodb/customer/ann", `{"q1":5}`)
	fmt.Println(res.StatusCode(), string(res.Body()))
	fmt.Println(s.Close(context.Background()))
	// Output:
	// 200 {"stored":false}
	// 0 <nil>
}

func TestCloseRefusesLaterDocuments(t *testing.T) {
	s, err := scenario.New(scenario.Config{Linger: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if got := post(s, "/surveybatched/c/u", `{}`).StatusCode(); got != 202 {
		t.Fatalf("status %d before Close, want 202", got)
	}
	if lost, err := s.Close(context.Background()); lost != 0 || err != nil {
		t.Fatalf("Close: lost %d, error %v", lost, err)
	}
	res := post(s, "/surveybatched/c/u", `{}`)
	if res.StatusCode() != 503 || len(res.Header.Peek("Retry-After")) == 0 {
		t.Errorf("status %d after Close, want 503 with Retry-After", res.StatusCode())
	}
}

// Bodies that become no document are answered with the place of the fault.
func TestBadBodies(t *testing.T) {
	s, err := scenario.New(scenario.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]int{``: 400, ` `: 400, `{`: 400, `[1]`: 422, ` null`: 422, `{"a":1,"a":2}`: 422} {
		res := post(s, "/surveynodb/c/u", body)
		if res.StatusCode() != want || string(res.Header.ContentType()) != "application/problem+json" {
			t.Errorf("%q: %d %s, want %d", body, res.StatusCode(), res.Body(), want)
		}
	}
}

// A survey names a collection, so its name is checked before anything is done with it.
func TestBadNames(t *testing.T) {
	s, err := scenario.New(scenario.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"survey", "surveybatched", "surveynodb"} {
		for _, name := range []string{"x%22%20(a%20int);", "a%20b", "$cmd", "a%00b", "system.users", "-a", ".a", strings.Repeat("x", 121)} {
			res := post(s, "/"+kind+"/"+name+"/u", `{}`)
			if res.StatusCode() != 400 {
				t.Errorf("%s/%s: %d %s, want 400", kind, name, res.StatusCode(), res.Body())
			}
		}
	}
}
