package spool

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// doc returns a BSON document of size bytes, {"n": <binary>}, put together by hand: length, one
// element of type 5 with subtype 0, and a zero. It tells which one it is.
func doc(n, size int) []byte {
	d := make([]byte, max(size, 21))
	binary.LittleEndian.PutUint32(d, uint32(len(d)))
	copy(d[4:], "\x05n\x00")
	binary.LittleEndian.PutUint32(d[7:], uint32(len(d)-13))
	binary.LittleEndian.PutUint64(d[12:], uint64(n))
	return d
}

func number(d []byte) int { return int(binary.LittleEndian.Uint64(d[12:])) }

func openLog(t testing.TB, cfg Config) *Log {
	t.Helper()
	if cfg.Logger == nil {
		cfg.Logger = quiet
	}
	l, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// appendDocs appends documents with these numbers, one call each, and returns the records.
func appendDocs(t testing.TB, l *Log, numbers ...int) []Record {
	t.Helper()
	var all []Record
	for _, n := range numbers {
		r := []Record{{Flags: byte(n), Doc: doc(n, 40)}}
		if err := l.Append(r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r...)
	}
	return all
}

func replayed(t testing.TB, l *Log) (numbers []int, records []Record) {
	t.Helper()
	for r := range l.Replay() {
		if r.Flags != byte(number(r.Doc)) {
			t.Errorf("record %d has flags %d", number(r.Doc), r.Flags)
		}
		numbers = append(numbers, number(r.Doc))
		records = append(records, r)
	}
	return numbers, records
}

func settled(records ...Record) []Settled {
	var done []Settled
	for _, r := range records {
		done = append(done, Settled{r.Pos, len(r.Doc)})
	}
	return done
}

func files(t testing.TB, dir, suffix string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			names = append(names, e.Name())
		}
	}
	return names
}

func TestReplayYieldsWhatIsNotSettled(t *testing.T) {
	dir := t.TempDir()
	cfg := Config{Dir: dir, Name: "answers", SegmentBytes: 200} // about four records a segment
	l := openLog(t, cfg)
	records := appendDocs(t, l, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	l.Settle(settled(records[7], records[1], records[2]))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}

	l = openLog(t, cfg)
	numbers, again := replayed(t, l)
	if want := []int{0, 3, 4, 5, 6, 8, 9}; !reflect.DeepEqual(numbers, want) {
		t.Fatalf("replayed %v, want %v", numbers, want)
	}
	for _, r := range again {
		if r.Pos != records[number(r.Doc)].Pos {
			t.Errorf("record %d moved from %d to %d", number(r.Doc), records[number(r.Doc)].Pos, r.Pos)
		}
	}
	l.Settle(settled(again...))
	if left := files(t, dir, ""); !reflect.DeepEqual(left, []string{lockName}) {
		t.Errorf("with everything settled the directory holds %v", left)
	}
	if s := l.Stats(); s.Bytes != 0 || s.Records != 0 || s.Segments != 0 {
		t.Errorf("with everything settled: %+v", s)
	}
}

