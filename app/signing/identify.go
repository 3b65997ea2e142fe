package signing

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"math/big"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/kv"
)

// MailCode is the message with a code that proves who has the mailbox; Data:
// code, title, minutes.
const MailCode account.MailKind = "signing_code"

// Rules of codes sent by e-mail.
const (
	codeLifetime = 10 * time.Minute
	codeTries    = 5
	codeWait     = 30 * time.Second // between two codes
	identified   = time.Hour        // how long a proof of identity lasts
)

// identity is what is needed to prove who a person is. It is kept apart from
// the document, because tries are counted though nothing of the document changes.
type identity struct {
	CodeHash string
	SentAt   *time.Time
	Tries    int
	AskedAt  *time.Time `json:",omitempty"` // when the owner was last told that a new link is wanted
	// ReportedAt is when the person last reported a problem.
	ReportedAt *time.Time `json:",omitempty"`
}

// RequestCode mails a new code to the person invited.
func (s *Service) RequestCode(_ context.Context, who account.Actor, id, invitation string) error {
	if !who.IsSignatoryOf(id, invitation) {
		return fault.NotFound("invitation")
	}
	return s.DB.Update(func(tx *kv.Tx) error {
		d, err := load(tx, who, id)
		if err != nil {
			return err
		}
		inv := d.invitation(invitation)
		if inv == nil || inv.Authentication != ByEmailCode {
			return conflict("no_code_needed")
		}
		if err := d.running(tx.Now); err != nil {
			return err
		}
		state, err := identityOf(tx, invitation)
		if err != nil {
			return err
		}
		if state.SentAt != nil && tx.Now.Sub(*state.SentAt) < codeWait {
			return fault.Throttled(1, codeWait-tx.Now.Sub(*state.SentAt))
		}
		code, err := newCode()
		if err != nil {
			return err
		}
		state = identity{CodeHash: hashAccessCode(invitation, code), SentAt: &tx.Now, AskedAt: state.AskedAt, ReportedAt: state.ReportedAt}
		if err := identities.Put(tx, invitation, state); err != nil {
			return err
		}
		return s.Mailer(tx, account.Mail{Kind: MailCode, To: inv.Email, Name: inv.Name, Locale: localeOf(d, inv),
			Data: map[string]string{"code": code, "title": d.Title, "minutes": fmt.Sprint(int(codeLifetime.Minutes()))},
			Key:  string(MailCode) + "/" + s.id()})
	})
}

// newCode is six digits, each as likely as any other.
func newCode() (string, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%06d", n), nil
}

func localeOf(d *Document, inv *Invitation) string {
	if inv.Locale != "" {
		return inv.Locale
	}
	return d.Locale
}

func identityOf(tx *kv.Tx, invitation string) (identity, error) {
	state, err := identities.Get(tx, invitation)
	if err == kv.ErrNotFound {
		return identity{}, nil
	}
	return state, err
}

// Identify checks the code that an invitation asks for and gives a token with
// which the person can go on for an hour.
func (s *Service) Identify(_ context.Context, who account.Actor, id, invitation, code string) (string, error) {
	if !who.IsSignatoryOf(id, invitation) {
		return "", fault.NotFound("invitation")
	}
	d, err := s.get(who, id)
	if err != nil {
		return "", err
	}
	inv := d.invitation(invitation)
	if inv == nil {
		return "", fault.NotFound("invitation")
	}
	var f fault.Fields
	if err := s.proof(inv, code, &f); err != nil {
		return "", err
	}
	if err := f.Err(); err != nil {
		return "", err
	}
	return s.Accounts.SignatoryToken(d.Company, d.ID, inv.ID, inv.Name, inv.Email, identified)
}

// isIdentified says whether a person needs no further proof: the link is enough,
// or it was given when their token was made.
func isIdentified(who account.Actor, inv *Invitation) bool {
	return !who.IsSignatory() || inv.Authentication == ByLink || who.TokenID != ""
}

// identify wants the proof that the invitation asks for, from the person.
func (s *Service) identify(who account.Actor, inv *Invitation, code string, f *fault.Fields) error {
	if isIdentified(who, inv) {
		return nil
	}
	return s.proof(inv, code, f)
}

// proof holds a code against what the invitation asks for. Tries are counted in
// a transaction of their own, since they count though nothing else is kept.
func (s *Service) proof(inv *Invitation, code string, f *fault.Fields) error {
	if inv.Authentication == ByLink {
		return nil
	}
	if code == "" {
		f.Required("code")
		return nil
	}
	var good bool
	err := s.DB.Update(func(tx *kv.Tx) error {
		state, err := identityOf(tx, inv.ID)
		if err != nil {
			return err
		}
		if state.Tries >= codeTries && (state.SentAt == nil || tx.Now.Sub(*state.SentAt) < codeLifetime) {
			return fault.Throttled(codeTries, codeLifetime)
		}
		want := inv.AccessCodeHash
		if inv.Authentication == ByEmailCode {
			want = state.CodeHash
			if state.SentAt == nil || tx.Now.Sub(*state.SentAt) >= codeLifetime {
				want = ""
			}
		}
		got := hashAccessCode(inv.ID, code)
		good = want != "" && subtle.ConstantTimeCompare([]byte(got), []byte(want)) == 1
		if good {
			return identities.Delete(tx, inv.ID)
		}
		state.Tries++
		if inv.Authentication == ByAccessCode && (state.SentAt == nil || tx.Now.Sub(*state.SentAt) >= codeLifetime) {
			state.SentAt, state.Tries = &tx.Now, 1 // the window in which tries count
		}
		return identities.Put(tx, inv.ID, state)
	})
	if err != nil {
		return err
	}
	if !good {
		f.Add("code", "wrong_code")
	}
	return nil
}
