package httpkit

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// How long, and how much, is read and thrown away behind an answer that refuses
// a body: closing at once would reset the connection under the answer while its
// reader still sends.
const (
	lingering     = time.Second
	lingeringMost = 16 * MB
)

// Listen makes connections that can end without losing the last answer.
func Listen(ln net.Listener) net.Listener { return listener{ln} }

type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &lingeringConn{Conn: conn}, nil
}

// lingeringConn closes its side first and waits for the other, if it is told to.
type lingeringConn struct {
	net.Conn
	wanted atomic.Bool
}

// linger asks for that, below TLS too.
func linger(conn net.Conn) {
	if secured, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secured.NetConn()
	}
	if l, ok := conn.(*lingeringConn); ok {
		l.wanted.Store(true)
	}
}

// Close ends the connection, in the background where the other side still sends.
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

// discard reads on for a while. Nobody is left to be told how it went.
func (l *lingeringConn) discard() {
	if err := l.SetReadDeadline(time.Now().Add(lingering)); err == nil {
		_, err = io.CopyN(io.Discard, l.Conn, lingeringMost)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = nil
		}
	}
	l.Conn.Close() //nolint:errcheck // it is over either way
}