func TestPositionsNeverComeAgain(t *testing.T) {
	cfg := Config{Dir: t.TempDir(), SegmentBytes: 100}
	seen := map[uint64]bool{}
	for round := range 5 {
		l := openLog(t, cfg)
		for r := range l.Replay() {
			if !seen[r.Pos] {
				t.Fatalf("replayed a record at %d, where none was", r.Pos)
			}
		}
		for _, r := range appendDocs(t, l, round, round, round) {
			if seen[r.Pos] {
				t.Fatalf("position %d twice", r.Pos)
			}
			seen[r.Pos] = true
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A write that was cut short, at whichever byte, costs the record it was for and no other, and the
// log goes on.
func TestLesson40_TornTailAtEveryByte(t *testing.T) {
	l := openLog(t, Config{Dir: t.TempDir(), Name: "torn"})
	appendDocs(t, l, 1, 2, 3)
	path := l.active.path
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	record := Overhead + 40
	head := len(whole) - 3*record
	for size := range len(whole) + 1 {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Verify(dir); err != nil {
			t.Errorf("%d of %d bytes: a torn tail is taken for damage: %v", size, len(whole), err)
		}
		l := openLog(t, Config{Dir: dir})
		var want []int
		for n := 1; head+n*record <= size; n++ {
			want = append(want, n)
		}
		got, _ := replayed(t, l)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d of %d bytes: replayed %v, want %v", size, len(whole), got, want)
		}
		appendDocs(t, l, 4)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = openLog(t, Config{Dir: dir})
		if got, _ := replayed(t, l); !reflect.DeepEqual(got, append(want, 4)) {
			t.Errorf("%d of %d bytes, the second time: replayed %v", size, len(whole), got)
		}
		if bad := files(t, dir, badSuffix); bad != nil {
			t.Errorf("%d of %d bytes: set aside %v", size, len(whole), bad)
		}
		_ = l.Close()
	}
}

// Whichever byte of a record in the middle is wrong: that record is set aside and its neighbours are
// replayed.
func TestLesson40_BadRecordInTheMiddleIsSetAside(t *testing.T) {
	l := openLog(t, Config{Dir: t.TempDir()})
	records := appendDocs(t, l, 1, 2, 3)
	path, base := l.active.path, l.active.base
	_ = l.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	from, to := int(records[1].Pos-base), int(records[2].Pos-base)
	for at := from; at < to; at++ {
		dir := t.TempDir()
		data := bytes.Clone(whole)
		data[at] ^= 0x55
		segment := filepath.Join(dir, filepath.Base(path))
		if err := os.WriteFile(segment, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Verify(dir); !errors.Is(err, ErrDamaged) {
			t.Errorf("byte %d: verify says %v", at, err)
		}
		l := openLog(t, Config{Dir: dir})
		got, again := replayed(t, l)
		if want := []int{1, 3}; !reflect.DeepEqual(got, want) {
			t.Errorf("byte %d: replayed %v, want %v", at, got, want)
		}
		aside, err := os.ReadFile(badPath(segment, from))
		if err != nil || !bytes.Equal(aside, data[from:to]) {
			t.Errorf("byte %d: set aside %x, %v, want %x", at, aside, err, data[from:to])
		}
		if s := l.Stats(); s.Damaged != 1 {
			t.Errorf("byte %d: %+v", at, s)
		}
		l.Settle(settled(again...))
		if err := Verify(dir); !errors.Is(err, ErrDamaged) {
			t.Errorf("byte %d: with the segment gone, verify forgets what was set aside", at)
		}
		_ = l.Close()
	}
}

func TestBadHeaderCostsNoRecord(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, Config{Dir: dir, Name: "x"})
	appendDocs(t, l, 1, 2)
	path := l.active.path
	_ = l.Close()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[12] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	l = openLog(t, Config{Dir: dir})
	if got, _ := replayed(t, l); !reflect.DeepEqual(got, []int{1, 2}) {
		t.Errorf("replayed %v", got)
	}
}

func TestDirectoryIsLocked(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, Config{Dir: dir})
	if _, err := Open(Config{Dir: dir}); !errors.Is(err, ErrLocked) {
		t.Errorf("a second log on the directory: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	openLog(t, Config{Dir: dir})
}

func TestSizeLimitRefusesAndGivesRoomAgain(t *testing.T) {
	l := openLog(t, Config{Dir: t.TempDir(), MaxBytes: 300, SegmentBytes: 100})
	var records []Record
	for {
		r := []Record{{Doc: doc(len(records), 40)}}
		err := l.Append(r)
		if errors.Is(err, ErrFull) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r...)
	}
	if s := l.Stats(); len(records) == 0 || s.Records != len(records) || s.Bytes > 300+int64(headerSize) {
		t.Fatalf("%d records: %+v", len(records), s)
	}
	l.Settle(settled(records...))
	appendDocs(t, l, 1)
}

// disk is a disk on which so many bytes fit and after which writes come up short, like a full one.
type disk struct {
	mu      sync.Mutex
	room    int
	syncErr error
	syncs   int
	blocked chan struct{} // if not nil, Sync waits for it
}

type diskFile struct {
	*os.File
	disk *disk
}

func (f diskFile) Write(p []byte) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	n, err := f.File.Write(p[:min(len(p), f.disk.room)])
	f.disk.room -= n
	if err == nil && n < len(p) {
		err = &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	}
	return n, err
}

func (f diskFile) Sync() error {
	f.disk.mu.Lock()
	f.disk.syncs++
	blocked, err := f.disk.blocked, f.disk.syncErr
	f.disk.mu.Unlock()
	if blocked != nil {
		<-blocked
	}
	return err
}

func (d *disk) create(path string) (file, error) {
	f, err := createFile(path)
	if err != nil {
		return nil, err
	}
	return diskFile{f.(*os.File), d}, nil
}

func TestFullDiskRefusesCleanlyAndLosesNothing(t *testing.T) {
	record := Overhead + 40
	for room := range 5 * record {
		d := &disk{room: room}
		dir := t.TempDir()
		l := openLog(t, Config{Dir: dir})
		l.create = d.create
		var kept []int
		for n := range 8 {
			if n == 6 { // room again
				d.mu.Lock()
				d.room = 1 << 20
				d.mu.Unlock()
			}
			switch err := l.Append([]Record{{Flags: byte(n), Doc: doc(n, 40)}}); {
			case err == nil:
				kept = append(kept, n)
			case !errors.Is(err, ErrFull):
				t.Fatalf("room %d: %v", room, err)
			case n >= 6:
				t.Fatalf("room %d: still full with room: %v", room, err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if err := Verify(dir); err != nil {
			t.Fatalf("room %d: %v", room, err)
		}
		l = openLog(t, Config{Dir: dir})
		if got, _ := replayed(t, l); !reflect.DeepEqual(got, kept) {
			t.Fatalf("room %d: replayed %v, kept were %v", room, got, kept)
		}
		_ = l.Close()
	}
}

// A line for each refused record would fill the disk that the log file lies on.
func TestFullDiskIsLoggedOnce(t *testing.T) {
	var lines bytes.Buffer
	d := &disk{}
	l := openLog(t, Config{Dir: t.TempDir(), Logger: slog.New(slog.NewTextHandler(&lines, nil))})
	l.create = d.create
	for n := range 100 {
		if err := l.Append([]Record{{Doc: doc(n, 40)}}); !errors.Is(err, ErrFull) {
			t.Fatal(err)
		}
	}
	d.room = 1 << 20
	appendDocs(t, l, 100, 101)
	got := lines.String()
	for _, want := range []string{"the disk refuses records", "takes records again", "refused=100\n"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%q stands there %d times, want once:\n%s", want, strings.Count(got, want), got)
		}
	}
}

func TestFailedFsyncRefusesTheGroup(t *testing.T) {
	d := &disk{room: 1 << 20}
	dir := t.TempDir()
	l := openLog(t, Config{Dir: dir, Fsync: FsyncBatch})
	l.create = d.create
	appendDocs(t, l, 1)
	d.syncErr = syscall.EIO
	if err := l.Append([]Record{{Doc: doc(2, 40)}}); !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}
	d.syncErr = nil
	appendDocs(t, l, 3)
	_ = l.Close()
	l = openLog(t, Config{Dir: dir})
	if got, _ := replayed(t, l); !reflect.DeepEqual(got, []int{1, 3}) {
		t.Errorf("replayed %v", got)
	}
}

// Many callers, one fsync: those who come while the disk is busy share the next one.
func TestLesson40_GroupCommit(t *testing.T) {
	d := &disk{room: 1 << 20}
	l := openLog(t, Config{Dir: t.TempDir(), Fsync: FsyncBatch})
	l.create = d.create
	appendDocs(t, l, 0)
	blocked := make(chan struct{})
	d.mu.Lock()
	d.blocked, d.syncs = blocked, 0
	d.mu.Unlock()

	var callers sync.WaitGroup
	call := func(n int) {
		callers.Go(func() {
			if err := l.Append([]Record{{Doc: doc(n, 40)}}); err != nil {
				t.Error(err)
			}
		})
	}
	call(1)
	waitFor(t, func() bool { d.mu.Lock(); defer d.mu.Unlock(); return d.syncs == 1 })
	for n := range 50 {
		call(n)
	}
	waitFor(t, func() bool { l.mu.Lock(); defer l.mu.Unlock(); return l.group != nil && l.group.n == 50 })
	close(blocked)
	callers.Wait()
	if d.syncs != 2 {
		t.Errorf("51 records in two groups took %d fsyncs", d.syncs)
	}
}

// waitFor waits for a condition that other goroutines bring about.
func waitFor(t testing.TB, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !ok(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal("it never came true")
		}
	}
}

func TestIntervalForcesOnce(t *testing.T) {
	d := &disk{room: 1 << 20}
	l := openLog(t, Config{Dir: t.TempDir(), Fsync: Fsync(time.Hour)})
	l.create = d.create
	appendDocs(t, l, 1, 2, 3)
	d.syncs = 0 // beginning a segment forces its header
	l.force()
	if d.syncs != 1 {
		t.Errorf("%d fsyncs", d.syncs)
	}
}

func TestAppendAfterCloseIsRefused(t *testing.T) {
	l := openLog(t, Config{Dir: t.TempDir()})
	_ = l.Close()
	if err := l.Append([]Record{{Doc: doc(1, 40)}}); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Error("the second Close:", err)
	}
}

