package torture

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// diskBytes is the size of a disk. It is memory, and as much of it is used as is
// written. The spool of a server that keeps up takes a segment of 16 MiB for each
// collection.
const diskBytes = 256 << 20

// disk is a small file system that can be filled to the last byte: a tmpfs, so that
// who writes to it then gets the kernel's own ENOSPC. It needs no privileges, but a
// Linux that lets users have namespaces: it is mounted in one of its own, which a
// shell keeps alive, and reached from outside through that shell's /proc/PID/root.
// So it outlives the server, as a disk does, and goes with the harness, whose end of
// the pipe the shell reads.
type disk struct {
	keeper *exec.Cmd
	hold   io.Closer
	root   string // of the file system, as others see it
}

// keeperScript mounts and waits for the end of its input.
const keeperScript = `mount -t tmpfs -o mode=700,size="$2" tmpfs "$1" && echo mounted && read -r _`

// mountDisk makes a disk. dir is an empty directory, and stays empty for everybody
// but the keeper.
func mountDisk(dir string) (*disk, error) {
	d := &disk{keeper: exec.Command("unshare", "--user", "--map-root-user", "--mount",
		"sh", "-c", keeperScript, "sh", dir, fmt.Sprint(diskBytes))}
	var said bytes.Buffer
	d.keeper.Stderr = &said
	fail := func(err error) (*disk, error) {
		return nil, fmt.Errorf("torture: a disk to be filled: %w; %s", err, strings.TrimSpace(said.String()))
	}
	hold, err := d.keeper.StdinPipe()
	if err != nil {
		return fail(err)
	}
	stdout, err := d.keeper.StdoutPipe()
	if err != nil {
		return fail(err)
	}
	if err := d.keeper.Start(); err != nil {
		return fail(err)
	}
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		return fail(errors.Join(hold.Close(), d.keeper.Wait()))
	}
	d.hold = hold
	d.root = filepath.Join("/proc", fmt.Sprint(d.keeper.Process.Pid), "root", dir)
	return d, nil
}

func (d *disk) filler() string { return filepath.Join(d.root, "filler") }

// fill takes all the room there is left.
func (d *disk) fill() error {
	f, err := os.Create(d.filler())
	if err != nil {
		return fmt.Errorf("torture: fill the disk: %w", err)
	}
	defer f.Close()
	for block := make([]byte, 1<<20); len(block) > 0; {
		switch _, err := f.Write(block); {
		case errors.Is(err, syscall.ENOSPC):
			block = block[:len(block)/2]
		case err != nil:
			return fmt.Errorf("torture: fill the disk: %w", err)
		}
	}
	return nil
}

// clear gives the room back.
func (d *disk) clear() error {
	if err := os.Remove(d.filler()); err != nil {
		return fmt.Errorf("torture: clear the disk: %w", err)
	}
	return nil
}

// unmount ends the disk and all that is on it.
func (d *disk) unmount() {
	d.hold.Close()
	d.keeper.Wait() // the shell's read fails at the end of its input, as it should
}
