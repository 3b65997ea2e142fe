package convert

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// limitProcess limits the resources of a process and its future children. A
// process that has already ended needs no limits.
func limitProcess(pid int, memory, file int64, cpu time.Duration) error {
	for resource, v := range map[int]uint64{
		unix.RLIMIT_AS:    uint64(memory),
		unix.RLIMIT_FSIZE: uint64(file),
		unix.RLIMIT_CPU:   uint64(cpu/time.Second) + 1,
		unix.RLIMIT_CORE:  0,
	} {
		err := unix.Prlimit(pid, resource, &unix.Rlimit{Cur: v, Max: v}, nil)
		if err != nil && !errors.Is(err, unix.ESRCH) {
			return err
		}
	}
	return nil
}