func TestAppendRacingClose(t *testing.T) {
	for range 200 {
		dir := t.TempDir()
		l := openLog(t, Config{Dir: dir})
		var kept sync.Map
		var callers sync.WaitGroup
		for n := range 4 {
			callers.Go(func() {
				switch err := l.Append([]Record{{Flags: byte(n), Doc: doc(n, 40)}}); {
				case err == nil:
					kept.Store(n, true)
				case !errors.Is(err, ErrClosed):
					t.Error(err)
				}
			})
		}
		_ = l.Close()
		callers.Wait()
		l = openLog(t, Config{Dir: dir})
		got, _ := replayed(t, l)
		for _, n := range got {
			kept.Delete(n)
		}
		kept.Range(func(n, _ any) bool {
			t.Errorf("record %v was appended and is gone", n)
			return true
		})
		_ = l.Close()
	}
}

func TestFsyncText(t *testing.T) {
	for _, text := range []string{"never", "batch", "100ms", "1m0s"} {
		f, err := ParseFsync(text)
		if err != nil || f.String() != text {
			t.Errorf("%q: %v, %v", text, f, err)
		}
	}
	for _, text := range []string{"", "always", "0s", "-1s", "5"} {
		if f, err := ParseFsync(text); err == nil {
			t.Errorf("%q: taken as %v", text, f)
		}
	}
}

