package router

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"
)

// start serves m in memory and returns a dialer.
func start(t testing.TB, m *Matcher) func() net.Conn {
	t.Helper()
	ln := fasthttputil.NewInmemoryListener()
	done := make(chan error, 1)
	server := &fasthttp.Server{Handler: m.Serve, ReadBufferSize: 1 << 15, NoDefaultDate: true, Logger: printer{m}}
	go func() { done <- server.Serve(ln) }()
	t.Cleanup(func() {
		ln.Close()
		<-done
	})
	return func() net.Conn {
		c, err := ln.Dial()
		if err != nil {
			t.Error(err)
		}
		return c
	}
}

// Every connection sends requests in a row; each handler keeps the parameters of all, and at the
// end they are what was sent, path parameter, decoded parameter, catch-all and query alike.
func TestLesson19_AParameterIsKeptAcrossTheNextRequestUnderLoad(t *testing.T) {
	const connections, requests = 8, 300
	var mu sync.Mutex
	kept := map[string]string{}
	m := compiled(t, func(c *Ctx) error {
		v := c.Param("x") + "|" + c.Param("rest") + "|" + c.Param("q")
		mu.Lock()
		kept[c.Param("id")] = v
		mu.Unlock()
		return c.Text(200, "ok")
	}, "/p/{id}/{x}?q={q}", "/r/{id}/{rest...}")
	dial := start(t, m)
	var wg sync.WaitGroup
	for n := range connections {
		wg.Go(func() {
			conn := dial()
			defer conn.Close()
			r := bufio.NewReader(conn)
			for i := range requests {
				target := fmt.Sprintf("/p/%d-%d/v%%20%d?q=%d+q", n, i, i*7919, i)
				if i%3 == 0 {
					target = fmt.Sprintf("/r/%d-%d/a/%d", n, i, i)
				}
				fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: h\r\n\r\n", target)
				var resp fasthttp.Response
				if err := resp.Read(r); err != nil || resp.StatusCode() != 200 {
					t.Errorf("%s: %d, %v", target, resp.StatusCode(), err)
					return
				}
			}
		})
	}
	wg.Wait()
	for n := range connections {
		for i := range requests {
			want := fmt.Sprintf("v %d||%d q", i*7919, i)
			if i%3 == 0 {
				want = fmt.Sprintf("|a/%d|", i)
			}
			if got := kept[fmt.Sprintf("%d-%d", n, i)]; got != want {
				t.Fatalf("connection %d, request %d: kept %q, want %q", n, i, got, want)
			}
		}
	}
}

func TestZeroAllocations(t *testing.T) {
	m := compiled(t, func(c *Ctx) error {
		for i := range c.Route().parsed.names {
			counter += len(c.ParamBytes(i))
		}
		counter += c.Int("n")
		return nil
	}, "/", "/a/b", "/a/{x}", "/a/{x}/{y...}", "/n/{n:int}?limit={limit:int=20}", "/v{n:uint}.json")
	for _, target := range []string{"/", "/a/b", "/a/c", "/a/c/d/e", "/n/5", "/n/5?limit=7", "/v7.json", "/a/%63?x=1", "/none", "/a/../b", "/a//"} {
		for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS"} {
			ctx := request(method, target)
			m.Serve(ctx) // grows buffers
			if n := testing.AllocsPerRun(100, func() { m.Serve(ctx) }); n != 0 {
				t.Errorf("%s %s: %v allocations", method, target, n)
			}
		}
	}
}

func TestParams_TypedSlotsAndUnknownNames(t *testing.T) {
	table := New()
	r := table.Get("/{i:int}/{u:uint}/{o:objectid}/{g:uuid}/v{n}.json?q={q:int=7}&s={s=}", func(c *Ctx) error {
		o, g := c.ObjectID("o"), c.UUID("g")
		return c.Text(200, fmt.Sprintf("%d %d %x %x %d %d %q %q %q %v", c.Int("i"), c.Uint("u"), o, g, c.Int("q"), c.Int("n"),
			c.Param("s"), c.Param("none"), c.ParamBytes(99), c.ParamBytes(-1) == nil))
	})
	m := mustCompile(t, table)
	for i, name := range []string{"i", "u", "o", "g", "n", "q", "s"} {
		if r.Slot(name) != i {
			t.Errorf("slot of %s: %d, want %d", name, r.Slot(name), i)
		}
	}
	if r.Slot("none") != -1 {
		t.Error("an unknown name has a slot")
	}
	got := serve(m, "GET", "/-5/18446744073709551615/0123456789abcdefABCDEF01/00112233-4455-6677-8899-aabbccddeeff/v12.json")
	want := `200 -5 18446744073709551615 0123456789abcdefabcdef01 00112233445566778899aabbccddeeff 7 12 "" "" "" true`
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	for target, status := range map[string]string{"q=x": "400", "q=": "200", "q=-9": "200"} {
		got := serve(m, "GET", "/-5/1/0123456789abcdefABCDEF01/00112233-4455-6677-8899-aabbccddeeff/v12.json?"+target)
		if got[:3] != status {
			t.Errorf("%s: %s, want %s", target, got, status)
		}
	}
}

