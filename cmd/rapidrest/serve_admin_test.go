package main

import (
	"net"
	"regexp"
	"strings"
	"testing"

	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
)

func TestAdminPort(t *testing.T) {
	db := mongotest.Process(t, t.TempDir())
	c := serveURI(t, db.URI(), "d", "--reply", "store", "--admin", "127.0.0.1:0")
	admin := c.line("admin on ")
	url := c.url()
	for range 3 {
		send(t, "POST", url+"/collections/answers", `{}`)
	}
	send(t, "POST", url+"/collections/answers", `no JSON`)
	send(t, "GET", url+"/nothing", "")

	metrics := send(t, "GET", admin+"/metrics", "").body
	for _, want := range []string{
		`rapidrest_outcomes_total{collection="answers",outcome="stored"} 3`,
		`rapidrest_accepted_documents_total{collection="answers"} 3`,
		`rapidrest_pending_documents{collection="answers"} 0`,
		`rapidrest_http_answers_total{method="POST",route="/collections/{collection}",status="201"} 3`,
		`rapidrest_http_answers_total{method="POST",route="/collections/{collection}",status="400"} 1`,
		`rapidrest_http_answers_total{method="",route="",status="404"} 1`,
		`rapidrest_batch_documents_count{collection="answers"}`,
		`rapidrest_flush_seconds_bucket{collection="answers",le="+Inf"}`,
		`rapidrest_refused_documents_total{collection="answers",reason="full"} 0`,
		`rapidrest_spool_documents{collection="answers"} 0`,
		`go_goroutines`,
	} {
		if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(want)).MatchString(metrics) {
			t.Errorf("/metrics has no line %s", want)
		}
	}
	if t.Failed() {
		for line := range strings.Lines(metrics) {
			if strings.HasPrefix(line, "rapidrest_") {
				t.Log(strings.TrimSpace(line))
			}
		}
	}
	for path, want := range map[string]int{"/live": 200, "/ready": 200, "/debug/pprof/goroutine?debug=1": 200, "/collections/answers": 404} {
		if got := send(t, "GET", admin+path, ""); got.status != want {
			t.Errorf("%s: %d, want %d", path, got.status, want)
		}
	}
	db.Kill()
	await(t, "/ready says 503 and why", func() bool {
		got := send(t, "GET", admin+"/ready", "")
		return got.status == 503 && strings.Contains(got.body, "error")
	})
}

func TestAdminPortTaken(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	c := serve(t, mongotest.Database(t), "--admin", ln.Addr().String())
	if code := c.exit(); code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
	if said := c.stderr.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "address already in use") {
		t.Errorf("it says %q, want one line", said)
	}
}
