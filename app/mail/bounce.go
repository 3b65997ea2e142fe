package mail

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"net/textproto"
	"strings"
)

// ErrNoBounce reports that a message is not a delivery failure report.
var ErrNoBounce = errors.New("mail: not a delivery failure report")

// Bounce is a report that a message could not be delivered (RFC 3464).
type Bounce struct {
	ID         string // Message-ID of the undelivered message, without angle brackets
	Recipients []BouncedRecipient
}

// BouncedRecipient is an address that a message could not be delivered to.
type BouncedRecipient struct {
	Address string // "" if the report does not name it
	Status  string // such as 5.1.1 (RFC 3463)
	Reply   string // of the server that refused the message
}

// Limits of a report. Real ones have three parts and a few kilobytes.
const (
	maxBounce      = 1 << 20
	maxBounceParts = 20
	maxRecipients  = 100
)

// ParseBounce reads a report. It returns [ErrNoBounce] for a message that reports no permanent
// failure.
func ParseBounce(r io.Reader) (Bounce, error) {
	m, err := mail.ReadMessage(bufio.NewReader(io.LimitReader(r, maxBounce)))
	if err != nil {
		return Bounce{}, fmt.Errorf("%w: %w", ErrNoBounce, err)
	}
	media, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || media != "multipart/report" {
		return Bounce{}, ErrNoBounce
	}
	b, err := readReport(multipart.NewReader(m.Body, params["boundary"]))
	if err != nil {
		return Bounce{}, fmt.Errorf("%w: %w", ErrNoBounce, err)
	}
	if b.ID == "" || len(b.Recipients) == 0 {
		return Bounce{}, ErrNoBounce
	}
	return b, nil
}

func readReport(parts *multipart.Reader) (b Bounce, err error) {
	for range maxBounceParts {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return b, nil
		}
		if err != nil {
			return b, err
		}
		media, _, err := mime.ParseMediaType(part.Header.Get("Content-Type"))
		if err != nil {
			continue // the report is usable without it
		}
		switch media {
		case "message/delivery-status", "message/global-delivery-status":
			b.Recipients = append(b.Recipients, failedRecipients(part)...)
		case "message/rfc822", "text/rfc822-headers", "message/global", "message/global-headers":
			b.ID = returnedID(part)
		}
	}
	return b, nil
}

// failedRecipients reads the field groups of a delivery status; the first group concerns the
// message as a whole.
func failedRecipients(r io.Reader) (all []BouncedRecipient) {
	fields := textproto.NewReader(bufio.NewReader(r))
	for len(all) < maxRecipients {
		group, err := fields.ReadMIMEHeader()
		if strings.EqualFold(strings.TrimSpace(group.Get("Action")), "failed") {
			all = append(all, BouncedRecipient{
				Address: typed(group, "Final-Recipient", "Original-Recipient"),
				Status:  clip(group.Get("Status")),
				Reply:   clip(typed(group, "Diagnostic-Code")),
			})
		}
		if err != nil {
			return all
		}
	}
	return all
}

// typed returns the first of the fields that is present, without its type: "smtp; 550 no such
// user" (RFC 3464 §2.1.2).
func typed(group textproto.MIMEHeader, names ...string) string {
	for _, name := range names {
		if _, value, ok := strings.Cut(group.Get(name), ";"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// returnedID returns the Message-ID of the returned message.
func returnedID(r io.Reader) string {
	header, err := textproto.NewReader(bufio.NewReader(r)).ReadMIMEHeader()
	if err != nil && !errors.Is(err, io.EOF) {
		return "" // the part read before the error may be truncated
	}
	return strings.Trim(strings.TrimSpace(header.Get("Message-Id")), "<>")
}
