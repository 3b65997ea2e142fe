package badgerguard

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocate creates a file with its disk space reserved.
func allocate(file string, size int64) error { return allocateNew(file, 0, size) }

// allocateBehind reserves disk space behind the end of a file, which is created if missing. The
// file keeps its length.
func allocateBehind(file string, size int64) error {
	return allocateNew(file, unix.FALLOC_FL_KEEP_SIZE, size)
}

func allocateNew(file string, mode uint32, size int64) error {
	existed := exists(file)
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = errors.Join(fallocate(int(f.Fd()), mode, 0, size), f.Close())
	if err != nil && !existed {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}

// fallocate is the system call, repeated when a signal interrupts it: the runtime sends them to
// preempt goroutines.
func fallocate(fd int, mode uint32, offset, size int64) error {
	for {
		if err := unix.Fallocate(fd, mode, offset, size); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