func TestFits_AgainstTheReference(t *testing.T) {
	for _, s := range []string{"0", "-0", "007", "+1", "-", "1-", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
		"-9223372036854775809", "18446744073709551615", "18446744073709551616", "99999999999999999999999", "1_0", "１",
		"0123456789abcdefABCDEF01", "0123456789abcdefABCDEF0g", "0123456789abcdefABCDEF0",
		"00112233-4455-6677-8899-aabbccddeeff", "00112233-4455-6677-8899-aabbccddeefg", "001122334455-6677-8899-aabb-ccddeeff"} {
		for _, name := range []string{"int", "uint", "objectid", "uuid"} {
			if got, want := builtin(name).fits([]byte(s)), refTypes[name](s); got != want {
				t.Errorf("%q is %s: %v, want %v", s, name, got, want)
			}
		}
	}
}

func TestURL(t *testing.T) {
	table := New()
	r := table.Get("/a/{x}/v{n:int}.json?q={q}&l={l:int=20}", echo)
	files := table.Get("/files/{path...}", echo)
	m := mustCompile(t, table)
	for _, c := range []struct {
		r    *Route
		in   []string
		want string
	}{
		{r, []string{"x", "a/b c", "n", "5", "q", "1&2"}, "/a/a%2Fb%20c/v5.json?q=1%262"},
		{r, []string{"q", "é", "l", "3", "n", "-5", "x", "%"}, "/a/%25/v-5.json?q=%C3%A9&l=3"},
		{files, []string{"path", "a/b c/d"}, "/files/a/b%20c/d"},
		{files, []string{"path", "a/"}, "/files/a/"},
	} {
		got, err := c.r.URL(c.in...)
		if err != nil || got != c.want {
			t.Errorf("%v: %q, %v; want %q", c.in, got, err, c.want)
		}
		if match := m.Lookup("GET", got); match.Route != c.r {
			t.Errorf("%q leads to %+v", got, match)
		}
	}
	for _, in := range [][]string{
		{"x", "1", "n", "5"}, {"x", "1", "n", "x", "q", "1"}, {"x", "", "n", "5", "q", "1"}, {"x", "..", "n", "5", "q", "1"},
		{"x"}, {"x", "1", "n", "5", "q", "1", "z", "1"}, {"x", "1", "n", "5", "q", ""}, {"x", "\x00", "n", "5", "q", "1"},
	} {
		if got, err := r.URL(in...); err == nil || !strings.HasPrefix(err.Error(), "router: ") {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	for _, bad := range []string{"", "a//b", "/a", "a/../b", "//"} {
		if got, err := files.URL("path", bad); err == nil {
			t.Errorf("path %q: %q", bad, got)
		}
	}
}

// A stream that breaks off ends without the last chunk, and with the connection: what has come must not
// look like the whole (RFC 9112, section 8). The server lives on.
func TestStream_ChunksAndBreaks(t *testing.T) {
	m := compiled(t, func(c *Ctx) error {
		how := c.Param("x")
		return c.Stream(200, "text/plain", func(w *bufio.Writer) error {
			fmt.Fprint(w, "one ")
			w.Flush()
			switch how {
			case "panic":
				panic("in the stream")
			case "error":
				return errors.New("no more")
			}
			fmt.Fprint(w, "two")
			return nil
		})
	}, "/{x}")
	dial := start(t, m)
	for _, path := range []string{"/good", "/panic", "/error", "/good"} {
		conn := dial()
		r := bufio.NewReader(conn)
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: h\r\n\r\n", path)
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(path, err)
		}
		body, err := io.ReadAll(resp.Body)
		if path == "/good" {
			if string(body) != "one two" || err != nil {
				t.Errorf("%s: %q, %v", path, body, err)
			}
		} else if string(body) != "one " || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %q, %v", path, body, err)
		} else if _, err := r.ReadByte(); err != io.EOF {
			t.Errorf("%s: the connection lives on: %v", path, err)
		}
		conn.Close()
	}
}