func TestListAndPendingChangeNothing(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, Config{Dir: dir, Name: "answers"})
	records := appendDocs(t, l, 1, 2, 3)
	l.Settle(settled(records[1]))
	for range 2 { // of a log in use, and twice the same
		list, err := List(dir)
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		if s := list[0]; s.Name != "answers" || s.Records != 3 || s.Pending != 2 || s.Damage != nil || s.Torn {
			t.Errorf("%+v", s)
		}
		var got []string
		for r, err := range Pending(dir) {
			got = append(got, fmt.Sprint(number(r.Doc), r.Pos == records[number(r.Doc)-1].Pos, err))
		}
		if want := []string{"1 true <nil>", "3 true <nil>"}; !reflect.DeepEqual(got, want) {
			t.Errorf("pending: %v", got)
		}
	}
}

func TestDirNames(t *testing.T) {
	long := strings.Repeat("é", 120)
	for collection, want := range map[string]string{
		"answers": "answers", "a.b": "a%2Eb", "..": "%2E%2E", "a/b": "a%2Fb", "": "%", "100%": "100%25", "ü": "%C3%BC",
	} {
		if got := DirName(collection); got != want {
			t.Errorf("%q: %q, want %q", collection, got, want)
		}
	}
	if a, b := DirName(long), DirName(long+"x"); len(a) > 200 || a == b {
		t.Errorf("long names: %q, %q", a, b)
	}

	root := t.TempDir()
	l := openLog(t, Config{Dir: filepath.Join(root, DirName("a/b")), Name: "a/b"})
	appendDocs(t, l, 1)
	_ = openLog(t, Config{Dir: filepath.Join(root, "empty")})
	dirs, err := Dirs(root)
	if want := []string{filepath.Join(root, "a%2Fb")}; err != nil || !reflect.DeepEqual(dirs, want) {
		t.Errorf("%v, %v", dirs, err)
	}
	if dirs, err := Dirs(filepath.Join(root, "none")); dirs != nil || err != nil {
		t.Errorf("%v, %v", dirs, err)
	}
}

// A process that is killed while it begins or removes a segment leaves half of it.
func TestHalfASegment(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, Config{Dir: dir})
	appendDocs(t, l, 1)
	next := l.active.base + uint64(l.active.size)
	_ = l.Close()
	// Begun: a file without a header. Removed: an ack file without its segment, at the position at
	// which the next one begins, and which says that all of it is settled.
	if err := os.WriteFile(segmentPath(dir, next), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for base := next; base < next+3; base++ {
		if err := os.WriteFile(ackPath(segmentPath(dir, base)), span{0, 1 << 30}.append(nil), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l = openLog(t, Config{Dir: dir})
	appendDocs(t, l, 2, 3)
	_ = l.Close()
	l = openLog(t, Config{Dir: dir})
	if got, _ := replayed(t, l); !reflect.DeepEqual(got, []int{1, 2, 3}) {
		t.Errorf("replayed %v", got)
	}
}

// However many segments have something left in them, few files are open.
func TestManySegmentsFewOpenFiles(t *testing.T) {
	l := openLog(t, Config{Dir: t.TempDir(), SegmentBytes: 1})
	r := make([]Record, 0, 200)
	for n := range 200 {
		r = append(r, appendDocs(t, l, n)...)
	}
	// One record a segment, and an entry for part of each keeps it from being removed.
	for _, s := range l.segments {
		s.live = 2
	}
	for _, one := range r {
		l.Settle(settled(one))
	}
	open := 0
	for _, s := range l.segments {
		if s.acks.file != nil {
			open++
		}
	}
	if len(l.segments) != 200 || open > 8 {
		t.Errorf("%d segments, %d ack files open", len(l.segments), open)
	}
}
