package httpkit

import (
	"context"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/gofiber/fiber/v2"
)

// StatusClosed is the status that the log and the figures show for a request whose client
// disconnected; nobody receives it.
const StatusClosed = 499

// lookAfter is the interval between looks at a connection. Requests that take less are
// never looked at.
const lookAfter = 250 * time.Millisecond

// interruptible ends the context of requests whose client disconnects, if the route's rule
// allows it.
func interruptible(method string, rule Rule, h fiber.Handler) fiber.Handler {
	if !rule.interruptible(method) {
		return h
	}
	return func(c *fiber.Ctx) error {
		ctx, cancel := context.WithCancel(c.UserContext())
		w := watch(below(c.Context().Conn()), cancel)
		defer w.stop()
		c.SetUserContext(ctx)
		return h(c)
	}
}

// Closed reports whether an error is due to the client, which has disconnected.
func Closed(c *fiber.Ctx) bool { return c.UserContext().Err() != nil }

// watcher looks at a connection until it is stopped or the other side has closed it.
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
	w.timer = time.AfterFunc(lookAfter, w.look)
	return w
}

func (w *watcher) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.stopped:
	case hungUp(w.conn):
		w.closed()
	default:
		w.timer.Reset(lookAfter)
	}
}

func (w *watcher) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.timer.Stop()
}

// below returns the connection below TLS.
func below(conn net.Conn) net.Conn {
	if secured, ok := conn.(interface{ NetConn() net.Conn }); ok {
		return secured.NetConn()
	}
	return conn
}

// SyscallConn returns the raw connection, so that its state can be looked at.
func (l *lingeringConn) SyscallConn() (syscall.RawConn, error) {
	if c, ok := l.Conn.(syscall.Conn); ok {
		return c.SyscallConn()
	}
	return nil, syscall.EINVAL
}
