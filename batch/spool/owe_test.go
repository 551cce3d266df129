package spool

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// pendingIn counts the records that a directory says are not settled.
func pendingIn(t *testing.T, dir string) (n int) {
	t.Helper()
	for _, err := range Pending(dir) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// settleOn appends three records on a disk that takes no ack file, settles two of them, one after the
// other, and returns the log and what makes room.
func settleOn(t *testing.T, dir string) (l *Log, room func()) {
	t.Helper()
	l = openLog(t, Config{Dir: dir})
	records := appendDocs(t, l, 1, 2, 3)
	blocked := ackPath(filepath.Join(dir, files(t, dir, segmentSuffix)[0]))
	if err := os.Mkdir(blocked, 0o700); err != nil { // nothing can be written to it
		t.Fatal(err)
	}
	for _, r := range records[:2] {
		l.Settle([]Settled{{r.Pos, len(r.Doc)}})
	}
	return l, func() {
		if err := os.Remove(blocked); err != nil {
			t.Fatal(err)
		}
	}
}

// What is settled while the disk is full is noted when there is room, though nothing else is settled
// after it.
func TestSettledOnAFullDiskIsNotedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		l, room := settleOn(t, dir)
		time.Sleep(2*owePause + owePause/2) // tried twice, in vain
		room()
		if n := pendingIn(t, dir); n != 3 {
			t.Fatalf("%d records unsettled on a full disk, want 3", n)
		}
		time.Sleep(owePause)
		synctest.Wait()
		if n := pendingIn(t, dir); n != 1 {
			t.Errorf("%d records unsettled once there is room, want 1", n)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// Close notes it at the latest; on a disk that is full still, it comes again, and nothing is lost.
func TestSettledOnAFullDiskUntilClose(t *testing.T) {
	for _, roomy := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			dir := t.TempDir()
			l, room := settleOn(t, dir)
			if roomy {
				room()
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			want := 1
			if !roomy {
				room()
				want = 3
			}
			if n := pendingIn(t, dir); n != want {
				t.Errorf("room %v: %d records unsettled, want %d", roomy, n, want)
			}
		})
	}
}
