package middleware

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
)

// from serves GET / for a client of this address.
func from(m *router.Matcher, addr net.Addr) *fasthttp.Response {
	ctx := &fasthttp.RequestCtx{}
	ctx.Init(&fasthttp.Request{}, addr, nil)
	ctx.Request.Header.SetMethod("GET")
	ctx.Request.SetRequestURI("/")
	m.Serve(ctx)
	return &ctx.Response
}

func tcp(ip string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: 4000} }

func TestRateLimitBurstThenRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := compile(t, func(table *router.Table) {
			table.Get("/", ok, RateLimit(RateLimitConfig{Rate: 2, Burst: 3}))
		})
		client := tcp("192.0.2.1")
		step := func(after time.Duration, want int) {
			t.Helper()
			time.Sleep(after)
			if got := from(m, client).StatusCode(); got != want {
				t.Errorf("%v later: %d, want %d", after, got, want)
			}
		}
		for range 3 {
			step(0, 200)
		}
		step(0, 429)
		step(499*time.Millisecond, 429)
		step(time.Millisecond, 200) // half a second: one token
		step(0, 429)
		step(time.Second, 200) // two tokens
		step(0, 200)
		step(0, 429)
		time.Sleep(time.Hour) // never more than the burst
		for range 3 {
			step(0, 200)
		}
		step(0, 429)
	})
}

func TestRateLimitRetryAfterIsEnough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			rate float64
			want string
		}{{2, "1"}, {1, "1"}, {0.4, "3"}, {0.1, "10"}} {
			m := compile(t, func(table *router.Table) {
				table.Get("/", ok, RateLimit(RateLimitConfig{Rate: tt.rate, Burst: 1}))
			})
			client := tcp("192.0.2.1")
			from(m, client)
			resp := from(m, client)
			problem(t, resp, 429)
			if got := string(resp.Header.Peek("Retry-After")); got != tt.want {
				t.Errorf("rate %v: Retry-After %q, want %q", tt.rate, got, tt.want)
			}
			seconds, err := time.ParseDuration(tt.want + "s")
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(seconds)
			if got := from(m, client).StatusCode(); got != 200 {
				t.Errorf("rate %v: %d after the time that Retry-After said", tt.rate, got)
			}
		}
	})
}

func TestRateLimitTellsClientsApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		unix := &net.UnixAddr{Name: "@", Net: "unix"}
		for _, tt := range []struct {
			a, b net.Addr
			same bool
		}{
			{tcp("192.0.2.1"), tcp("192.0.2.1"), true},
			{tcp("192.0.2.1"), tcp("192.0.2.2"), false},
			{tcp("192.0.2.1"), tcp("::ffff:192.0.2.1"), true},
			{tcp("2001:db8:1:1::1"), tcp("2001:db8:1:1:ffff::2"), true},
			{tcp("2001:db8:1:1::1"), tcp("2001:db8:1:2::1"), false},
			{unix, unix, true},
		} {
			m := compile(t, func(table *router.Table) {
				table.Get("/", ok, RateLimit(RateLimitConfig{Rate: 1, Burst: 1}))
			})
			from(m, tt.a)
			if refused := from(m, tt.b).StatusCode() == 429; refused != tt.same {
				t.Errorf("%v and %v: one client %v, want %v", tt.a, tt.b, refused, tt.same)
			}
		}
	})
}

func TestRateLimitByKeyOfTheApp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := compile(t, func(table *router.Table) {
			table.Get("/", ok, RateLimit(RateLimitConfig{Rate: 1, Burst: 1, Key: func(c *router.Ctx) []byte {
				return c.Request.Header.Peek("X-Account")
			}}))
		})
		for i, tt := range []struct {
			account string
			want    int
		}{{"a", 200}, {"b", 200}, {"a", 429}, {"b", 429}} {
			if got := ask(m, "GET", "/", "X-Account", tt.account).Response.StatusCode(); got != tt.want {
				t.Errorf("request %d, account %s: %d, want %d", i, tt.account, got, tt.want)
			}
		}
	})
}

