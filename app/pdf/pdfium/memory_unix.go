//go:build unix

package pdfium

import "syscall"

// linearMemory is the memory of one instance: its whole address range is
// reserved at once, so that growing copies nothing, and is returned to the
// system at the end.
type linearMemory struct {
	reserved []byte
	used     uint64
	refused  bool // growth beyond the limit was requested
}

func newLinearMemory(limit uint64) *linearMemory {
	b, err := syscall.Mmap(-1, 0, int(limit), syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return &linearMemory{refused: true}
	}
	return &linearMemory{reserved: b}
}

// Reallocate implements experimental.LinearMemory.
func (m *linearMemory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.reserved)) {
		m.refused = true
		return nil
	}
	if size > m.used {
		if err := syscall.Mprotect(m.reserved[m.used:size], syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
			m.refused = true
			return nil
		}
		m.used = size
	}
	return m.reserved[:size:len(m.reserved)]
}

// Free implements experimental.LinearMemory.
func (m *linearMemory) Free() {
	if m.reserved == nil {
		return
	}
	_ = syscall.Munmap(m.reserved) // fails only for an address not mapped here
	m.reserved = nil
}
