//go:build !unix

package pdfium

// linearMemory is the memory of one instance.
type linearMemory struct {
	limit   uint64
	b       []byte
	refused bool // growth beyond the limit was requested
}

func newLinearMemory(limit uint64) *linearMemory { return &linearMemory{limit: limit} }

// Reallocate implements experimental.LinearMemory.
func (m *linearMemory) Reallocate(size uint64) []byte {
	if size > m.limit {
		m.refused = true
		return nil
	}
	if size > uint64(len(m.b)) {
		m.b = append(m.b, make([]byte, size-uint64(len(m.b)))...)
	}
	return m.b[:size]
}

// Free implements experimental.LinearMemory.
func (m *linearMemory) Free() { m.b = nil }
