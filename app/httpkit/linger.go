package httpkit

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// How long, and how much, is read and discarded after a response that refuses a
// body: closing at once would reset the connection and lose the response while
// the client still sends.
const (
	lingering     = time.Second
	lingeringMost = 16 * MB
)

// Listen returns a listener whose connections can be closed without losing the last response.
func Listen(ln net.Listener) net.Listener { return listener{ln, false} }

// ListenForSignatories is [Listen] for a listener on which only the routes whose
// [Rule] says so are served; all others do not exist there.
func ListenForSignatories(ln net.Listener) net.Listener { return listener{ln, true} }

type listener struct {
	net.Listener
	signatories bool
}

// signatoriesAddr is the local address of a connection for signatories.
type signatoriesAddr struct{ net.Addr }

func (l listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &lingeringConn{Conn: conn, signatories: l.signatories}, nil
}

// lingeringConn closes its side first and waits for the other, if asked to.
type lingeringConn struct {
	net.Conn
	wanted      atomic.Bool
	signatories bool
}

// LocalAddr says by its type whether the connection is for signatories only. TLS
// and the server pass it on.
func (l *lingeringConn) LocalAddr() net.Addr {
	if l.signatories {
		return signatoriesAddr{l.Conn.LocalAddr()}
	}
	return l.Conn.LocalAddr()
}

// linger asks a connection to do so, including one below TLS.
func linger(conn net.Conn) {
	if secured, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secured.NetConn()
	}
	if l, ok := conn.(*lingeringConn); ok {
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
	go l.discard()
	return nil
}

// discard keeps reading for a while. Errors are ignored, as there is nobody to report them to.
func (l *lingeringConn) discard() {
	if err := l.SetReadDeadline(time.Now().Add(lingering)); err == nil {
		_, err = io.CopyN(io.Discard, l.Conn, lingeringMost)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = nil
		}
	}
	l.Conn.Close() //nolint:errcheck // errors no longer matter
}
