package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

func TestClientPrintsAndExits(t *testing.T) {
	var seen atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if seen.Add(1)%10 == 0 && strings.HasPrefix(r.URL.Path, "/some") {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	body := filepath.Join(t.TempDir(), "bodies.ndjson")
	if err := os.WriteFile(body, []byte("{\"a\":1}\n{\"a\":2}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path string
		code int
		says string
	}{
		{"/all", 0, ""},
		{"/some", exitFailed, "10 of 100 requests failed: 10 with status 503"},
	} {
		seen.Store(0)
		var stdout, stderr bytes.Buffer
		code := run([]string{"client", server.URL + test.path, "--requests", "100", "--body", body, "--json"}, &stdout, &stderr)
		if code != test.code || !strings.Contains(stderr.String(), test.says) || strings.Count(stderr.String(), "\n") > 1 {
			t.Errorf("%s: exit code %d, says %q", test.path, code, stderr.String())
		}
		var result map[string]any
		if err := json.Unmarshal(stdout.Bytes(), &result); err != nil {
			t.Fatalf("%s is no JSON: %v", stdout.String(), err)
		}
		for _, key := range []string{"sent", "answered", "status", "errors", "seconds", "rps", "latency_us"} {
			if _, ok := result[key]; !ok {
				t.Errorf("no %q in %s", key, stdout.String())
			}
		}
		if result["answered"] != 100.0 {
			t.Errorf("%s", stdout.String())
		}
	}
}

func TestClientUsage(t *testing.T) {
	for args, says := range map[string]string{
		"client":                                    "expected \"<url>\"",
		"client 127.0.0.1:80":                       "no scheme",
		"client http://a/ --pipeline=-1":            "pipeline of -1",
		"client http://a/ --body /nonexistent/file": "/nonexistent/file",
		"client http://a/ --header nonsense":        "nonsense",
	} {
		var stdout, stderr bytes.Buffer
		if code := run(strings.Fields(args), &stdout, &stderr); code != exitUsage || !strings.Contains(stderr.String(), says) {
			t.Errorf("%s: exit code %d, says %q", args, code, stderr.String())
		}
	}
}
