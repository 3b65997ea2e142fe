package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
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
		if international, _ := c.Extension("SMTPUTF8"); !international {
			if email := m.beyondASCII(); email != "" {
				return errors.Join(&failure{fmt.Errorf("%w: the server takes no addresses like %q (RFC 6531)", ErrRejected, email), "address", email}, client.CloseWithSMTPClient(c))
			}
			if m.ReplyTo != (Address{}) && !ascii(Deliverable(m.ReplyTo.Email)) {
				m.ReplyTo = Address{} // rather than not to send the message
				if msg, err = m.build(); err != nil {
					return err
				}
			}
		}
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
