package embedded

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// ErrLocked says that another process, or another DB of this one, has the data
// directory open.
var ErrLocked = errors.New("in use by another process")

// lockName is the file whose lock stands for the directory. It stays behind when
// the database stops: a lock on a file that is removed and made anew excludes
// nobody.
const lockName = "lock"

// dirLock is a held lock. The kernel drops it when the process ends, however it
// ends, so that a killed database leaves nothing to clean up.
type dirLock struct{ f *os.File }

func lockDir(dir string) (*dirLock, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrLocked
		}
		return nil, err
	}
	return &dirLock{f}, nil
}

// Close gives the directory back.
func (l *dirLock) Close() error { return l.f.Close() }
