package notify

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/account"
	"paraph/app/limit"
	"paraph/app/mail"
	"paraph/app/mishap"
	"paraph/app/words"
	"paraph/kv"
)

// Sender passes a message to a mail server, and returns the server's reply.
type Sender interface {
	Deliver(ctx context.Context, m mail.Message) (reply string, err error)
}

// Options are the dependencies and settings of the outbox.
type Options struct {
	DB    *kv.DB
	Jobs  *kv.Jobs
	Words *words.Catalogue
	// Transport is the mail server at the start; see [Outbox.SetTransport].
	Transport Transport
	// Captures reports that messages reach their readers without a mail server: in a test
	// double, the tests read them.
	Captures bool
	// Mishaps are those that messages of a test double meet.
	Mishaps *mishap.Register
	NewID   func() ulid.ULID
	Key     []byte // of the installation: encrypts message contents
	BaseURL string // for links in messages that belong to no document
	Days    int    // days after which a message is removed; 0 keeps it
	Now     func() time.Time
	Log     *slog.Logger
}

// Outbox stores every message, and schedules its sending if there is a mail server.
type Outbox struct {
	Options
	Messages *Messages
	Texts    *Texts
	tests    *limit.Limiter // test messages, per person

	transport atomic.Pointer[Transport]
}

// NewOutbox returns an outbox. Nothing is sent until the jobs of a [Service] run.
func NewOutbox(o Options) (*Outbox, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	messages, err := newMessages(o.DB, o.Key)
	if err != nil {
		return nil, err
	}
	texts, err := newTexts(o)
	if err != nil {
		return nil, err
	}
	s := &Outbox{Options: o, Messages: messages, Texts: texts, tests: limit.New(6, time.Minute, o.Now)}
	s.SetTransport(o.Transport)
	return s, nil
}

// States of a message.
const (
	Kept   = "kept"   // no mail server: it can be read in the outbox
	Queued = "queued" // being sent, or waiting for another attempt
	Sent   = "sent"
	Failed = "failed" // given up

	Bounced = "bounced" // accepted by a mail server and returned later

	Cancelled = "cancelled" // canceled by a member
)

// Message is one mail as stored in the outbox. Its Message-ID is derived from ID, so that a
// receiver can recognise a repetition.
type Message struct {
	ID         string
	Company    string
	Document   string
	Invitation string
	Kind       string
	To         string
	ToName     string
	Subject    string
	Text       string
	HTML       string
	Links      []string
	Status     string
	Attempts   int
	LastError  string
	Reply      string // the mail server's reply when it accepted the message
	Server     string `json:",omitempty"` // that accepted it
	CreatedAt  time.Time
	SentAt     *time.Time
	Origin     string    `json:",omitempty"` // company of Document, if the message is not listed there
	User       string    `json:",omitempty"` // user whose account it concerns
	Link       string    `json:",omitempty"` // identifies the link or code in it until that is used, replaced or expired
	Else       *place    `json:",omitempty"` // where it is kept if it can't be sent after all
	Shown      []Showing `json:",omitempty"` // members who looked at its link or code to pass it on by hand

	hidden bool // links or codes were removed

	// Sealed holds Subject, Text, HTML and Links encrypted while a message is stored, because
	// they contain links and codes.
	Sealed []byte `json:",omitempty"`
	// Secrets are the links and codes of the message. They are removed once it is sent.
	Secrets []string `json:",omitempty"`
}

// Showing is one look by a member at the link or code of a message that could not be sent.
type Showing struct {
	Name, Email string // of the member
	At          time.Time
}

// Mail records a message about an account, or with a code that identifies a person, in the
// caller's transaction.
func (s *Outbox) Mail(tx *kv.Tx, m account.Mail) error {
	data := map[string]string{"name": m.Name, "base": strings.TrimSuffix(s.BaseURL, "/")}
	for k, v := range m.Data {
		data[k] = v
	}
	if token := data["token"]; token != "" {
		path, ok := accountLinks[m.Kind]
		if slices.Contains(account.Notices(), m.Kind) {
			path, ok = "/undo/", true
		}
		if !ok {
			return fmt.Errorf("notify: no link for a message of kind %s", m.Kind)
		}
		data["link"] = data["base"] + path + token
	}
	message := Message{Kind: string(m.Kind), To: m.To, ToName: m.Name, Origin: m.Company, Document: m.Document, Invitation: m.Invitation,
		Else: &place{
			Company: m.Company, User: m.User, Link: m.Link, Expires: m.Expires,
		}}
	return s.write(tx, message, m.Locale, data)
}

// MailCheckpoints is the kind of the messages with the newest checkpoints. Data: date,
// verbatim (the checkpoints).
const MailCheckpoints account.MailKind = "checkpoints"

// accountLinks are the pages that the tokens in messages lead to.
var accountLinks = map[account.MailKind]string{
	account.MailVerifyEmail: "/confirm/",
	account.MailReset:       "/reset/",
	account.MailInvite:      "/join/",
}
