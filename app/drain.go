package app

import (
	"net"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// openConns are the connections of the server. When it is shut down, it closes those
// that are idle after a request, but would wait, until its time is up, for those over
// which none has come yet: browsers and other clients open some in advance.
type openConns struct {
	mu      sync.Mutex
	open    map[net.Conn]struct{}
	refused bool
}

// note follows the states of a connection.
func (o *openConns) note(c net.Conn, state fasthttp.ConnState) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch state {
	case fasthttp.StateNew:
		if o.refused {
			c.Close()
			return
		}
		if o.open == nil {
			o.open = map[net.Conn]struct{}{}
		}
		o.open[c] = struct{}{}
	case fasthttp.StateClosed, fasthttp.StateHijacked:
		delete(o.open, c)
	}
}

// stopReading ends the wait for requests on every connection, and refuses new ones.
// Responses are still written.
func (o *openConns) stopReading() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refused = true
	for c := range o.open {
		_ = c.SetReadDeadline(time.Now()) // an error means that it has been closed
	}
}

// stopReadingUntil repeats that until done: the server sets deadlines of its own when
// it begins to wait for a request.
func (o *openConns) stopReadingUntil(done <-chan struct{}) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		o.stopReading()
		select {
		case <-tick.C:
		case <-done:
			return
		}
	}
}

// requests counts those that are being handled.
type requests struct {
	mu       sync.RWMutex
	stopping bool
	running  sync.WaitGroup
}

// enter registers a request, unless the server is stopping.
func (r *requests) enter() (leave func(), ok bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.stopping {
		return nil, false
	}
	r.running.Add(1)
	return r.running.Done, true
}

// stop refuses further requests. The channel is closed when the running ones have finished.
func (r *requests) stop() <-chan struct{} {
	r.mu.Lock()
	r.stopping = true
	r.mu.Unlock()
	ended := make(chan struct{})
	go func() { r.running.Wait(); close(ended) }()
	return ended
}

// stopped reports whether requests are refused.
func (r *requests) stopped() bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.stopping
}
