package pdfium

// PIDs gives the workers that are alive.
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
