package pdfium

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// limitProcess permanently lowers the resource limits of this process: address
// space (its current size plus twice PDFium's limit plus 512 MiB, which leaves
// room for pictures and the garbage collector), CPU time over its lifetime,
// open files, the size of files it writes, and no core dumps. New files are
// private.
func limitProcess(memoryMB, cpuSeconds int) error {
	now, err := addressSpace()
	if err != nil {
		return err
	}
	syscall.Umask(0o077)
	limits := map[int]uint64{
		syscall.RLIMIT_AS:     now + uint64(2*memoryMB+512)<<20,
		syscall.RLIMIT_CPU:    uint64(cpuSeconds),
		syscall.RLIMIT_NOFILE: 128,
		syscall.RLIMIT_FSIZE:  MaxFileBytes,
		syscall.RLIMIT_CORE:   0,
	}
	for what, n := range limits {
		if err := lower(what, n); err != nil {
			return err
		}
	}
	return nil
}

// lower permanently lowers a limit, or leaves it if it is lower already.
func lower(what int, n uint64) error {
	var have syscall.Rlimit
	if err := syscall.Getrlimit(what, &have); err != nil {
		return err
	}
	n = min(n, have.Max)
	if err := syscall.Setrlimit(what, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
		return fmt.Errorf("limit %d: %w", what, err)
	}
	return nil
}

// addressSpace returns the size of this process's address space in bytes.
func addressSpace() (uint64, error) {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	first, _, _ := bytes.Cut(b, []byte(" "))
	pages, err := strconv.ParseUint(string(first), 10, 64)
	return pages * uint64(os.Getpagesize()), err
}
