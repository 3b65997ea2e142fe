package mail

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/mail"
	"net/textproto"
	"strings"
	"time"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"
)

// reserved are the headers set through the fields of a Message. All that begin with Content-
// are reserved too.
var reserved = map[string]bool{
	"From": true, "Sender": true, "Reply-To": true, "To": true, "Cc": true, "Bcc": true,
	"Subject": true, "Date": true, "Message-Id": true, "Mime-Version": true,
	"Return-Path": true, "Received": true, "Dkim-Signature": true,
}

// Encode writes the message in its transmitted form (RFC 5322 and MIME), or returns ErrInvalid.
func (m Message) Encode(w io.Writer) error {
	msg, err := m.build()
	if err != nil {
		return err
	}
	if _, err := msg.WriteTo(w); err != nil {
		return fmt.Errorf("mail: encode: %w", err)
	}
	return nil
}

// build checks the message and converts it to the library's type.
func (m Message) build() (*gomail.Msg, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent(), gomail.WithCharset(gomail.CharsetUTF8),
		gomail.WithEncoding(gomail.EncodingQP))
	msg.FromMailAddress(m.From.header())
	for _, to := range m.To {
		msg.AddToMailAddress(to.header())
	}
	if m.ReplyTo != (Address{}) {
		msg.ReplyToMailAddress(m.ReplyTo.header())
	}
	msg.SetMessageIDWithValue(m.messageID())
	msg.SetDateWithValue(m.date())
	msg.Subject(oneLine(m.Subject))
	for name, value := range m.Headers {
		msg.SetGenHeader(gomail.Header(textproto.CanonicalMIMEHeaderKey(name)), value)
	}
	m.setBody(msg)
	m.attach(msg)
	return msg, nil
}

func (a Address) header() *mail.Address {
	return &mail.Address{Name: oneLine(a.Name), Address: Deliverable(a.Email)}
}

// beyondASCII returns the first address of the envelope that only servers with SMTPUTF8 (RFC 6531) take, "" for none.
func (m Message) beyondASCII() string {
	for _, a := range append([]Address{m.From}, m.To...) {
		if email := Deliverable(a.Email); !ascii(email) {
			return email
		}
	}
	return ""
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

func (m Message) check() error {
	var errs []error
	fault := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrInvalid}, args...)...))
	}
	if !ValidEmail(m.From.Email) {
		fault("%q is no e-mail address to send from", clip(m.From.Email))
	}
	if m.ReplyTo != (Address{}) && !ValidEmail(m.ReplyTo.Email) {
		fault("%q is no e-mail address to reply to", clip(m.ReplyTo.Email))
	}
	if len(m.To) == 0 {
		fault("it has no recipient")
	}
	for _, to := range m.To {
		if !ValidEmail(to.Email) {
			fault("%q is no e-mail address to send to", clip(to.Email))
		}
	}
	if strings.ContainsFunc(m.ID, func(r rune) bool { return !isAtext(r) && r != '.' && r != '@' || r >= utf8.RuneSelf }) {
		fault("%q is no message ID", clip(m.ID))
	}
	if m.Text == "" && m.HTML == "" {
		fault("it is empty")
	}
	return errors.Join(append(errs, m.checkHeaders()...)...)
}

func (m Message) checkHeaders() (errs []error) {
	for name, value := range m.Headers {
		key := textproto.CanonicalMIMEHeaderKey(name)
		switch {
		case name == "" || strings.ContainsFunc(name, func(r rune) bool { return !isAlphanumeric(r) && r != '-' }):
			errs = append(errs, fmt.Errorf("%w: %q is not a header name", ErrInvalid, clip(name)))
		case reserved[key] || strings.HasPrefix(key, "Content-"):
			errs = append(errs, fmt.Errorf("%w: header %s cannot be set", ErrInvalid, key))
		case value != oneLine(value):
			errs = append(errs, fmt.Errorf("%w: header %s has more than one line", ErrInvalid, key))
		}
	}
	return errs
}

func (m Message) messageID() string {
	id := m.ID
	if id == "" {
		id = rand.Text()
	}
	if strings.Contains(id, "@") {
		return id
	}
	return id + m.From.Email[strings.LastIndexByte(m.From.Email, '@'):]
}

func (m Message) date() time.Time {
	if m.Date.IsZero() {
		return time.Now()
	}
	return m.Date
}

func (m Message) setBody(msg *gomail.Msg) {
	switch {
	case m.HTML == "":
		msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	case m.Text == "":
		msg.SetBodyString(gomail.TypeTextHTML, m.HTML)
	default:
		msg.SetBodyString(gomail.TypeTextPlain, m.Text)
		msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
}

func (m Message) attach(msg *gomail.Msg) {
	files := make([]*gomail.File, 0, len(m.Attachments))
	for _, a := range m.Attachments {
		files = append(files, &gomail.File{
			Name:   a.name(),
			Enc:    gomail.EncodingB64,
			Header: a.header(),
			Writer: a.writeTo,
		})
	}
	msg.SetAttachments(files)
}

// name returns the last element of the name, on one line.
func (a Attachment) name() string {
	name := oneLine(strings.ReplaceAll(a.Name, `\`, "/"))
	name = name[strings.LastIndexByte(name, '/')+1:]
	if name == "" {
		return "attachment"
	}
	return name
}

// header encodes the name as in RFC 2231, which the library does not do.
func (a Attachment) header() textproto.MIMEHeader {
	mediaType, _, err := mime.ParseMediaType(a.Type)
	if err != nil {
		mediaType = "application/octet-stream"
	}
	parameter := func(name string) map[string]string { return map[string]string{name: a.name()} }
	return textproto.MIMEHeader{
		"Content-Type":        {mime.FormatMediaType(mediaType, parameter("name"))},
		"Content-Disposition": {mime.FormatMediaType("attachment", parameter("filename"))},
	}
}

func (a Attachment) writeTo(w io.Writer) (n int64, err error) {
	if a.Data != nil || a.Open == nil {
		return bytes.NewReader(a.Data).WriteTo(w)
	}
	r, err := a.Open()
	if err != nil {
		return 0, fmt.Errorf("mail: attachment: %w", err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return io.Copy(w, r)
}
