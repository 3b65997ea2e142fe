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
	// lingerers is how many connections may do so at a time.
	lingerers = 16
)

// Listen returns a listener whose connections can be closed without losing the last response.
func Listen(ln net.Listener) net.Listener { return newListener(ln, false) }

// ListenForSignatories is [Listen] for a listener on which only the routes whose
// [Rule] says so are served; all others do not exist there.
func ListenForSignatories(ln net.Listener) net.Listener { return newListener(ln, true) }

type listener struct {
	net.Listener
	signatories bool
	slots       chan struct{} // one for each connection that may linger
}

func newListener(ln net.Listener, signatories bool) net.Listener {
	return listener{ln, signatories, make(chan struct{}, lingerers)}
}

// signatoriesAddr is the local address of a connection for signatories.
type signatoriesAddr struct{ net.Addr }

func (l listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &lingeringConn{Conn: conn, signatories: l.signatories, slots: l.slots}, nil
}

// lingeringConn closes its side first and waits for the other, if asked to.
type lingeringConn struct {
	net.Conn
	wanted      atomic.Bool
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
