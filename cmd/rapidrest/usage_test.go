package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A wrong command line is one line on standard error and exit code 2; nothing is started.
func TestUsageErrors(t *testing.T) {
	tests := []struct {
		args string
		says string
	}{
		{"", "expected one of"},
		{"nonsense", "unexpected argument nonsense"},
		{"baseline --nonsense", "unknown flag --nonsense"},
		{"baseline --listen here", `"here" is no host:port`},
		{"baseline --listen 127.0.0.1:70000", "the port must be 0 to 65535"},
		{"baseline --batch-size 0", `"0" is no number from 1`},
		{"baseline --batch-size=-5", `"-5" is no number from 1`},
		{"baseline --inflight many", `"many" is no number from 1`},
		{"baseline --linger 0s", "--linger must be above 0"},
		{"baseline --linger=-5ms", "--linger must be above 0"},
		{"baseline --linger 5", "missing unit in duration"},
		{"baseline --mongo-uri 127.0.0.1:27017", "--mongo-uri must begin with mongodb://"},
		{"baseline --database=", "--database is empty"},
		{"serve --database a.b", `--database "a.b": a name has`},
		{"serve --database " + strings.Repeat("x", 64), "at most 63 bytes"},
		{"serve --reply never", "--reply must be one of"},
		{"serve --batch-size many", `"many" is neither auto nor a number from 1 to 100000`},
		{"serve --batch-size 100001", `"100001" is neither auto nor a number`},
		{"serve --batch-bytes 50000000", "--batch-bytes must be at most"},
		{"serve --pending-bytes=-1", `"-1" is no size`},
		{"serve --max-body 1MB", `"1MB" is no size`},
		{"serve --max-header 4096", "--max-header must be at least 8000"},
		{"serve --linger=-1s", "--linger must be above 0"},
		{"serve --read-timeout 0s", "--read-timeout must be above 0"},
		{"serve --drain-timeout 0s", "--drain-timeout must be above 0"},
		{"serve --fsync sometimes", "not never, batch or a positive duration"},
		{"serve --admin nowhere", `"nowhere" is no host:port`},
		{"serve --tls-cert main.go", "--tls-cert and --tls-key go together"},
		{"serve --token-file not/there", "no such file"},
		{"serve --listen 0.0.0.0:0", "name a --token-file, or say --no-auth"},
		{"serve --listen :8080", "name a --token-file, or say --no-auth"},
		{"torture --kills=-1", "--kills must be 0 or more"},
		{"torture --faults=-1", "--faults must be 0 or more"},
		{"torture --documents=-1", "--documents must be 0 or more"},
		{"torture --full-disks=-1", "--full-disks must be 0 or more"},
		{"torture --full-disks 1", "--full-disks must be 0"},
		{"torture --rate=-1", "--rate must be 0 or more"},
		{"torture --patience 0s", "--patience must be above 0"},
		{"torture --duration 0s", "--duration must be above 0"},
		{"torture --level accept --kills 2", "--kills must be 0"},
		{"torture --dir .", "is not empty"},
		{"torture --dir main.go", "not a directory"},
		{"bench --runs 0", `"0" is no number from 1`},
		{"bench --requests 0", `"0" is no number from 1`},
		{"bench --connections 0", `"0" is no number from 1`},
		{"tune --runs 0", `"0" is no number from 1`},
		{"serve --collections $x", `"$x" is no name for a collection`},
		{"serve --collections a*b", `"a*b": a * stands at the end`},
		{"serve --collections a,**", `"**": a * stands at the end`},
		{"serve --collections system.*", `"system.*" is no name`},
		{"serve --collections=", "--collections is empty"},
		{"mongo --listen 127.0.0.1", `"127.0.0.1" is no host:port`},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := run(strings.Fields(tt.args), &stdout, &stderr); code != exitUsage {
				t.Errorf("exit code %d, want %d", code, exitUsage)
			}
			if got := stderr.String(); !strings.Contains(got, tt.says) || strings.Count(got, "\n") != 1 {
				t.Errorf("it says %q; want one line with %q", got, tt.says)
			}
			if stdout.Len() > 0 {
				t.Errorf("standard output has %q", stdout.String())
			}
		})
	}
}

func TestEnvironmentTwins(t *testing.T) {
	t.Setenv("RAPIDREST_BATCH_SIZE", "none")
	var stdout, stderr bytes.Buffer
	if code := run([]string{"baseline"}, &stdout, &stderr); code != exitUsage {
		t.Errorf("exit code %d, want %d", code, exitUsage)
	}
	if !strings.Contains(stderr.String(), "RAPIDREST_BATCH_SIZE") {
		t.Errorf("it says %q; want the variable's name", stderr.String())
	}
}

