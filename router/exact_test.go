package router

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

type ring struct {
	Next *ring `json:"next"`
}

// What json-iterator would write or take otherwise is done as encoding/json does it, errors included.
func TestCodec_IsExactWhereTheLibraryIsNot(t *testing.T) {
	codec := defaultCodec()
	loop := &ring{}
	loop.Next = loop
	var nothing *int
	for name, v := range map[string]any{
		"a number that is none": struct{ N json.Number }{`1,"admin":true`},
		"a good number":         struct{ N json.Number }{"1.5e3"},
		"in a list":             []map[string]json.Number{{"a": "x"}},
		"in an interface":       map[string]any{"a": json.Number("]")},
		"raw":                   struct{ R json.RawMessage }{json.RawMessage(`{"a":`)},
		"a ring":                loop,
		"omitzero": struct {
			T time.Time `json:",omitzero"`
		}{},
		"string": struct {
			N *int `json:",string"`
		}{nothing},
		"nil": nil,
	} {
		want, wantErr := json.Marshal(v)
		got, err := codec.Append(nil, v)
		if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(got, want) {
			t.Errorf("%s: %s, %v; want %s, %v", name, got, err, want, wantErr)
		}
	}
	for _, text := range []string{`{"N":"1,\"admin\":true"}`, `{"N":"x"}`, `{"N":1.5}`, `{"N":"2"}`} {
		var got, want struct{ N json.Number }
		err, wantErr := codec.Decode([]byte(text), &got), json.Unmarshal([]byte(text), &want)
		if (err == nil) != (wantErr == nil) || err == nil && got != want {
			t.Errorf("%s: %v, %v; want %v, %v", text, got, err, want, wantErr)
		}
	}
}

// Plain types still go through the faster library.
func TestExact(t *testing.T) {
	type plain struct {
		A int               `json:"a,omitempty"`
		B []string          `json:"b"`
		C map[string]*[]int `json:"c"`
		D struct{ E float64 }
		F [3]bool
	}
	if e := (&exact{}); !e.holds(reflect.TypeOf(plain{})) || !e.holds(reflect.TypeOf([]plain{})) || e.holds(reflect.TypeOf(ring{})) || e.holds(reflect.TypeOf(time.Time{})) {
		t.Error("a type is on the wrong side")
	}
}

// Contexts come and go at the same addresses, on many goroutines; the race detector has nothing to say.
func TestFreshContextsOnManyGoroutines(t *testing.T) {
	m := compiled(t, func(c *Ctx) error { return c.Text(200, c.Param("x")) }, "/{x}")
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for i := range 500 {
				ctx := new(fasthttp.RequestCtx)
				want := fmt.Sprint(n, "-", i)
				ctx.Request.SetRequestURI("/" + want)
				m.Serve(ctx)
				if got := string(ctx.Response.Body()); got != want {
					t.Errorf("%q, want %q", got, want)
				}
			}
		})
	}
	wg.Wait()
}
