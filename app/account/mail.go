package account

import (
	"maps"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/limit"
	"paraph/kv"
)

// MailKind is the kind of a message.
type MailKind string

// The messages that this package sends.
const (
	MailVerifyEmail MailKind = "verify_email" // Data: token, expires_at
	MailReset       MailKind = "reset"        // Data: token, expires_at
	MailInvite      MailKind = "invite"       // Data: token, expires_at, company, inviter
)

// The messages that notify a person of a change to their credentials. Data: token and
// expires_at of a link that undoes it, and the values listed here.
const (
	MailEmailChanged   MailKind = "email_changed"   // to the old address; email (the new one)
	MailPassword       MailKind = "password"        // the password was changed
	MailPasskeyAdded   MailKind = "passkey_added"   // what (its name)
	MailPasskeyRemoved MailKind = "passkey_removed" // what (its name)
	MailTwoFactorOn    MailKind = "two_factor_on"   // codes of an app are required
	MailTwoFactorOff   MailKind = "two_factor_off"  // and no longer
	MailRecoveryCodes  MailKind = "recovery_codes"  // new ones were made
	MailRecoveryUsed   MailKind = "recovery_used"   // one was used
	MailCodesTried     MailKind = "codes_tried"     // as many wrong codes of the app were entered as are checked in a day
	MailTokenCreated   MailKind = "token_created"   // what (its name), scopes
)

// MailAdministrator notifies the owners of a company that it has a new administrator. Data:
// company, inviter, email.
const MailAdministrator MailKind = "administrator"

// Notices lists the messages that report a change and carry a link to undo it.
func Notices() []MailKind {
	return []MailKind{MailEmailChanged, MailPassword, MailPasskeyAdded, MailPasskeyRemoved, MailTwoFactorOn, MailTwoFactorOff,
		MailRecoveryCodes, MailRecoveryUsed, MailCodesTried, MailTokenCreated}
}

// Mail is a message to be sent once. Key is the same for the same message, so
// that repetitions can be recognized.
type Mail struct {
	Kind   MailKind
	To     string
	Name   string
	Locale string
	Data   map[string]string
	Key    string

	// Company keeps the message, where no mail can be sent, in the outbox of this company for
	// its administrators; "" means the outbox of the installation.
	Company    string
	Document   string
	Invitation string
	User       string    // whose account it is about
	Link       string    // identifies the link or code in it for [Forgetter]; "" for none
	Expires    time.Time // of the link or code; zero for none
}

// Mailer records a message in the caller's transaction: it is sent if, and only
// if, the change it reports is committed.
type Mailer func(tx *kv.Tx, m Mail) error

// Forgetter removes a link or code from the messages that still hold it, once it was used or replaced.
type Forgetter func(tx *kv.Tx, link string) error

// messages sends messages to people.
type messages struct {
	links         *linkStore
	mailer        Mailer
	newID         func() ulid.ULID
	perMailboxDay *limit.Limiter // messages requested, per kind and e-mail address, in a day
	mailedToday   *limit.Daily   // the same, for restarts not to clear them
}

// tell notifies a person of a change to their credentials.
func (s *messages) tell(tx *kv.Tx, u userRecord, kind MailKind, data map[string]string) error {
	if s.mailer == nil {
		return nil
	}
	token, expires, err := s.links.create(tx, linkRecord{Kind: LinkUndo, UserID: u.ID, Email: u.Email, Since: new(tx.Now)}, undoLifetime)
	if err != nil {
		return err
	}
	all := map[string]string{"token": token, "expires_at": until(expires)}
	maps.Copy(all, data)
	return s.send(tx, kind, u, all)
}

// tellOwners notifies the owners of a company.
func (s *messages) tellOwners(tx *kv.Tx, companyID string, kind MailKind, data map[string]string) error {
	return members.Each(tx, "company", kv.K(companyID), func(_ string, m memberRecord) (bool, error) {
		if !m.owns() {
			return true, nil
		}
		u, err := users.Get(tx, m.UserID)
		if err != nil {
			return false, err
		}
		return true, s.sendFrom(tx, companyID, kind, u, u.Email, data)
	})
}

func (s *messages) send(tx *kv.Tx, kind MailKind, u userRecord, data map[string]string) error {
	return s.sendTo(tx, kind, u, u.Email, data)
}

// sendTo writes to a person about their account. Where no mail can be sent, the message is kept
// in the outbox of the installation: no company may read a link that opens an account, or see
// that there is one.
func (s *messages) sendTo(tx *kv.Tx, kind MailKind, u userRecord, to string, data map[string]string) error {
	return s.sendFrom(tx, "", kind, u, to, data)
}

// sendFrom is sendTo for a message that is kept in the outbox of a given company.
func (s *messages) sendFrom(
	tx *kv.Tx, company string, kind MailKind, u userRecord, to string, data map[string]string,
) error {
	if s.mailer == nil {
		return nil
	}
	m := Mail{Kind: kind, To: to, Name: u.Name, Locale: u.Locale, Data: data, Key: string(kind) + "/" + s.newID().String(),
		User: u.ID, Company: company}
	if token := data["token"]; token != "" {
		m.Link = linkKey(token)
		l, err := links.Get(tx, m.Link)
		if err != nil {
			return err
		}
		m.Expires = l.ExpiresAt
	}
	return s.mailer(tx, m)
}

// until formats the expiry of a link for the text of a message.
func until(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// dailyMails is how many messages of one kind may be requested for one address in a day,
// whoever requests them: people who are not users yet can't stop them.
const dailyMails = 20

// mayMail counts a request for a message of a kind to an address.
func (s *messages) mayMail(kind LinkKind, email string) error {
	if _, wait, ok := s.perMailboxDay.Allow(mailbox(kind, email)); !ok {
		return fault.Throttled(s.perMailboxDay.Limit(), wait)
	}
	return nil
}

// countMail counts a requested message in the transaction that sends it, or returns how long to
// wait for the next one.
func (s *messages) countMail(tx *kv.Tx, kind LinkKind, email string) (wait time.Duration, err error) {
	return s.mailedToday.Spend(tx, mailbox(kind, email))
}

// mailbox is the key under which messages of a kind to an address are counted.
func mailbox(kind LinkKind, email string) string { return string(kind) + " " + input.FoldEmail(email) }
