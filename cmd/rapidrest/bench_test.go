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
	code := run([]string{"bench", "--requests", "40", "--runs", "2", "--warmup", "10", "--budget", "1h", "--scenarios", "all",
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
	runs := 0
	for _, s := range report.Scenarios {
		runs += 3 * max(2, s.Rounds)
	}
	if len(report.Scenarios) != len(bench.ScenarioNames()) || len(report.Runs) != runs {
		t.Errorf("%d runs of %d scenarios instead of %d", len(report.Runs), len(report.Scenarios), runs)
	}
	for _, run := range report.Runs {
		stored := int64(0)
		switch run.Scenario {
		case "single", "batched", "doc-write", "upsert":
			stored = 40
		}
		if run.Client.Answered != 40 || run.Documents != stored || run.Rate <= 0 || run.ServerCPU <= 0 {
			t.Errorf("%+v", run)
		}
	}
	for line := range strings.Lines(stdout.String()) {
		if len([]rune(line)) > 81 {
			t.Errorf("a line of over 80 columns: %q", line)
		}
	}
	// 3 subjects × 2 runs × 40 documents in three scenarios, and 3 × 10 × 40 in upsert.
	for _, want := range []string{"1,920 documents", "upsert: upserts into", "\n       400 ", "decay: plain text", "\n20 ", "last/first"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("%q is missing in the table: %s", want, stdout.String())
		}
	}
}

// A try has the baseline, its twin and one that is slower on purpose. The report holds what was printed.
func TestBenchCheck(t *testing.T) {
	t.Setenv(runMain, "1")
	dir := t.TempDir()
	var stdout, stderr bytes.Buffer
	code := run([]string{"bench", "check", "--report", dir, "--tries", "1", "--requests", "1000", "--runs", "1", "--warmup", "600", "--scenarios", "timestamp",
		"--mongo-uri", mongotest.URI(t)}, &stdout, &stderr)
	if code != 0 {
		t.Fatalf("exit code %d; %s", code, stderr.String())
	}
	for _, want := range []string{"timestamp  control       1", "timestamp  planted       1"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("%q is missing in %s", want, stdout.String())
		}
	}
	html, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil || !strings.Contains(string(html), "timestamp  planted       1") {
		t.Errorf("%v; the table is missing in %s", err, html)
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var check bench.Check
	if err := json.Unmarshal(text, &check); err != nil || check.Tries != 1 || len(check.Reports) != 1 || len(check.Reports[0].Runs) != 3 {
		t.Errorf("%v; %s", err, text)
	}
}

// A peer that is not installed is named with what installs it; one that nobody knows is a fault.
func TestBenchNamesPeersThatAreNotThere(t *testing.T) {
	t.Setenv("PATH", "") // no Node, Ruby or Java is found
	for peer, want := range map[string]string{"gin": "no peer of the line-up is there", "gim": `"gim" is none of chi, echo, express`} {
		var stdout, stderr bytes.Buffer
		code := run([]string{"bench", "--lineup", "--lineup-dir", t.TempDir(), "--peers", peer}, &stdout, &stderr)
		if code != exitFailed || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit code %d; %q is missing in %s", peer, code, want, stderr.String())
		}
		if named := strings.Contains(stdout.String(), "gin is missing: cd "); named != (peer == "gin") {
			t.Errorf("%s: %s", peer, stdout.String())
		}
	}
}
