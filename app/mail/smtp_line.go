package mail

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"

	gomail "github.com/wneessen/go-mail"
)

// line is the connection of one session. The library moves deadlines around and forgets to
// close after some errors, so the end of ctx closes it.
type line struct {
	ctx      context.Context
	conn     net.Conn
	release  func() bool
	dialogue *dialogue
}

func (l *line) dial(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	l.conn = conn
	l.release = context.AfterFunc(l.ctx, func() {
		// The running command fails and reports the error.
		_ = conn.Close()
	})
	return l.greeted(&bounded{Conn: conn, left: maxReplies}), nil
}

func (l *line) dialTLS(config *tls.Config) gomail.DialContextFunc {
	l.dialogue = nil // what is heard here is encrypted
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := l.dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		encrypted := tls.Client(conn, config)
		if err := encrypted.HandshakeContext(ctx); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrTLS, err)
		}
		return encrypted, nil
	}
}

func (l *line) close() {
	if l.conn == nil {
		return
	}
	l.release()
	// Already closed by the library, or irrelevant after the session.
	_ = l.conn.Close()
}

// bounded ends a connection whose server sends endless replies.
type bounded struct {
	net.Conn
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the server said more than %d bytes: %w", maxReplies, io.ErrShortBuffer)
	}
	n, err := b.Conn.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
