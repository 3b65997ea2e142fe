package httpkit

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Limits on the time, amount and rate of reading and discarding a body after a
// response that refuses it. Closing the connection while the client is still sending
// would reset it and lose the response. Most clients stop once they have the response.
const (
	lingerTime  = time.Second
	lingerBytes = 16 * MB
	lingerPiece = 256 * KB
	lingerPause = 10 * time.Millisecond
	// writePiece is the size of the pieces of a response, each of which has to be sent
	// within the time that a connection may be idle.
	writePiece = 64 * KB
	// maxLingering is the maximum number of connections that linger at a time.
	maxLingering = 16
)

// Listen returns a listener whose connections can be closed without losing the last response.
// A connection over which nothing of a response can be sent for the time idle is closed.
func Listen(ln net.Listener, idle time.Duration) net.Listener { return newListener(ln, idle, false) }

// ListenForSignatories is [Listen] for a listener that serves only the routes whose
// [Rule] is for signatories. All other routes don't exist there.
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
	return listener{ln, idle, signatories, make(chan struct{}, maxLingering)}
}

// signatoriesAddr is the local address of a connection to the listener for signatories.
type signatoriesAddr struct{ net.Addr }

func (l listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &lingeringConn{Conn: conn, idle: l.idle, signatories: l.signatories, slots: l.slots}, nil
}

// lingeringConn is a connection that, if requested, closes its own side first and
// waits for the other.
type lingeringConn struct {
	net.Conn
	wanted      atomic.Bool
	idle        time.Duration
	signatories bool
	slots       chan struct{}
}

// LocalAddr returns an address whose type tells whether the connection is only for
// signatories. TLS and the server pass it through.
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

// pieces are the buffers of ReadFrom, for reuse. A client that reads slowly holds one, so each is
// no larger than the buffer in which its connection receives requests.
var pieces = sync.Pool{New: func() any { return new(piece) }}

type piece [16 * KB]byte

// ReadFrom sends the body of a response in larger pieces than those of the server's own buffer of
// 4 KiB, with which a file takes four times as many system calls.
func (l *lingeringConn) ReadFrom(r io.Reader) (int64, error) {
	buffer := pieces.Get().(*piece)
	defer pieces.Put(buffer)
	return io.CopyBuffer(struct{ io.Writer }{l}, struct{ io.Reader }{r}, buffer[:])
}

// linger makes a connection linger when it is closed, including one below TLS.
func linger(conn net.Conn) {
	if l, ok := innerConn(conn).(*lingeringConn); ok {
		l.wanted.Store(true)
	}
}

// Close closes the connection, in the background if it is to linger.
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
	default: // too many connections linger already: the client may lose the response
		return l.Conn.Close()
	}
	go func() {
		l.discard()
		<-l.slots
	}()
	return nil
}

// discard keeps reading for a while. Errors are ignored: the connection is closing anyway.
func (l *lingeringConn) discard() {
	defer l.Conn.Close() //nolint:errcheck // errors no longer matter
	if err := l.SetReadDeadline(time.Now().Add(lingerTime)); err != nil {
		return
	}
	for range lingerBytes / lingerPiece {
		if _, err := io.CopyN(io.Discard, l.Conn, lingerPiece); err != nil {
			return
		}
		time.Sleep(lingerPause)
	}
}
