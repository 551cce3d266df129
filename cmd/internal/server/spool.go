package server

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rapidrest/rapidrest/batch/spool"
)

// ErrSpoolInUse says that another process has the directory of the spools.
var ErrSpoolInUse = errors.New("server: the spool is in use by another process")

// LockName is the file in the directory of the spools that is locked.
const LockName = "lock"

// LockSpool makes the directory of the spools this process's own until the lock is closed, so that
// a second server with the same directory says so at its start and not in the middle of its work.
// The kernel drops the lock with the process, however that ends.
func LockSpool(dir string) (io.Closer, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("server: spool: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, LockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("server: spool: %w", err)
	}
	if err := lockFile(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("%w: %q: %w", ErrSpoolInUse, dir, err)
	}
	return f, nil
}

// SpoolNames returns the collections that have documents in spools below root, with their
// directories. A directory whose collection can't be told, since its files are damaged, is an
// error beside the others.
func SpoolNames(root string) (names map[string]string, err error) {
	dirs, err := spool.Dirs(root)
	if err != nil {
		return nil, err
	}
	names = make(map[string]string)
	var errs []error
	for _, dir := range dirs {
		name, err := spoolName(dir)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		names[name] = dir
	}
	return names, errors.Join(errs...)
}

func spoolName(dir string) (string, error) {
	segments, err := spool.List(dir)
	if err != nil {
		return "", err
	}
	for _, s := range segments {
		if s.Name != "" {
			return s.Name, nil
		}
	}
	return "", fmt.Errorf("server: spool %q: no segment names its collection", dir)
}

// replay opens the buffers of the collections that an earlier process left documents of; each
// sends them by itself.
func (s *Server) replay() error {
	names, err := SpoolNames(s.cfg.SpoolDir)
	if err != nil {
		s.log.Error("server: part of the spool can't be replayed", "error", err)
	}
	for name, dir := range names {
		if own := filepath.Join(s.cfg.SpoolDir, spool.DirName(name)); own != dir {
			s.log.Error("server: a spool lies in another directory than its collection's", "collection", name, "directory", dir)
			continue
		}
		if _, err := s.buffers.Buffer(name); err != nil {
			return fmt.Errorf("server: replay: %w", err)
		}
	}
	return nil
}
