package badgerguard_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"golang.org/x/sys/unix"

	"paraph/app/apptest/smalldisk"
	"paraph/kv/internal/badgerguard"
)

const smallDisk = 16 << 20

// TestMappedFilesHaveTheirBlocks checks that on a full disk a file with a hole is refused when
// it is mapped for writing, where otherwise the process is ended when it writes.
func TestMappedFilesHaveTheirBlocks(t *testing.T) {
	t.Parallel()
	smalldisk.Run(t, smallDisk, func(t *testing.T, dir string) {
		if err := writeHole(t, dir, 1<<20); err != nil {
			t.Errorf("a file that fits: %v", err)
		}
		if err := writeHole(t, dir, 2*smallDisk); !errors.Is(err, unix.ENOSPC) {
			t.Errorf("a file that does not fit: %v", err)
		}
		defer badgerguard.MapUnguarded()()
		if err := writeHole(t, dir, 2*smallDisk); !errors.Is(err, errFault) {
			t.Errorf("writing into a hole on a full disk does no harm without the guard: %v", err)
		}
	})
}

var errFault = errors.New("the system ends the process")

// writeHole maps a file of one hole, and writes all of it.
func writeHole(t *testing.T, dir string, size int) (err error) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "hole"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	if err := f.Truncate(int64(size)); err != nil {
		t.Fatal(err)
	}
	b, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unix.Munmap(b)) }()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			err = errFault
		}
	}()
	copy(b, bytes.Repeat([]byte{1}, size))
	return nil
}
