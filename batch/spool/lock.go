package spool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrLocked is what Open returns when another Log has the directory.
var ErrLocked = errors.New("spool: the directory is in use")

// lockName is the file whose lock stands for that of the directory. It is empty and stays.
const lockName = "LOCK"

// lock takes the directory's lock. Closing the file gives it back.
func lock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	if err := flock(f); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%w: %q: %w", ErrLocked, dir, err)
	}
	return f, nil
}
