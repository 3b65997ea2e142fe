package pdfium

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// Compile fills a cache directory with compiled code.
func Compile(dir string) error {
	m, err := newModule(context.Background(), settings{CacheDir: dir, MemoryMB: 64})
	if err != nil {
		return err
	}
	return m.close()
}

// PIDs returns the process IDs of the live workers.
func (e *Engine) PIDs() []int {
	e.pool.mu.Lock()
	defer e.pool.mu.Unlock()
	var pids []int
	for w := range e.pool.all {
		if w.alive() {
			pids = append(pids, w.os.Pid)
		}
	}
	return pids
}

// Remains answers a request of each kind, and reports whether the secret is in the
// memory of PDFium after the answer, and whether anything differs from an instance
// that never had a document once it was renewed.
func Remains(dir string, src Source, secret []byte) (before, after []bool, err error) {
	m, err := newModule(context.Background(), settings{CacheDir: dir, MemoryMB: 64})
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	fresh, err := m.instance()
	if err != nil {
		return nil, nil, err
	}
	for _, op := range []string{opPages, opRender, opText, opPlain} {
		if err := m.renew(); err != nil {
			return nil, nil, err
		}
		if _, err := m.answer(io.Discard, request{Op: op, Paths: src.Paths, Width: 1200, MaxBytes: 1 << 20}); err != nil {
			return nil, nil, err
		}
		i := m.current
		before = append(before, bytes.Contains(i.bytes(0, int(i.mem.Size())), secret))
		if err := m.renew(); err != nil {
			return nil, nil, err
		}
		left := m.next.bytes(0, int(m.next.mem.Size()))
		want := fresh.bytes(0, int(fresh.mem.Size()))
		after = append(after, !bytes.Equal(left[:len(want)], want) || bytes.ContainsFunc(left[len(want):], func(r rune) bool { return r != 0 }))
	}
	return before, after, nil
}
