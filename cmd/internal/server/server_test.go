package server

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/router"
)

// A load balancer's many probes are one ping a second.
func TestProbeAsksOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pings := 0
		down := errors.New("down")
		answer := down
		p := probe{ping: func(context.Context) error { pings++; return answer }}
		for range 100 {
			if err := p.check(); !errors.Is(err, down) {
				t.Fatalf("error %v, want that of the store", err)
			}
		}
		if pings != 1 {
			t.Errorf("%d pings, want 1", pings)
		}
		answer = nil
		time.Sleep(probeFresh) // the bubble's clock
		if err := p.check(); err != nil || pings != 2 {
			t.Errorf("a second later: error %v after %d pings, want none after 2", err, pings)
		}
	})
}

func TestLeftAddsUpWhatIsUndelivered(t *testing.T) {
	other := errors.New("another error")
	var left Left
	err := left.add(errors.Join(
		&batch.Undelivered{Spooled: 1, DeadLettered: 2, Told: 3, Lost: 4},
		errors.Join(other, &batch.Undelivered{Spooled: 10, DeadLettered: 20, Told: 30, Lost: 40}),
	))
	// What is lost is counted by the buffers' statistics.
	if want := (Left{Spooled: 11, DeadLettered: 22, Told: 33}); left != want {
		t.Errorf("got %+v, want %+v", left, want)
	}
	if !errors.Is(err, other) || errors.As(err, new(*batch.Undelivered)) {
		t.Errorf("error %v, want the other one alone", err)
	}
	if err := left.add(nil); err != nil {
		t.Errorf("nothing left: error %v", err)
	}
}

// Answers are counted by the route that gave them; what no route answered is the rest.
func TestTrafficByRouteAndStatus(t *testing.T) {
	var seen traffic
	table := router.New()
	table.Use(seen.middleware)
	table.Get("/x/{n:int}", func(c *router.Ctx) error {
		if c.Int("n") == 0 {
			return router.NewProblem(409, "zero")
		}
		return c.NoContent()
	})
	table.Post("/never", func(c *router.Ctx) error { return c.NoContent() })
	matcher, err := table.Compile()
	if err != nil {
		t.Fatal(err)
	}
	handler := seen.handler(matcher.Serve)
	for _, uri := range []string{"/x/1", "/x/2", "/x/0", "/x/word", "/nothing"} {
		var ctx fasthttp.RequestCtx
		ctx.Request.SetRequestURI(uri)
		handler(&ctx)
	}
	type key struct {
		method, route string
		status        int
	}
	got := make(map[key]uint64)
	seen.each(func(method, route string, status int, n uint64) { got[key{method, route, status}] = n })
	want := map[key]uint64{
		{"GET", "/x/{n:int}", 204}: 2,
		{"GET", "/x/{n:int}", 409}: 1,
		{"", "", 404}:              2,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestReadTokens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	if _, err := ReadTokens(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: error %v", err)
	}
	if err := os.WriteFile(path, []byte("\n# one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadTokens(path); !errors.Is(err, ErrNoTokens) {
		t.Errorf("a file without a token: error %v, want %v", err, ErrNoTokens)
	}
}

func TestLockSpoolExcludes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	first, err := LockSpool(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := LockSpool(dir); !errors.Is(err, ErrSpoolInUse) {
		t.Errorf("a second lock: error %v, want %v", err, ErrSpoolInUse)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := LockSpool(dir)
	if err != nil {
		t.Fatalf("after the first was closed: %v", err)
	}
	again.Close()
}
