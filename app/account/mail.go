package account

import (
	"time"

	"paraph/kv"
)

// MailKind is what a message is about.
type MailKind string

// The messages that this package has sent.
const (
	MailVerifyEmail  MailKind = "verify_email"  // Data: token, expires_at
	MailReset        MailKind = "reset"         // Data: token, expires_at
	MailInvite       MailKind = "invite"        // Data: token, expires_at, company, inviter
	MailEmailChanged MailKind = "email_changed" // to the old address; Data: email (the new one)
	MailPassword     MailKind = "password"      // the password was changed
)

// Mail is a message to be sent once. Key is the same for the same message, so
// that it can be told from a repetition.
type Mail struct {
	Kind   MailKind
	To     string
	Name   string
	Locale string
	Data   map[string]string
	Key    string
}

// Mailer records a message in the caller's transaction: it is sent if, and only
// if, what it tells of is committed.
type Mailer func(tx *kv.Tx, m Mail) error

func (s *Service) mail(tx *kv.Tx, kind MailKind, u userRecord, data map[string]string) error {
	return s.mailTo(tx, kind, u, u.Email, data)
}

func (s *Service) mailTo(tx *kv.Tx, kind MailKind, u userRecord, to string, data map[string]string) error {
	if s.mailer == nil {
		return nil
	}
	return s.mailer(tx, Mail{
		Kind: kind, To: to, Name: u.Name, Locale: u.Locale, Data: data,
		Key: string(kind) + "/" + s.newID().String(),
	})
}

// until writes when a link runs out, for the text of a message.
func until(t time.Time) string { return t.UTC().Format(time.RFC3339) }