// A report that cannot be written is found out before anything is measured.
func TestUnwritableReports(t *testing.T) {
	for _, args := range []string{
		"bench --json main.go/a.json", "bench --report main.go/a", "tune --json main.go/a.json", "bench check --json .",
	} {
		var stdout, stderr bytes.Buffer
		code := run(strings.Fields(args), &stdout, &stderr)
		flag := "--json"
		if strings.Contains(args, "--report") {
			flag = "--report"
		}
		if got := stderr.String(); code != exitFailed || !strings.HasPrefix(got, "rapidrest: "+flag+": ") || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q; want one line about %s", args, code, got, flag)
		}
		if stdout.Len() > 0 {
			t.Errorf("%s: standard output has %q", args, stdout.String())
		}
	}
}

// The probe for a report leaves nothing behind, and no report of yesterday is lost to it.
func TestWritableFile(t *testing.T) {
	dir := t.TempDir()
	old := write(t, filepath.Join(dir, "old.json"), "{}")
	for _, file := range []string{old, filepath.Join(dir, "new.json")} {
		if err := writableFile("--json", file); err != nil {
			t.Error(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, error %v; want old.json alone", entries, err)
	}
	if text, err := os.ReadFile(old); err != nil || string(text) != "{}" {
		t.Errorf("old.json has %q, error %v", text, err)
	}
}

// client --json is a switch and bench --json a file: one variable cannot be both.
func TestJSONOfTheEnvironmentIsTheClients(t *testing.T) {
	t.Setenv("RAPIDREST_JSON", "true")
	for _, args := range []string{"bench --help", "tune --help"} {
		var stdout, stderr bytes.Buffer
		run(strings.Fields(args), &stdout, &stderr)
		if strings.Contains(stdout.String(), "RAPIDREST_JSON") {
			t.Errorf("%s names RAPIDREST_JSON", args)
		}
	}
}

// Names and beginnings of names that requests can have pass.
func TestCollections(t *testing.T) {
	for _, names := range []string{"*", "answers", "log_*", "log.*", "a,b*,c.d"} {
		c := serveCommand{Collections: strings.Split(names, ",")}
		if err := c.checkCollections(); err != nil {
			t.Errorf("%s: %v", names, err)
		}
	}
}

// A port that is taken is said before a database is started: nothing is made in --data.
func TestTakenPort(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	taken := ln.Addr().String()
	for _, args := range [][]string{
		{"serve", "--listen", taken, "--admin="},
		{"serve", "--listen", "127.0.0.1:0", "--admin", taken},
		{"baseline", "--listen", taken},
		{"framework", "--listen", taken},
	} {
		data := filepath.Join(t.TempDir(), "data")
		var stdout, stderr bytes.Buffer
		code := run(append(args, "--data", data), &stdout, &stderr)
		if got := stderr.String(); code != exitFailed || !strings.Contains(got, taken) || strings.Count(got, "\n") != 1 {
			t.Errorf("%v: exit code %d, %q; want one line with the address", args, code, got)
		}
		if _, err := os.Stat(data); err == nil || stdout.Len() > 0 {
			t.Errorf("%v: a database was started; standard output %q", args, stdout.String())
		}
	}
}

func TestHelpAndVersion(t *testing.T) {
	for _, tt := range []struct{ args, says string }{
		{"--help", "baseline"},
		{"baseline --help", "RAPIDREST_BATCH_SIZE"},
		{"--version", "rapidrest "},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(strings.Fields(tt.args), &stdout, &stderr); code != 0 {
			t.Errorf("%s: exit code %d; %s", tt.args, code, stderr.String())
		}
		if !strings.Contains(stdout.String(), tt.says) {
			t.Errorf("%s: says %q, want %q in it", tt.args, stdout.String(), tt.says)
		}
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]size{"1": 1, "4096": 4096, "64KiB": 65536, "16 MiB": 16777216, "2GiB": 2147483648} {
		var s size
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want {
			t.Errorf("%q: %d, error %v; want %d", text, s, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "MiB", "1.5MiB", "1MB", "9999999999GiB", "KiB1"} {
		var s size
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was taken as %d", text, s)
		}
	}
}

func TestLoopback(t *testing.T) {
	for a, want := range map[address]bool{
		"127.0.0.1:80": true, "127.9.9.9:80": true, "[::1]:80": true, "localhost:80": true,
		"0.0.0.0:80": false, ":80": false, "[::]:80": false, "192.0.2.1:80": false, "example.com:80": false,
	} {
		if got := a.loopback(); got != want {
			t.Errorf("%q: %v, want %v", a, got, want)
		}
	}
}
