package account

// LimiterKeys is how many keys a limiter remembers.
func LimiterKeys(l *Limiter) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.keys)
}
