// Package mail turns a message into MIME and sends it to an SMTP server.
//
// A caller may rely on this: no outside input can add a header or a recipient; Send never takes
// longer than its timeout, whatever the server does; an error says whether trying again can
// help ([ErrRejected] says no); and once the server has accepted the message the result is nil,
// even if the connection then breaks, so that nothing is sent twice because of that.
package mail

import (
	"errors"
	"fmt"
	"io"
	"net/mail"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

var (
	// ErrRejected reports that the server permanently refuses this message or its recipients (a
	// reply of 500 to 599). Sending it again is pointless.
	ErrRejected = errors.New("mail: rejected")

	// ErrInvalid reports that the message cannot be sent. It is also an ErrRejected.
	ErrInvalid = fmt.Errorf("%w: invalid message", ErrRejected)

	// ErrLogin reports that the server does not accept the user name and password, or offers no
	// safe way to send them. The operator has to correct this; the message may be sent later.
	ErrLogin = errors.New("mail: login failed")

	// ErrTLS reports that no encrypted connection could be made as configured.
	ErrTLS = errors.New("mail: no encrypted connection")
)

// Message is one mail.
type Message struct {
	// ID becomes the Message-ID, followed by the sender's domain unless it contains an @. A
	// message that is sent again keeps its ID. Empty: a random one.
	ID string

	From    Address
	ReplyTo Address // optional
	To      []Address
	Subject string

	// Text and HTML are the same content; at least one is required. With both, the mail is
	// multipart/alternative.
	Text, HTML string

	// Headers are additional headers, such as List-Unsubscribe. Those set through other fields
	// are refused.
	Headers map[string]string

	Attachments []Attachment

	// Date of the mail; now if zero.
	Date time.Time
}

// Attachment is a file attached to a mail.
type Attachment struct {
	Name string // file name, without folders
	Type string // media type; application/octet-stream if empty
	Data []byte

	// Open returns the content if Data is nil, so that a large file is never in memory. It may
	// be called more than once.
	Open func() (io.ReadCloser, error)
}

// Address is a person's name and e-mail address.
type Address struct{ Name, Email string }

// String formats the address as in a header: "Name" <name@example.com>.
func (a Address) String() string {
	return (&mail.Address{Name: oneLine(a.Name), Address: a.Email}).String()
}

// ParseAddress parses exactly one "Name <name@example.com>" or bare e-mail address.
func ParseAddress(s string) (Address, error) {
	parsed, err := mail.ParseAddress(s)
	if err != nil {
		return Address{}, fmt.Errorf("%w: %q is not an address", ErrInvalid, clip(s))
	}
	if !ValidEmail(parsed.Address) {
		return Address{}, fmt.Errorf("%w: %q is not an e-mail address", ErrInvalid, clip(parsed.Address))
	}
	return Address{Name: oneLine(parsed.Name), Email: parsed.Address}, nil
}

// Maximum lengths in bytes (RFC 5321 §4.5.3.1).
const (
	maxLocal  = 64
	maxDomain = 255
	maxEmail  = 254
)

// ValidEmail reports whether s is an e-mail address accepted for sending: a dot-atom (RFC 5322
// §3.2.3, with the letters of RFC 6531), an @, and a domain name. Quoted local parts, comments
// and address literals are not accepted.
func ValidEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at <= 0 || len(s) > maxEmail || !utf8.ValidString(s) {
		return false
	}
	return validLocal(s[:at]) && validDomain(s[at+1:])
}

func validLocal(local string) bool {
	if len(local) > maxLocal {
		return false
	}
	for atom := range strings.SplitSeq(local, ".") {
		if atom == "" || strings.ContainsFunc(atom, func(r rune) bool { return !isAtext(r) }) {
			return false
		}
	}
	return true
}

// isAtext implements RFC 5322 §3.2.3 and RFC 6531 §3.3.
func isAtext(r rune) bool {
	if r < utf8.RuneSelf {
		return isAlphanumeric(r) || strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r)
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)
}

func isAlphanumeric(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

func validDomain(domain string) bool {
	if len(domain) > maxDomain {
		return false
	}
	labels := 0
	for label := range strings.SplitSeq(domain, ".") {
		if !validLabel(label) {
			return false
		}
		labels++
	}
	if _, err := idna.Lookup.ToASCII(domain); err != nil {
		return false
	}
	return labels > 1 || strings.EqualFold(domain, "localhost")
}

// Deliverable returns the address with its domain in ASCII (RFC 5890 §2.3.2.1), as every server
// takes it. Elsewhere the address stays as people write it.
func Deliverable(email string) string {
	at := strings.LastIndexByte(email, '@')
	if domain, err := idna.Lookup.ToASCII(email[at+1:]); err == nil && !ascii(email[at+1:]) {
		return email[:at+1] + domain
	}
	return email
}

func validLabel(label string) bool {
	if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
		return false
	}
	return !strings.ContainsFunc(label, func(r rune) bool {
		if r < utf8.RuneSelf {
			return !isAlphanumeric(r) && r != '-'
		}
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
	})
}

// oneLine puts text that somebody typed on one line: line breaks and control characters become
// spaces.
func oneLine(s string) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.TrimSpace(clean)
}

// clip shortens outside input for an error message.
func clip(s string) string {
	const most = 200
	s = oneLine(s)
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
