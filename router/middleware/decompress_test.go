package middleware

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
)

// encoders make bodies; br comes from fasthttp, since klauspost/compress has none.
var encoders = map[string]func([]byte) []byte{
	"gzip": func(plain []byte) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(plain)
		w.Close()
		return b.Bytes()
	},
	"deflate": func(plain []byte) []byte {
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		w.Write(plain)
		w.Close()
		return b.Bytes()
	},
	"br": func(plain []byte) []byte { return fasthttp.AppendBrotliBytes(nil, plain) },
	"zstd": func(plain []byte) []byte {
		w, err := zstd.NewWriter(nil)
		if err != nil {
			panic(err)
		}
		return w.EncodeAll(plain, nil)
	},
}

func inflating(t testing.TB, limit int) *router.Matcher {
	return compile(t, func(table *router.Table) {
		table.Post("/", func(c *router.Ctx) error {
			if c.Request.Header.ContentEncoding() != nil && len(c.Request.Header.ContentEncoding()) > 0 {
				return fmt.Errorf("still encoded as %q", c.Request.Header.ContentEncoding())
			}
			if n := c.Request.Header.ContentLength(); n != len(c.PostBody()) {
				return fmt.Errorf("Content-Length %d, body %d", n, len(c.PostBody()))
			}
			return c.Text(200, string(c.PostBody()))
		}, Decompress(limit))
	})
}

func post(m *router.Matcher, coding string, body []byte) *fasthttp.Response {
	ctx := &fasthttp.RequestCtx{}
	ctx.Init(&fasthttp.Request{}, nil, nil)
	ctx.Request.Header.SetMethod("POST")
	ctx.Request.SetRequestURI("/")
	if coding != "" {
		ctx.Request.Header.Set("Content-Encoding", coding)
	}
	ctx.Request.SetBody(body)
	ctx.Request.Header.SetContentLength(len(body))
	m.Serve(ctx)
	return &ctx.Response
}

func TestLesson44_InflatedBytesAreCountedAndNotCompressedOnes(t *testing.T) {
	const limit = 1000
	m := inflating(t, limit)
	for coding, encode := range encoders {
		for _, length := range []int{0, 1, limit - 1, limit} {
			plain := strings.Repeat("x", length)
			for _, name := range []string{coding, strings.ToUpper(coding)} {
				if resp := post(m, name, encode([]byte(plain))); resp.StatusCode() != 200 || string(resp.Body()) != plain {
					t.Errorf("%s, %d bytes: status %d, %d bytes: %.80q", name, length, resp.StatusCode(), len(resp.Body()), resp.Body())
				}
			}
		}
		resp := post(m, coding, encode(bytes.Repeat([]byte("x"), limit+1)))
		if got := problem(t, resp, 413)["limit"]; got != float64(limit) || !resp.ConnectionClose() {
			t.Errorf("%s, a byte too long: limit %v, close %v", coding, got, resp.ConnectionClose())
		}
	}
}

func TestDecompressLeavesPlainBodiesAlone(t *testing.T) {
	m := inflating(t, 4)
	for _, coding := range []string{"", "identity", "Identity"} {
		if resp := post(m, coding, []byte("four")); resp.StatusCode() != 200 || string(resp.Body()) != "four" {
			t.Errorf("%q: status %d, body %q", coding, resp.StatusCode(), resp.Body())
		}
	}
	if resp := post(m, "x-gzip", encoders["gzip"]([]byte("four"))); resp.StatusCode() != 200 || string(resp.Body()) != "four" {
		t.Errorf("x-gzip: status %d, body %q", resp.StatusCode(), resp.Body())
	}
}

func TestDecompressRefusesOtherEncodings(t *testing.T) {
	m := inflating(t, 100)
	for _, coding := range []string{"compress", "gzip, gzip", "gzip,br", "aws-chunked", "gzip;q=1"} {
		resp := post(m, coding, []byte("x"))
		problem(t, resp, 415)
		if got := string(resp.Header.Peek("Accept-Encoding")); got != "gzip, deflate, br, zstd" {
			t.Errorf("%q: Accept-Encoding %q", coding, got)
		}
	}
}

