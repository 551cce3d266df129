//go:build !race

package router

import "testing"

// Under the race detector sync.Pool drops what it is given at random, to find who relies on it.
// The JSON codec takes its streams from one, so allocations mean nothing there.
func TestZeroAllocations_JSONReplyAndMiddleware(t *testing.T) {
	type reply struct {
		Time int64 `json:"time"`
	}
	table := New()
	three := func(next Handler) Handler { return func(c *Ctx) error { counter++; return next(c) } }
	table.Get("/timestamp", JSON(func(*Ctx, struct{}) (reply, error) { return reply{42}, nil }), three, three, three)
	type views struct{ A, B, None string }
	table.Get("/survey/{a}/{b}", JSON(func(c *Ctx, _ struct{}) (views, error) {
		return views{c.ParamView(0), c.ParamView(1), c.ParamView(2)}, nil
	}))
	m := mustCompile(t, table)
	for target, want := range map[string]string{
		"/timestamp":            `{"time":42}`,
		"/survey/spr%69ng/a%22": `{"A":"spring","B":"a\"","None":""}`,
	} {
		ctx := request("GET", target)
		m.Serve(ctx)
		if n := testing.AllocsPerRun(100, func() { m.Serve(ctx) }); n != 0 {
			t.Errorf("%s: %v allocations", target, n)
		}
		if got := string(ctx.Response.Body()); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
}
