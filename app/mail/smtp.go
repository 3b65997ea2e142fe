package mail

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"paraph/app/fault"
)

const (
	// defaultTimeout is for one message, from connecting to disconnecting.
	defaultTimeout = 30 * time.Second

	// maxReplies is how many bytes a server may send in one session. A well-behaved one sends a
	// few hundred.
	maxReplies = 1 << 20
)

// SMTP is the connection settings of a mail server. It is a value; every Send makes its own
// connection, so any number may run concurrently.
type SMTP struct {
	Host     string
	Port     int    // if 0: 587 for starttls, 465 for tls, 25 for none
	Username string // empty: no login
	Password Secret

	// TLS is how the connection is encrypted: "starttls" (the default; a server that does not
	// offer it is refused), "tls" from the first byte, or "none".
	TLS string

	HELO    string        // name for the HELO command; the machine's host name if empty
	Timeout time.Duration // for a whole Send; 30 s if 0

	// RootCAs are the authorities trusted for the server's certificate; the system's if nil.
	RootCAs *x509.CertPool

	dialogue *dialogue // records the conversation; nil does not
}

// Send is Deliver without the server's reply.
func (s SMTP) Send(ctx context.Context, m Message) error {
	_, err := s.Deliver(ctx, m)
	return err
}

// Deliver sends the message to the server. It returns nil and the server's reply if the message
// was accepted for all recipients, ErrRejected if it never will be, ErrLogin, ErrTLS, or
// another error if it may be later. It takes at most Timeout, and ends with ctx.
func (s SMTP) Deliver(ctx context.Context, m Message) (reply string, err error) {
	msg, err := m.build()
	if err != nil {
		return "", err
	}
	err = s.session(ctx, func(client *gomail.Client, c *smtp.Client) error {
		return client.SendWithSMTPClient(c, msg)
	})
	if msg.IsDelivered() {
		return s.clean(msg.ServerResponse()), nil
	}
	if err == nil {
		return "", &failure{errors.New("mail: server did not confirm the message"), "unconfirmed", ""}
	}
	return "", fmt.Errorf("mail: send %s: %w", clip(m.messageID()), err)
}

// failure is an error of a session, with its code and the words of the server or the library.
type failure struct {
	error
	code  string
	reply string
}

// Unwrap returns the error itself.
func (e *failure) Unwrap() error { return e.error }

// Why returns the reason of an error of this package as the argument "why" of a refusal, with the
// server's own words if there are any. The catalogue has the texts, under "term.mail.".
func Why(err error) fault.Arg {
	if f, ok := errors.AsType[*failure](err); ok {
		return fault.Term("why", "mail."+f.code, fault.Text("reply", f.reply))
	}
	reply := cmp.Or(errors.Unwrap(err), err).Error()
	return fault.Term("why", "mail.failed", fault.Text("reply", strings.TrimPrefix(reply, "mail: ")))
}

// Check connects, encrypts and logs in as Send would, without sending anything.
func (s SMTP) Check(ctx context.Context) error {
	err := s.session(ctx, func(*gomail.Client, *smtp.Client) error { return nil })
	if err != nil {
		return fmt.Errorf("mail: check: %w", err)
	}
	return nil
}

// session runs fn with a connection ready to send mail.
func (s SMTP) session(ctx context.Context, fn func(*gomail.Client, *smtp.Client) error) error {
	timeout := s.Timeout
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	line := &line{ctx: ctx, dialogue: s.dialogue}
	defer line.close()
	client, err := s.client(line, timeout)
	if err != nil {
		return fmt.Errorf("mail: settings: %w", err)
	}
	connected, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return s.explain(ctx, err)
	}
	if err := fn(client, connected); err != nil {
		return s.explain(ctx, err)
	}
	if err := client.CloseWithSMTPClient(connected); err != nil {
		return s.explain(ctx, err)
	}
	return nil
}

func (s SMTP) client(line *line, timeout time.Duration) (*gomail.Client, error) {
	policy, dial, port := gomail.TLSMandatory, line.dial, 587
	config := &tls.Config{ServerName: s.Host, MinVersion: tls.VersionTLS12, RootCAs: s.RootCAs}
	auth := []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin, gomail.SMTPAuthCramMD5}
	switch s.TLS {
	case "", "starttls":
	case "tls":
		// The library treats a connection that is already encrypted as plain, with nothing left
		// to start.
		policy, dial, port = gomail.NoTLS, line.dialTLS(config), 465
	case "none":
		// A password together with "none" is taken as intentional.
		policy, port = gomail.NoTLS, 25
		auth = []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthCramMD5, gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc}
	default:
		return nil, fmt.Errorf("TLS is %q, want starttls, tls or none", clip(s.TLS))
	}
	if s.Port != 0 {
		port = s.Port
	}
	options := []gomail.Option{
		gomail.WithPort(port), gomail.WithTimeout(timeout), gomail.WithTLSPolicy(policy),
		gomail.WithTLSConfig(config), gomail.WithDialContextFunc(dial), gomail.WithoutNoop(),
	}
	if s.HELO != "" {
		options = append(options, gomail.WithHELO(s.HELO))
	}
	if s.dialogue != nil {
		options = append(options, gomail.WithLogger(s.dialogue), gomail.WithDebugLog())
	}
	if s.Username != "" {
		options = append(options, gomail.WithUsername(s.Username), gomail.WithPassword(s.Password.Reveal()),
			gomail.WithOpportunisticSMTPAuth(auth...))
	}
	return gomail.NewClient(s.Host, options...)
}

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

// explain classifies an error. The server's reply is shortened to one line, without the
// password in case the server repeats it.
func (s SMTP) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &failure{fmt.Errorf("timeout: %w", ctx.Err()), "timeout", ctx.Err().Error()}
	}
	s.dialogue.refused(err)
	text := s.clean(err.Error())
	var send *gomail.SendError
	var reply *textproto.Error
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &send):
		if forGood(send.ErrorCode()) {
			return &failure{fmt.Errorf("%w: %s", ErrRejected, text), "rejected", text}
		}
	case strings.HasPrefix(text, "SMTP AUTH failed"), strings.Contains(text, "SMTP AUTH"),
		errors.Is(err, gomail.ErrNoSupportedAuthDiscovered):
		return &failure{fmt.Errorf("%w: %s", ErrLogin, text), "login", text}
	case errors.Is(err, ErrTLS), strings.HasPrefix(text, "STARTTLS"), errors.As(err, &unknown),
		errors.As(err, &name), errors.As(err, &certificate), errors.As(err, &record):
		return &failure{fmt.Errorf("%w: %s", ErrTLS, text), "tls", text}
	case errors.As(err, &reply):
		return &failure{fmt.Errorf("the server says %s", text), "reply", text}
	}
	return &failure{errors.New(text), "failed", text}
}

// forGood reports whether a reply to MAIL, RCPT or DATA rejects this message permanently.
// Replies that demand a login or encryption (RFC 4954 §6) are about the settings.
func forGood(code int) bool {
	switch code {
	case 523, 524, 530, 534, 535, 538:
		return false
	}
	return code >= 500 && code <= 599
}

// clean removes the password from a text, both in plain form and as transmitted.
func (s SMTP) clean(text string) string {
	if password := s.Password.Reveal(); password != "" {
		encode := base64.StdEncoding.EncodeToString
		for _, shown := range []string{
			password, strconv.Quote(password), encode([]byte(password)),
			encode([]byte("\x00" + s.Username + "\x00" + password)),
		} {
			text = strings.ReplaceAll(text, shown, hidden)
		}
	}
	return clip(text)
}
