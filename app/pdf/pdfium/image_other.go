//go:build !linux

package pdfium

import "bytes"

// savedMemory is a copy of each run.
type savedMemory struct{ copies [][]byte }

func saveMemory(memory []byte, runs []run) (savedMemory, error) {
	var s savedMemory
	for _, r := range runs {
		s.copies = append(s.copies, bytes.Clone(memory[r.start:r.end]))
	}
	return s, nil
}

// restore copies the runs, and zeroes around them, into the memory.
func (s savedMemory) restore(memory []byte, runs []run) error {
	clear(memory)
	for k, r := range runs {
		copy(memory[r.start:r.end], s.copies[k])
	}
	return nil
}

func (s savedMemory) close() error { return nil }
