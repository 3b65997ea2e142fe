package httpkit

import (
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// How long, how much, and how fast is read and discarded after a response that
// refuses a body: closing at once would reset the connection and lose the response
// while the client still sends. Most clients stop sending once they have it.
const (
	lingering      = time.Second
	lingeringMost  = 16 * MB
	lingeringPiece = 256 * KB
	lingeringPause = 10 * time.Millisecond
	// writePiece is how much of a response has to be sent in the time that a connection
	// may stand still.
	writePiece = 64 * KB
	// lingerers is how many connections may do so at a time.
	lingerers = 16
)

// Listen returns a listener whose connections can be closed without losing the last response.
// A connection over which nothing of a response can be sent for the time idle is closed.
func Listen(ln net.Listener, idle time.Duration) net.Listener { return newListener(ln, idle, false) }

// ListenForSignatories is [Listen] for a listener on which only the routes whose
// [Rule] says so are served; all others do not exist there.
func ListenForSignatories(ln net.Listener, idle time.Duration) net.Listener {
	return newListener(ln, idle, true)
}

type listener struct {
	net.Listener
	idle        time.Duration
	signatories bool
	slots       chan struct{} // one for each connection that may linger
}

func newListener(ln net.Listener, idle time.Duration, signatories bool) net.Listener {
	return listener{ln, idle, signatories, make(chan struct{}, lingerers)}
}

// signatoriesAddr is the local address of a connection for signatories.
type signatoriesAddr struct{ net.Addr }

func (l listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &lingeringConn{Conn: conn, idle: l.idle, signatories: l.signatories, slots: l.slots}, nil
}

// lingeringConn closes its side first and waits for the other, if asked to.
type lingeringConn struct {
	net.Conn
	wanted      atomic.Bool
	idle        time.Duration
	signatories bool
	slots       chan struct{}
}

// LocalAddr says by its type whether the connection is for signatories only. TLS
// and the server pass it on.
func (l *lingeringConn) LocalAddr() net.Addr {
	if l.signatories {
		return signatoriesAddr{l.Conn.LocalAddr()}
	}
	return l.Conn.LocalAddr()
}

// Write sends a piece of a response. A client that doesn't read would otherwise keep the
// response in memory, or its file open, forever.
func (l *lingeringConn) Write(p []byte) (n int, err error) {
	for rest := p; len(rest) > 0 && err == nil; rest = p[n:] {
		if err := l.SetWriteDeadline(time.Now().Add(l.idle)); err != nil {
			return n, err
		}
		var sent int
		sent, err = l.Conn.Write(rest[:min(len(rest), writePiece)])
		n += sent
	}
	return n, err
}

// linger asks a connection to do so, including one below TLS.
func linger(conn net.Conn) {
	if l, ok := below(conn).(*lingeringConn); ok {
		l.wanted.Store(true)
	}
}

// Close ends the connection, in the background if the other side still sends.
func (l *lingeringConn) Close() error {
	half, ok := l.Conn.(interface{ CloseWrite() error })
	if !ok || !l.wanted.Swap(false) {
		return l.Conn.Close()
	}
	if err := half.CloseWrite(); err != nil {
		return errors.Join(err, l.Conn.Close())
	}
	select {
	case l.slots <- struct{}{}:
	default: // too many others do: the client may lose the response
		return l.Conn.Close()
	}
	go func() {
		l.discard()
		<-l.slots
	}()
	return nil
}

// discard keeps reading for a while. Errors are ignored, as there is nobody to report them to.
func (l *lingeringConn) discard() {
	defer l.Conn.Close() //nolint:errcheck // errors no longer matter
	if err := l.SetReadDeadline(time.Now().Add(lingering)); err != nil {
		return
	}
	for range lingeringMost / lingeringPiece {
		if _, err := io.CopyN(io.Discard, l.Conn, lingeringPiece); err != nil {
			return
		}
		time.Sleep(lingeringPause)
	}
}