// However many clients come, the table holds Clients of them, and forgets those that were quiet the
// longest.
func TestRateLimitTableIsBounded(t *testing.T) {
	b := newBuckets(1, 1, 100)
	now := time.Unix(1_000_000, 0)
	for client := range uint64(10_000) {
		if wait := b.take(client, now); wait != 0 {
			t.Fatalf("client %d is new and waits %v", client, wait)
		}
	}
	if len(b.index) != 100 || len(b.entries) != 101 {
		t.Errorf("%d clients in %d entries, want 100 in 101", len(b.index), len(b.entries))
	}
	if b.take(9_900, now) == 0 {
		t.Error("a client of the last hundred was forgotten")
	}
	b.take(10_000, now) // pushes out 9,901, the oldest after 9,900 came again
	if b.take(9_900, now) == 0 {
		t.Error("a client who came again was forgotten before one who did not")
	}
	if b.take(9_901, now) != 0 {
		t.Error("the client who was quiet the longest was kept")
	}
}

// naive is a bucket as one would draw it: tokens that flow back, up to the burst.
type naive struct {
	tokens float64
	last   time.Time
}

func (n *naive) take(rate, burst float64, now time.Time) bool {
	n.tokens = min(burst, n.tokens+now.Sub(n.last).Seconds()*rate)
	n.last = now
	if n.tokens < 1-1e-6 {
		return false
	}
	n.tokens--
	return true
}

func TestBucketsAgreeWithANaiveOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 50 {
		rate, burst := float64(1+rng.IntN(50))/4, 1+rng.IntN(20) // quarters: their intervals are whole nanoseconds or nearly
		b := newBuckets(rate, burst, 10)
		now := time.Unix(1_000_000, 0)
		reference := map[uint64]*naive{}
		for step := range 2000 {
			now = now.Add(time.Duration(rng.IntN(400)) * time.Millisecond)
			client := rng.Uint64N(5)
			n := reference[client]
			if n == nil {
				n = &naive{float64(burst), now}
				reference[client] = n
			}
			if got, want := b.take(client, now) == 0, n.take(rate, float64(burst), now); got != want {
				t.Fatalf("rate %v, burst %d, step %d: taken %v, the naive bucket says %v", rate, burst, step, got, want)
			}
		}
	}
}

// Numbers that make no sense, or overflow when they are multiplied, let the first request pass and
// refuse none that is in the burst.
func TestRateLimitOfStrangeNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, cfg := range []RateLimitConfig{
			{}, {Rate: -1}, {Rate: math.NaN()}, {Rate: math.Inf(1)}, {Rate: 1e-300, Burst: 3}, {Rate: 1e300},
			{Rate: 1e-9, Burst: math.MaxInt}, {Rate: 1, Burst: -5, Clients: -5}, {Rate: 2, Clients: math.MaxInt},
		} {
			m := compile(t, func(table *router.Table) { table.Get("/", ok, RateLimit(cfg)) })
			for i := range 2 {
				if got := from(m, tcp("192.0.2.1")).StatusCode(); got != 200 {
					t.Errorf("%+v: request %d: %d", cfg, i, got)
				}
			}
		}
	})
}

func TestRateLimitUnderManyGoroutines(t *testing.T) {
	b := newBuckets(1, 50, 8)
	now := time.Unix(1_000_000, 0)
	var taken [4]atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 400 {
				client := i % len(taken)
				if b.take(uint64(client), now) == 0 {
					taken[client].Add(1)
				}
			}
		})
	}
	wg.Wait()
	for i := range taken {
		if n := taken[i].Load(); n != 50 {
			t.Errorf("client %d took %d tokens, want 50", i, n)
		}
	}
}

func BenchmarkRateLimit(b *testing.B) {
	for _, clients := range []int{1, 1 << 16, 1 << 17} {
		b.Run(fmt.Sprint(clients), func(b *testing.B) {
			table := newBuckets(10, 20, 1<<16)
			now := time.Now()
			for i := range b.N {
				table.take(uint64(i%clients), now)
			}
		})
	}
}
