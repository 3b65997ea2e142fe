package pdfium

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// savedMemory is a file in memory, whose pages an instance shares until it writes
// to them: what it never touches costs nothing.
type savedMemory struct{ file *os.File }

func saveMemory(memory []byte, runs []run) (savedMemory, error) {
	fd, err := unix.MemfdCreate("pdfium", unix.MFD_CLOEXEC)
	if err != nil {
		return savedMemory{}, os.NewSyscallError("memfd_create", err)
	}
	s := savedMemory{os.NewFile(uintptr(fd), "pdfium")}
	for _, r := range runs {
		if _, err := s.file.WriteAt(memory[r.start:r.end], int64(r.start)); err != nil {
			return savedMemory{}, errors.Join(err, s.close())
		}
	}
	return s, nil
}

// restore maps the runs, and zeroes around them, over the memory.
func (s savedMemory) restore(memory []byte, runs []run) error {
	if err := mapOver(memory, -1, 0, unix.MAP_ANON); err != nil {
		return err
	}
	for _, r := range runs {
		if err := mapOver(memory[r.start:r.end], int(s.file.Fd()), int64(r.start), 0); err != nil {
			return err
		}
	}
	return nil
}

// mapOver replaces the pages of memory by those of a file, or by zeroes.
func mapOver(memory []byte, fd int, offset int64, flags int) error {
	at := unsafe.Pointer(unsafe.SliceData(memory))
	_, err := unix.MmapPtr(fd, offset, at, uintptr(len(memory)),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED|flags)
	return os.NewSyscallError("mmap", err)
}

func (s savedMemory) close() error { return s.file.Close() }
