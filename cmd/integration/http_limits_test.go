package integration

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/resource"
	"github.com/rapidrest/rapidrest/router"
)

func TestLesson42_BodiesOverTheLimitAre413(t *testing.T) {
	fits := `{"a":"` + strings.Repeat("x", rawLimits.MaxBody-8) + `"}`
	over := `{"a":"` + strings.Repeat("x", rawLimits.MaxBody-7) + `"}`
	inChunks := func(body string) string {
		return chunked("8\r\n" + body[:8] + "\r\n" + hex(len(body)-8) + "\r\n" + body[8:] + "\r\n0\r\n\r\n")
	}
	run(t, []rawCase{
		{"at the limit", post("", fits), "201 open"},
		{"one byte over", post("", over) + smuggled, "413 close"},
		{"chunks at the limit", inChunks(fits), "201 open"},
		{"chunks one byte over", inChunks(over) + smuggled, "413 close"},
		{"a length far over, and no body", postHead + "Content-Length: 1099511627776\r\n\r\n", "413 close"},
		{"a chunk far over, and no data", chunked("7fffffffffff\r\n"), "413 close"},
		{"on a route that reads no body", "DELETE /collections/raw/a HTTP/1.1\r\nHost: test\r\nContent-Length: 200000\r\n\r\n", "413 close"},
	})
}