func TestAdapters(t *testing.T) {
	table := New()
	table.Get("/fast", FastHTTP(func(ctx *fasthttp.RequestCtx) { ctx.SetBodyString("fast") }))
	table.Get("/net/{x}", NetHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "net %s", r.PathValue("x"))
	})))
	checkAll(t, mustCompile(t, table), []exchange{{"GET", "/fast", "200 fast"}, {"GET", "/net/a%20b", "200 net a b"}})
}

func TestCodec_BehavesLikeEncodingJSON(t *testing.T) {
	type in struct {
		A *int           `json:"a"`
		B string         `json:"b,omitempty"`
		C map[string]any `json:"c"`
		D []byte
		E float64
	}
	for _, s := range []string{`{"a":1,"b":"<x>","c":{"z":1,"a":[null,true]},"D":"AQI=","E":1e3}`, `{"A":1}`, `null`, `{}`, ` {} `,
		`{"a":01}`, `{"a":1.}`, `{"a":-}`, `{"a":1} x`, `{"a":1}{}`, "{\"b\":\"\n\"}", `{"b":"\ud800"}`, "{\"b\":\"\xff\"}", `{"a":1.5}`, `{"a":"1"}`,
		`[1]`, `{"E":1e999}`, `{"a":9223372036854775808}`, ``, `{"c":{"":1,"b":2}}`, strings.Repeat("[", 20000)} {
		var got, want in
		err, wantErr := defaultCodec().Decode([]byte(s), &got), json.Unmarshal([]byte(s), &want)
		if (err == nil) != (wantErr == nil) {
			t.Errorf("%.40s: %v, encoding/json says %v", s, err, wantErr)
			continue
		}
		if err != nil {
			continue
		}
		out, err := defaultCodec().Append([]byte("x"), got)
		plain, _ := json.Marshal(want)
		if err != nil || string(out) != "x"+string(plain) {
			t.Errorf("%.40s: %s, %v; want %s", s, out, err, plain)
		}
	}
	if _, err := defaultCodec().Append(nil, make(chan int)); err == nil {
		t.Error("a channel was written")
	}
}

func TestBind_SaysWhere(t *testing.T) {
	table := New()
	table.Post("/", func(c *Ctx) error {
		var v struct{ A struct{ B int } }
		return c.Bind(&v)
	})
	m := mustCompile(t, table)
	for body, want := range map[string]string{
		`{"A":x}`:         `"offset":5`,
		`{"A":`:           `"offset":5`,
		`{"A":{"B":"x"}}`: `"pointer":"/A/B"`,
	} {
		ctx := request("POST", "/")
		ctx.Request.SetBodyString(body)
		m.Serve(ctx)
		if got := string(ctx.Response.Body()); !strings.Contains(got, want) {
			t.Errorf("%s: %s lacks %s", body, got, want)
		}
	}
}

func TestMiddleware_OrderAndAutomaticAnswers(t *testing.T) {
	table := New()
	mark := func(s string) Middleware {
		return func(next Handler) Handler {
			return func(c *Ctx) error {
				c.Response.Header.Add("Mark", s)
				return next(c)
			}
		}
	}
	table.Get("/early", echo)
	table.Use(mark("1"), mark("2"))
	g := table.Group("/g", mark("3")).Group("/{h}", mark("4"))
	g.Get("/x", echo, mark("5"), mark("6"))
	m := mustCompile(t, table)
	for target, want := range map[string]string{"/early": "12", "/g/1/x": "123456", "/none": "12"} {
		ctx := request("GET", target)
		m.Serve(ctx)
		if got := string(bytes.Join(ctx.Response.Header.PeekAll("Mark"), nil)); got != want {
			t.Errorf("%s: middleware %s, want %s", target, got, want)
		}
	}
}

