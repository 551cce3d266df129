package spool

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	segmentSuffix = ".log"
	ackSuffix     = ".ack"
	badSuffix     = ".bad"
)

// segmentPath returns the path of the segment that begins at base. Twenty digits hold any position,
// so that the names sort like the numbers.
func segmentPath(dir string, base uint64) string {
	return filepath.Join(dir, fmt.Sprintf("%020d%s", base, segmentSuffix))
}

func ackPath(segment string) string { return strings.TrimSuffix(segment, segmentSuffix) + ackSuffix }

// badPath returns where the bad bytes at an offset of a segment are set aside.
func badPath(segment string, offset int) string {
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(segment, segmentSuffix), offset, badSuffix)
}

// segmentFile is a segment as the directory lists it.
type segmentFile struct {
	path    string
	base    uint64
	size    int64
	created time.Time // the file's modification time, until its header is read
}

// segmentFiles lists the segments of a directory, in their order.
func segmentFiles(dir string) ([]segmentFile, error) {
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	var files []segmentFile
	for _, e := range entries {
		digits, ok := strings.CutSuffix(e.Name(), segmentSuffix)
		if !ok || len(digits) != 20 {
			continue
		}
		base, err := strconv.ParseUint(digits, 10, 64)
		if err != nil {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // settled and removed just now, where another process owns the directory
		}
		if err != nil {
			return nil, fmt.Errorf("spool: %w", err)
		}
		files = append(files, segmentFile{filepath.Join(dir, e.Name()), base, info.Size(), info.ModTime()})
	}
	return files, nil
}

// DirName returns a name for the directory of a collection's spool below a common root. It is the
// collection's own name if that is made of letters, digits, - and _; other bytes are written as % and
// two hex digits, and what would be too long for a file system ends in a hash.
func DirName(collection string) string {
	const most = 200
	if collection == "" {
		return "%"
	}
	var b strings.Builder
	for i := range len(collection) {
		switch c := collection[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if b.Len() <= most {
		return b.String()
	}
	return fmt.Sprintf("%s-%x", b.String()[:most-65], sha256.Sum256([]byte(collection)))
}

// Dirs returns the directories below root that hold segments, so that a server that starts can
// deliver what an earlier one left. A root that doesn't exist has none.
func Dirs(root string) ([]string, error) {
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	var dirs []string
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		dir := filepath.Join(root, e.Name())
		files, err := segmentFiles(dir)
		if err != nil {
			return nil, err
		}
		if len(files) > 0 {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return dirs, nil
}
