package spool

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestMain lets the test binary play the process that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("SPOOL_TEST_VICTIM"); dir != "" {
		victim(dir)
		return
	}
	os.Exit(m.Run())
}

// victim appends and settles until it is killed, and says on its output what it has done: "+n" after
// n was appended, "-n" before n is settled.
func victim(dir string) {
	l, err := Open(Config{Dir: dir, SegmentBytes: 4 << 10, Logger: quiet})
	if err != nil {
		fmt.Println("!", err)
		os.Exit(1)
	}
	start, err := strconv.Atoi(os.Getenv("SPOOL_TEST_START"))
	if err != nil {
		fmt.Println("!", err)
		os.Exit(1)
	}
	say := func(sign string, n int) { _, _ = os.Stdout.WriteString(fmt.Sprint(sign, n, "\n")) }
	var appenders sync.WaitGroup
	for a := range 4 {
		appenders.Go(func() {
			for n := start + a; ; n += 4 {
				r := []Record{{Flags: byte(n), Doc: doc(n, 40+n%200)}}
				if err := l.Append(r); err != nil {
					fmt.Println("!", err)
					os.Exit(1)
				}
				say("+", n)
				if n%3 != 0 {
					say("-", n)
					l.Settle(settled(r...))
				}
			}
		})
	}
	appenders.Wait()
}

// A process is killed while it appends and settles, again and again over the same directory. What it
// said it had appended, and did not begin to settle, is replayed, unaltered and once.
func TestSurvivesKill(t *testing.T) {
	dir := t.TempDir()
	owed := map[int]bool{}
	begun := map[int]bool{} // settling began: may or may not be replayed
	start := 0
	for round := range 12 {
		lines := kill(t, dir, start, 50+rand.IntN(400))
		for _, line := range lines {
			n, err := strconv.Atoi(line[1:])
			switch {
			case err != nil:
				t.Fatalf("round %d: the victim says %q", round, line)
			case line[0] == '+':
				owed[n] = true
			case line[0] == '-':
				begun[n] = true
				delete(owed, n)
			}
			start = max(start, n+1)
		}
		start += 1000 // appended and killed before it could say so

		seen := map[int]bool{}
		for r, err := range Pending(dir) {
			if err != nil {
				t.Fatal(err)
			}
			n := number(r.Doc)
			if seen[n] {
				t.Errorf("round %d: %d twice", round, n)
			}
			seen[n] = true
			if string(r.Doc) != string(doc(n, 40+n%200)) || r.Flags != byte(n) {
				t.Errorf("round %d: %d is altered", round, n)
			}
		}
		for n := range owed {
			if !seen[n] {
				t.Errorf("round %d: %d is lost", round, n)
			}
		}
		if round%4 == 3 { // sometimes everything is delivered
			l := openLog(t, Config{Dir: dir})
			for r := range l.Replay() {
				l.Settle(settled(r))
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			clear(owed)
		}
	}
}

// kill starts a victim, kills it when it has said so many lines, and returns all the whole lines that
// it said.
func kill(t *testing.T, dir string, start, lines int) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "SPOOL_TEST_VICTIM="+dir, "SPOOL_TEST_START="+strconv.Itoa(start))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said []string
	for in := bufio.NewReader(out); ; {
		line, err := in.ReadString('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, strings.TrimSpace(line))
		if len(said) == lines {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the victim ended by itself")
	}
	return said
}

// Copies of a directory in use, file by file, are what a backup or a snapshot takes. A copy holds
// everything that was appended before the copying began and not settled before it ended.
func TestCopyOfADirectoryInUse(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, Config{Dir: dir, SegmentBytes: 2 << 10})
	var mu sync.Mutex
	appended, begun := map[int]bool{}, map[int]bool{}
	var writers sync.WaitGroup
	for a := range 3 {
		writers.Go(func() {
			for n := a; n < 3000; n += 3 {
				r := []Record{{Flags: byte(n), Doc: doc(n, 40+n%100)}}
				if err := l.Append(r); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				appended[n] = true
				begun[n] = n%4 != 0
				mu.Unlock()
				if n%4 != 0 {
					l.Settle(settled(r...))
				}
			}
		})
	}
	for range 20 {
		mu.Lock()
		owed := map[int]bool{}
		for n := range appended {
			owed[n] = !begun[n]
		}
		mu.Unlock()
		for r, err := range Pending(copyDir(t, dir)) {
			if err != nil {
				t.Fatal(err)
			}
			delete(owed, number(r.Doc))
		}
		for n, is := range owed {
			if is {
				t.Errorf("%d is not in the copy", n)
			}
		}
	}
	writers.Wait()
}

func copyDir(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	for _, suffix := range []string{ackSuffix, segmentSuffix} {
		for _, name := range files(t, dir, suffix) {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if os.IsNotExist(err) {
				continue // settled since
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(to, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return to
}