func TestTyped_StatusEmptyAndErrors(t *testing.T) {
	type none = struct{}
	table := New()
	table.Logger = slog.New(slog.DiscardHandler)
	table.Post("/created", JSON(func(c *Ctx, in map[string]int) (map[string]int, error) { c.Status(201); return in, nil }))
	table.Get("/nothing", JSON(func(*Ctx, none) (none, error) { return none{}, nil }))
	table.Get("/problem", JSON(func(*Ctx, none) (int, error) { return 0, NewProblem(409, "") }))
	table.Get("/byte", JSON(func(*Ctx, none) (byte, error) { return 7, nil }))
	table.Get("/chan", JSON(func(*Ctx, none) (chan int, error) { return make(chan int), nil }))
	m := mustCompile(t, table)
	ctx := request("POST", "/created")
	ctx.Request.SetBodyString(`{"a":1}`)
	m.Serve(ctx)
	if got := string(ctx.Response.Body()); ctx.Response.StatusCode() != 201 || got != `{"a":1}` {
		t.Errorf("%d %s", ctx.Response.StatusCode(), got)
	}
	checkAll(t, m, []exchange{{"GET", "/byte", "200 7"}, {"GET", "/nothing", "204"}, {"GET", "/problem", "409"}, {"GET", "/chan", "500"}})
}

func TestProblem(t *testing.T) {
	p := &Problem{Type: "https://a.test/p", Title: `"T"`, Status: 418, Extensions: map[string]any{"z": 1, "a": []int{1}, "status": 5, "c": make(chan int)}}
	got := string(p.appendJSON(nil, defaultCodec()))
	if want := `{"type":"https://a.test/p","title":"\"T\"","status":418,"a":[1],"c":"0x`; !strings.HasPrefix(got, want) || !strings.HasSuffix(got, `","z":1}`) {
		t.Error(got)
	}
	if AsProblem(nil) != nil || AsProblem(errors.New("x")).Status != 500 || AsProblem(fmt.Errorf("x: %w", p)) != p {
		t.Error("AsProblem")
	}
	if (&Problem{Status: 42}).status() != 500 || !strings.Contains(p.Error(), "418") {
		t.Error("status")
	}
}

// More contexts than places, two of which serve at once within each other: each has a Ctx of its own.
func TestPool_ManyContextsAndNested(t *testing.T) {
	var m *Matcher
	depth := 0
	m = compiled(t, func(c *Ctx) error {
		x := c.ParamBytes(0)
		if depth++; depth < 3 {
			m.Serve(c.RequestCtx)
		}
		depth--
		if string(x) != string(c.ParamBytes(0)) || c.Route() == nil {
			t.Error("a nested request changed the outer one")
		}
		return nil
	}, "/{x}")
	for i := range 4 * poolPlaces {
		m.Serve(request("GET", fmt.Sprintf("/%d", i)))
	}
}

// A request that a time-out has answered may have a handler that still runs. Its Ctx is not lent again,
// and the pool does not keep it and its request alive.
func TestPool_DropsWhatATimeOutAnswered(t *testing.T) {
	var late *Ctx
	m := compiled(t, func(c *Ctx) error {
		if string(c.ParamBytes(0)) == "late" {
			late = c
			c.TimeoutError("too late")
		} else if c == late {
			t.Error("a Ctx that may be in use was lent again")
		}
		return nil
	}, "/{x}")
	ctx := request("GET", "/late")
	m.Serve(ctx)
	if late == nil || late.key == 0 {
		t.Fatal("the Ctx was not a bound one")
	}
	for i := range m.pool.places {
		if m.pool.places[i].Load() == late {
			t.Errorf("place %d still holds it", i)
		}
	}
	m.Serve(request("GET", "/next"))
	if string(late.ParamBytes(0)) != "late" {
		t.Error("what the late handler reads has changed")
	}
}

// fasthttp's adaptor runs a net/http handler on a goroutine of its own, and panics again on the request's:
// that is a 500 too, and the connection lives on.
func TestAdapters_APanicIsA500(t *testing.T) {
	table := New()
	table.Logger = slog.New(slog.DiscardHandler)
	table.Get("/http", NetHTTP(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret") })))
	table.Get("/fast", FastHTTP(func(*fasthttp.RequestCtx) { panic("secret") }))
	conn := start(t, mustCompile(t, table))()
	defer conn.Close()
	r := bufio.NewReader(conn)
	for _, path := range []string{"/http", "/fast", "/http"} {
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: h\r\n\r\n", path)
		var resp fasthttp.Response
		if err := resp.Read(r); err != nil || resp.StatusCode() != 500 || bytes.Contains(resp.Body(), []byte("secret")) {
			t.Errorf("%s: %d %q, %v", path, resp.StatusCode(), resp.Body(), err)
		}
	}
}