func TestDecompressRefusesBrokenBodies(t *testing.T) {
	m := inflating(t, 1<<20)
	// No repetition, so that every encoder has something to say in the middle.
	var plain []byte
	for i := range 5000 {
		plain = fmt.Appendf(plain, "%d,", i*i)
	}
	for coding, encode := range encoders {
		whole := encode(plain)
		changed := bytes.Clone(whole)
		changed[0] ^= 0xff
		for name, body := range map[string][]byte{
			"empty": nil, "cut": whole[:len(whole)/2], "short of its last byte": whole[:len(whole)-1],
			"changed": changed, "plain": []byte(`{"a":1}`), "followed by more": append(bytes.Clone(whole), "more"...),
		} {
			if coding == "deflate" && name == "followed by more" {
				continue // a zlib stream says itself where it ends, and its reader looks no further
			}
			resp := post(m, coding, body)
			if name == "empty" && coding == "zstd" && resp.StatusCode() == 200 && len(resp.Body()) == 0 {
				continue // RFC 8878 has a stream be any number of frames, none included
			}
			if resp.StatusCode() != 400 {
				t.Errorf("%s, %s: status %d, body %.60q", coding, name, resp.StatusCode(), resp.Body())
			}
		}
	}
}

// An encoder that streams declares a window far larger than what little it sends; that is no reason
// to refuse it.
func TestDecompressTakesALargeWindowAroundASmallBody(t *testing.T) {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithWindowSize(8<<20))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		fmt.Fprint(w, "some text, ")
		w.Flush()
	}
	w.Close()
	if resp := post(inflating(t, 100), "zstd", b.Bytes()); string(resp.Body()) != "some text, some text, some text, " {
		t.Errorf("status %d, body %q", resp.StatusCode(), resp.Body())
	}
}

// 32 MiB of zeros in a few hundred bytes or kilobytes: what is taken is a small multiple of the
// limit, and the window that the encoder has declared (4 MiB by br's), not what they hold.
func TestLesson42_InflatingTakesNoMemoryForABomb(t *testing.T) {
	const limit = 64 << 10
	zeros := make([]byte, 32<<20)
	bombs := map[string][]byte{"br": fasthttp.AppendBrotliBytesLevel(nil, zeros, fasthttp.CompressBrotliBestSpeed)}
	for _, coding := range []string{"gzip", "deflate", "zstd"} {
		bombs[coding] = encoders[coding](zeros)
	}
	window := map[string]int{"br": 4 << 20}
	m := inflating(t, limit)
	for coding, bomb := range bombs {
		// The decoders' own tables are kept, until a collection drops them. So the least of a few tries
		// counts: a bomb that goes off does so in each.
		least := uint64(math.MaxUint64)
		for range 5 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			resp := post(m, coding, bomb)
			runtime.ReadMemStats(&after)
			problem(t, resp, 413)
			least = min(least, after.TotalAlloc-before.TotalAlloc)
		}
		if most := uint64(16*limit + len(bomb) + window[coding]); least > most {
			t.Errorf("%s: %d bytes allocated for a limit of %d", coding, least, limit)
		}
	}
}

// However many clients send bodies to be inflated, only so many are at it as there are processors.
func TestDecompressTakesTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDecompressor(10)
		var mu sync.Mutex
		var wg sync.WaitGroup
		running, most := 0, 0
		count := func(by int) {
			mu.Lock()
			defer mu.Unlock()
			running += by
			most = max(most, running)
		}
		inflate := func(int) ([]byte, error) {
			count(1)
			time.Sleep(time.Second) // of the bubble's time: all that may run do by then
			count(-1)
			return nil, nil
		}
		for range 4 * cap(d.turns) {
			wg.Go(func() { d.inTurn(inflate) })
		}
		wg.Wait()
		if most != runtime.GOMAXPROCS(0) || running != 0 {
			t.Errorf("%d at once, want %d; %d never ended", most, runtime.GOMAXPROCS(0), running)
		}
	})
}

func TestDecompressLimitOfNothingInflatesNothing(t *testing.T) {
	m := inflating(t, 0)
	for coding, encode := range encoders {
		if resp := post(m, coding, encode(nil)); resp.StatusCode() != 200 {
			t.Errorf("%s: an empty body: %d", coding, resp.StatusCode())
		}
		problem(t, post(m, coding, encode([]byte("x"))), 413)
	}
}

func FuzzDecompress(f *testing.F) {
	names := []string{"gzip", "deflate", "br", "zstd"}
	for i, name := range names {
		f.Add(byte(i), encoders[name]([]byte("some text, some text, some text")))
	}
	m := inflating(f, 4096)
	f.Fuzz(func(t *testing.T, which byte, body []byte) {
		resp := post(m, names[int(which)%len(names)], body)
		switch resp.StatusCode() {
		case 200:
			if len(resp.Body()) > 4096 {
				t.Errorf("%d bytes inflated, limit 4096", len(resp.Body()))
			}
		case 400, 413:
		default:
			t.Errorf("status %d: %s", resp.StatusCode(), resp.Body())
		}
	})
}
