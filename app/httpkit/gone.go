package httpkit

import (
	"context"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/gofiber/fiber/v2"
)

// StatusClosed is the status in the log and the metrics of a request whose client
// disconnected. It is never sent.
const StatusClosed = 499

// pollInterval is how often a connection is checked. Faster requests are never checked.
const pollInterval = 250 * time.Millisecond

// interruptible cancels the context of requests whose client disconnects, if the
// route's rule allows it.
func interruptible(method string, rule Rule, h fiber.Handler) fiber.Handler {
	if !rule.interruptible(method) {
		return h
	}
	return func(c *fiber.Ctx) error {
		ctx, cancel := context.WithCancel(c.UserContext())
		w := watch(innerConn(c.Context().Conn()), cancel)
		defer w.stop()
		c.SetUserContext(ctx)
		return h(c)
	}
}

// Closed reports whether the client has disconnected.
func Closed(c *fiber.Ctx) bool { return c.UserContext().Err() != nil }

// watcher checks a connection until the watcher is stopped or the peer closes the connection.
type watcher struct {
	conn   net.Conn
	closed func()

	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

func watch(conn net.Conn, closed func()) *watcher {
	w := &watcher{conn: conn, closed: closed}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(pollInterval, w.look)
	return w
}

func (w *watcher) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.stopped:
	case peerClosed(w.conn):
		w.closed()
	default:
		w.timer.Reset(pollInterval)
	}
}

func (w *watcher) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.timer.Stop()
}

// innerConn returns the connection below TLS.
func innerConn(conn net.Conn) net.Conn {
	if secured, ok := conn.(interface{ NetConn() net.Conn }); ok {
		return secured.NetConn()
	}
	return conn
}

// SyscallConn returns the raw connection, so that its state can be checked.
func (l *lingeringConn) SyscallConn() (syscall.RawConn, error) {
	if c, ok := l.Conn.(syscall.Conn); ok {
		return c.SyscallConn()
	}
	return nil, syscall.EINVAL
}
