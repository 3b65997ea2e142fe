package mail

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net/textproto"
	"strconv"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"paraph/app/fault"
)

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

// explain classifies an error. The server's reply is shortened to one line, without the
// password in case the server repeats it.
func (s SMTP) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &failure{fmt.Errorf("timeout: %w", ctx.Err()), "timeout", ctx.Err().Error()}
	}
	if f, ok := errors.AsType[*failure](err); ok {
		return f
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