func TestLesson42_NoContinueForABodyThatIsRefused(t *testing.T) {
	expect := "Expect: 100-continue\r\n"
	run(t, []rawCase{
		{"a body that is wanted", post(expect, `{"a":1}`), "100 201 open"},
		{"chunks that are wanted", postHead + expect + "Transfer-Encoding: chunked\r\n\r\n7\r\n{\"a\":1}\r\n0\r\n\r\n", "100 201 open"},
		{"a body over the limit", postHead + expect + "Content-Length: 100001\r\n\r\n", "413 close"},
		{"a body over the limit that comes anyway", postHead + expect + "Content-Length: 100001\r\n\r\n" + strings.Repeat("x", 100_001) + smuggled, "413 close"},
		{"doubtful framing", postHead + expect + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", "400 close"},
		{"a body that never comes", postHead + expect + "Content-Length: 7\r\n\r\n", "100 408 close"},
		{"an expectation nobody knows", post("Expect: miracles\r\n", `{"a":1}`), "201 open"},
	})
}

// encoded is a POST of bytes in a Content-Encoding.
func encoded(coding string, body []byte) string {
	return post("Content-Encoding: "+coding+"\r\n", string(body))
}

func TestEncodings(t *testing.T) {
	doc := []byte(`{"a":1}`)
	run(t, []rawCase{
		{"gzip", encoded("gzip", gzipped(t, doc)), "201 open"},
		{"x-gzip", encoded("x-gzip", gzipped(t, doc)), "201 open"},
		{"GZIP", encoded("GZIP", gzipped(t, doc)), "201 open"},
		{"deflate", encoded("deflate", zlibbed(t, doc)), "201 open"},
		{"br", encoded("br", fasthttp.AppendBrotliBytes(nil, doc)), "201 open"},
		{"zstd", encoded("zstd", fasthttp.AppendZstdBytes(nil, doc)), "201 open"},
		{"identity", encoded("identity", doc), "201 open"},
		{"compress", encoded("compress", doc), "415 open"},
		{"gzip, gzip", encoded("gzip, gzip", gzipped(t, gzipped(t, doc))), "415 open"},
		{"gzip that is none", encoded("gzip", doc), "400 open"},
		{"gzip that is cut", encoded("gzip", gzipped(t, doc)[:20]), "400 open"},
		{"gzip with a wrong sum", encoded("gzip", flip(gzipped(t, doc), -8)), "400 open"},
		{"deflate that is none", encoded("deflate", doc), "400 open"},
		{"br that is none", encoded("br", []byte("\xff\xff\xff")), "400 open"},
		{"zstd that is none", encoded("zstd", doc), "400 open"},
		{"gzip in chunks", postHead + "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n" + hex(len(gzipped(t, doc))) + "\r\n" + string(gzipped(t, doc)) + "\r\n0\r\n\r\n", "201 open"},
		{"gzip and then a request", encoded("gzip", gzipped(t, doc)) + liveLine, "201 200 open"},
		{"nothing, in gzip", encoded("gzip", gzipped(t, nil)), "400 open"},
	})
}

func TestLesson44_InflatedBytesCount(t *testing.T) {
	doc := func(n int) []byte { return []byte(`{"a":"` + strings.Repeat("x", n-8) + `"}`) }
	run(t, []rawCase{
		{"at the limit", encoded("gzip", gzipped(t, doc(maxInflated))), "201 open"},
		{"one byte over", encoded("gzip", gzipped(t, doc(maxInflated+1))) + smuggled, "413 close"},
		{"50 MiB in gzip", encoded("gzip", gzipped(t, doc(50<<20))) + smuggled, "413 close"},
		{"50 MiB in deflate", encoded("deflate", zlibbed(t, doc(50<<20))) + smuggled, "413 close"},
		{"50 MiB in br", encoded("br", fasthttp.AppendBrotliBytesLevel(nil, doc(50<<20), 1)) + smuggled, "413 close"},
		{"50 MiB in zstd", encoded("zstd", fasthttp.AppendZstdBytes(nil, doc(50<<20))) + smuggled, "413 close"},
	})
}

func TestLesson44_ContentTypes(t *testing.T) {
	typed := func(headers, body string) string {
		return "POST /collections/raw HTTP/1.1\r\nHost: test\r\n" + headers + "Content-Length: " + itoa(len(body)) + "\r\n\r\n" + body
	}
	run(t, []rawCase{
		{"case and parameters", typed("Content-Type: Application/JSON; charset=UTF-8\r\n", `{}`), "201 open"},
		{"a header's name in any case", typed("cOnTeNt-TyPe: application/json\r\n", `{}`), "201 open"},
		{"a suffix", typed("Content-Type: application/vnd.x+json\r\n", `{}`), "201 open"},
		{"none", typed("", `{}`), "415 open"},
		{"empty", typed("Content-Type:\r\n", `{}`), "415 open"},
		{"text", typed("Content-Type: text/plain\r\n", `{}`), "415 open"},
		{"a form", typed("Content-Type: application/x-www-form-urlencoded\r\n", `a=1`), "415 open"},
		{"no body", typed("Content-Type: application/json\r\n", ``), "400 open"},
		{"no length and no body", "POST /collections/raw HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n\r\n", "400 open"},
		{"lines", typed("Content-Type: application/x-ndjson\r\n", "{}\n{}\n"), "201 open"},
	})
}

// TestMultipartIsNotUnpacked: fasthttp would write such a body into temporary files before any
// handler is asked.
func TestMultipartIsNotUnpacked(t *testing.T) {
	before := multipartFiles(t)
	body := "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n" + strings.Repeat("x", 90_000) + "\r\n--b--\r\n"
	s, _ := rawServer(t)
	got := s.play(t, "POST /collections/raw HTTP/1.1\r\nHost: test\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: "+itoa(len(body))+"\r\n\r\n"+body, 1)
	if got != "415 open" {
		t.Errorf("answered %s", got)
	}
	if after := multipartFiles(t); after != before {
		t.Errorf("%d temporary files more", after-before)
	}
}

// multipartFiles counts what the standard library calls the files of a multipart body.
func multipartFiles(t *testing.T) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(os.TempDir(), "multipart-*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// TestLesson42_TooManyConnections: the one too many hears why, as a problem, and when to come back.
func TestLesson42_TooManyConnections(t *testing.T) {
	s := serve(t, serviceConfig{limits: router.Limits{MaxConnections: 3}, routes: func(table *router.Table) {
		table.Get("/live", func(c *router.Ctx) error { return c.Text(200, "ok") })
	}})
	for range 3 {
		c := s.dial(t)
		io.WriteString(c, liveLine)
		if got, closed := readStatuses(t, c, 1); closed || got[0] != "200" {
			t.Fatalf("within the limit: %v", got)
		}
	}
	got := s.do(t, "GET /live")
	expect(t, got, `
503
Content-Type: application/problem+json
Retry-After: 1

{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"too many connections; try again later"}`)
}

// TestManySlowClients: clients that send a byte and wait hold nothing but their connection, and
// not for long; others are served meanwhile.
func TestManySlowClients(t *testing.T) {
	s, _ := rawServer(t)
	var all sync.WaitGroup
	for range 100 {
		c := s.dial(t)
		io.WriteString(c, "P")
		all.Go(func() {
			resp, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil || resp.StatusCode != 408 {
				t.Errorf("a slow client: %v, %v", resp, err)
			}
		})
	}
	if got := s.do(t, "POST /collections/raw"+json+`{}`); status(got) != "201" {
		t.Errorf("a fast client among them: %s", got)
	}
	all.Wait()
	s.waitForQuiet(t)
}

// TestLargeBulkInGzip: ten thousand documents in one compressed body.
func TestLargeBulkInGzip(t *testing.T) {
	s := serve(t, serviceConfig{resource: resource.Config{MaxBulk: 10_000}})
	body := gzipped(t, bytes.Repeat([]byte("{\"a\":[1,2,3],\"b\":\"xyz\"}\n"), 10_000))
	c := s.dial(t)
	io.WriteString(c, "POST /collections/bulk HTTP/1.1\r\nHost: test\r\nContent-Type: application/x-ndjson\r\nContent-Encoding: gzip\r\nPrefer: return=minimal\r\nContent-Length: "+itoa(len(body))+"\r\n\r\n"+string(body))
	if got := readAnswer(t, bufio.NewReader(c), "POST"); status(got) != "201" {
		t.Fatalf("%.300s", got)
	}
	if n := len(s.ids(t, "bulk")); n != 10_000 {
		t.Errorf("%d documents are stored", n)
	}
}

func hex(n int) string {
	const digits = "0123456789abcdef"
	s := ""
	for ; n > 0; n /= 16 {
		s = digits[n%16:n%16+1] + s
	}
	return s
}

// flip changes one byte, counted from the end.
func flip(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[len(b)+at] ^= 1
	return b
}

func gzipped(t *testing.T, b []byte) []byte {
	return pressed(t, b, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
}

func zlibbed(t *testing.T, b []byte) []byte {
	return pressed(t, b, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
}

func pressed(t *testing.T, b []byte, open func(io.Writer) io.WriteCloser) []byte {
	t.Helper()
	var out bytes.Buffer
	w := open(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
