package limit

// Keys returns how many keys a limiter remembers.
func Keys(l *Limiter) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.keys)
}
