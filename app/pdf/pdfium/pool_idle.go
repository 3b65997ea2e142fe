package pdfium

import "time"

func (p *pool) takeIdle() *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	w := p.idle[n-1]
	p.idle = p.idle[:n-1]
	w.idle.Stop()
	return w
}

// register adds a process that was just started, unless the pool is closed.
func (p *pool) register(w *process) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.life.Err() != nil {
		return false
	}
	p.all[w] = true
	return true
}

// keep makes a process idle, to be ended if it stays idle too long.
func (p *pool) keep(w *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.idle = time.AfterFunc(p.o.IdleTimeout, func() { p.expire(w) })
	p.idle = append(p.idle, w)
}

func (p *pool) expire(w *process) {
	p.mu.Lock()
	found := false
	for i, v := range p.idle {
		if v == w {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			found = true
			break
		}
	}
	p.mu.Unlock()
	if found {
		p.drop(w)
	}
}

// drop ends a process and waits until it has exited.
func (p *pool) drop(w *process) {
	w.end()
	p.mu.Lock()
	delete(p.all, w)
	p.mu.Unlock()
}

func (p *pool) close() {
	p.mu.Lock()
	p.end()
	var rest []*process
	for _, w := range p.idle {
		w.idle.Stop()
	}
	p.idle = nil
	for w := range p.all {
		w.kill()
		rest = append(rest, w)
	}
	p.mu.Unlock()
	p.wg.Wait()
	for _, w := range rest {
		w.end()
	}
}
