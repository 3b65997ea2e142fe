package pdfium

import "context"

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
