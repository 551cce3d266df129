package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rapidrest/rapidrest/cmd/internal/bench"
	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
)

// The whole way, once and small: every scenario runs on every subject, what the table says
// was counted in the database, and no process is left behind.
func TestBench(t *testing.T) {
	t.Setenv(runMain, "1") // for the children: the test binary is the command
	file := filepath.Join(t.TempDir(), "report.json")
	var stdout, stderr bytes.Buffer
	code := run([]string{"bench", "--requests", "200", "--runs", "2", "--warmup", "10", "--scenarios", strings.Join(bench.ScenarioNames(), ","),
		"--mongo-uri", mongotest.URI(t), "--json", file}, &stdout, &stderr)
	if code != 0 {
		t.Fatalf("exit code %d; %s", code, stderr.String())
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var report bench.Report
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	if want := len(bench.ScenarioNames()) * 3 * 2; len(report.Runs) != want {
		t.Errorf("%d runs instead of %d", len(report.Runs), want)
	}
	for _, run := range report.Runs {
		stored := int64(0)
		if run.Scenario == "single" || run.Scenario == "batched" || run.Scenario == "documents" {
			stored = 200
		}
		if run.Client.Answered != 200 || run.Documents != stored || run.Rate <= 0 || run.ServerCPU <= 0 {
			t.Errorf("%+v", run)
		}
	}
	for line := range strings.Lines(stdout.String()) {
		if len([]rune(line)) > 81 {
			t.Errorf("a line of over 80 columns: %q", line)
		}
	}
	if !strings.Contains(stdout.String(), "3,600 documents") {
		t.Errorf("the table says: %s", stdout.String())
	}
}
