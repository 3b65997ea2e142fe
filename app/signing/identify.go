package signing

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/app/turns"
	"paraph/kv"
)

// MailCode is the message with a code that proves access to the mailbox; Data:
// code, title, minutes.
const MailCode account.MailKind = "signing_code"

// Limits of the codes with which people prove their identity.
const (
	codeLifetime = 10 * time.Minute
	codeTries    = 5                // per e-mail code, or per codeLifetime for an access code
	codeWait     = 30 * time.Second // between two codes
)

// Daily limits per invitation. Only the passing of time lifts them.
const (
	dailyCodes = 5  // codes sent by e-mail
	dailyTries = 25 // wrong codes
	dailyNotes = 5  // messages to the owner, and links sent again
)

// networkTries is the daily limit of wrong codes from one network for all invitations
// together: holding many links must not multiply the guesses. Beyond the limit, a network
// still has one try per invitation, since people who have nothing to do with each other
// may share it.
const networkTries = 100

// dailyMails is how many codes and links a company mails to one address in a day because
// somebody requests them, for all its invitations together.
const dailyMails = 50

// mayMail counts a requested message to an address of a company. Call refund if it is not
// sent after all, and countMail in the transaction that sends it.
func (s *Signing) mayMail(company, email string) (refund func(), err error) {
	key := mailbox(company, email)
	if _, wait, ok := s.mailed.Allow(key); !ok {
		return nil, fault.Exhausted("codes_used_up", dailyMails, wait)
	}
	return func() { s.mailed.Refund(key) }, nil
}

// countMail counts a requested message in the transaction that sends it.
func (s *Signing) countMail(tx *kv.Tx, company, email string) error {
	wait, err := s.mailedToday.Spend(tx, mailbox(company, email))
	if err == nil && wait > 0 {
		err = fault.Exhausted("codes_used_up", dailyMails, wait)
	}
	return err
}

// mailbox is the key under which messages of a company to an address are counted.
func mailbox(company, email string) string { return company + " " + input.FoldEmail(email) }

// identity holds the proof of a person's identity. It is stored separately from the
// document because attempts are counted even if the document does not change.
type identity struct {
	CodeHash string
	SentAt   *time.Time // of the newest code; for an access code, when the count of tries began
	Tries    int        // since then
	Day      tally
	AskedAt  *time.Time `json:",omitempty"` // when the owner was last notified that a new link is wanted
	// ReportedAt is when the person last reported a problem.
	ReportedAt *time.Time `json:",omitempty"`
}

var identities = kv.NewCollection("identities", kv.JSON[identity]())

// tally counts what an invitation has used of its limits on the current day.
type tally struct {
	Began               time.Time
	Codes, Tries, Notes int
}

// today returns the current day's tally, starting a new one each day.
func (i *identity) today(now time.Time) *tally {
	if now.Sub(i.Day.Began) >= 24*time.Hour {
		i.Day = tally{Began: now}
	}
	return &i.Day
}

// exhausted returns the error for a limit that is used up for the day.
func (t *tally) exhausted(code fault.Code, limit int, now time.Time) error {
	return fault.Exhausted(code, limit, t.Began.Add(24*time.Hour).Sub(now))
}

// note counts a message that can be triggered with only the link.
func (i *identity) note(now time.Time) error {
	day := i.today(now)
	if day.Notes >= dailyNotes {
		return day.exhausted("notes_used_up", dailyNotes, now)
	}
	day.Notes++
	return nil
}

// newCode makes and stores a code to be sent, if the limits permit it.
func (i *identity) newCode(k record.CodeKey, invitation string, now time.Time) (string, error) {
	day := i.today(now)
	switch {
	case i.SentAt != nil && now.Sub(*i.SentAt) < codeWait:
		return "", fault.Throttled(1, codeWait-now.Sub(*i.SentAt))
	case day.Codes >= dailyCodes:
		return "", day.exhausted("codes_used_up", dailyCodes, now)
	case day.Tries >= dailyTries:
		return "", day.exhausted("tries_used_up", dailyTries, now)
	}
	code, err := newCode()
	if err != nil {
		return "", err
	}
	day.Codes++
	i.CodeHash, i.SentAt, i.Tries = k.Hash(invitation, code), &now, 0
	return code, nil
}

// try checks a code against the one required by the invitation, and counts wrong ones.
func (i *identity) try(k record.CodeKey, inv *record.Invitation, code string, now time.Time) (good bool, err error) {
	fresh := i.SentAt != nil && now.Sub(*i.SentAt) < codeLifetime
	day := i.today(now)
	switch {
	case day.Tries >= dailyTries:
		return false, day.exhausted("tries_used_up", dailyTries, now)
	case fresh && i.Tries >= codeTries:
		return false, fault.Throttled(codeTries, codeLifetime-now.Sub(*i.SentAt))
	}
	want := inv.AccessCodeHash
	if inv.Authentication == record.ByEmailCode {
		want = ""
		if fresh {
			want = i.CodeHash
		}
	}
	if want != "" && k.Fits(inv.ID, code, want) {
		return true, nil
	}
	if inv.Authentication == record.ByAccessCode && !fresh {
		i.SentAt, i.Tries = &now, 0 // a new counting period
	}
	i.Tries++
	day.Tries++
	return false, nil
}

// RequestCode makes a new code for the invited person. It is mailed to them or, if no mail can be sent, kept in the
// company's outbox for members who may send the document.
func (s *Signing) RequestCode(who account.Call, id, invitation string) error {
	if !who.IsSignatoryOf(id, invitation) {
		return fault.NotFound("invitation")
	}
	refund, err := s.mayMail(who.CompanyID, who.Email)
	if err != nil {
		return err
	}
	err = s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		d, err := store.Load(tx, who, id)
		if err != nil {
			return err
		}
		inv := d.Invitation(invitation)
		if inv == nil || inv.Authentication != record.ByEmailCode {
			return fault.Conflict("no_code_needed")
		}
		// People who have signed may return for the completed file.
		if err := d.Running(tx.Now); err != nil && d.Status != record.Completed {
			return err
		}
		state, err := identityOf(tx, invitation)
		if err != nil {
			return err
		}
		code, err := state.newCode(s.linkKey, invitation, tx.Now)
		if err != nil {
			return err
		}
		if err := s.countMail(tx, who.CompanyID, who.Email); err != nil {
			return err
		}
		if err := errors.Join(identities.Put(tx, invitation, state), s.forget(tx, CodeName(invitation))); err != nil {
			return err
		}
		return s.mailer(tx, account.Mail{Kind: MailCode, To: inv.Email, Name: inv.Name, Locale: localeOf(d, inv),
			Company: d.Company, Document: d.ID, Invitation: inv.ID,
			Link: CodeName(inv.ID), Expires: tx.Now.Add(codeLifetime),
			Data: map[string]string{"code": code, "title": d.Title, "minutes": fmt.Sprint(int(codeLifetime.Minutes()))},
			Key:  string(MailCode) + "/" + s.id()})
	})
	if err != nil {
		refund()
	}
	return err
}

// CodeName names the newest code of an invitation to the outbox.
func CodeName(invitation string) string { return "code/" + invitation }

// newCode returns six digits, uniformly distributed.
func newCode() (string, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%06d", n), nil
}

func localeOf(d *record.Document, inv *record.Invitation) string {
	if inv.Locale != "" {
		return inv.Locale
	}
	return d.Locale
}

func identityOf(tx *kv.Tx, invitation string) (identity, error) {
	return proofOf(tx, identities, invitation)
}

func proofOf(tx *kv.Tx, proofs *kv.Collection[identity], key string) (identity, error) {
	state, err := proofs.Get(tx, key)
	if err == kv.ErrNotFound {
		return identity{}, nil
	}
	return state, err
}

// Identify checks the code that an invitation requires and returns a token with which the
// person can continue for an hour.
func (s *Signing) Identify(who account.Call, id, invitation, code string) (string, error) {
	if !who.IsSignatoryOf(id, invitation) {
		return "", fault.NotFound("invitation")
	}
	d, err := s.store.Get(who, id)
	if err != nil {
		return "", err
	}
	inv := d.Invitation(invitation)
	if inv == nil {
		return "", fault.NotFound("invitation")
	}
	if err := s.prove(who, inv, code, usesUp); err != nil {
		return "", err
	}
	return s.accounts.Authentication.SignatoryToken(d.Company, d.ID, inv.ID, inv.Name, inv.Email, record.IdentifiedFor)
}

// spending reports whether the proof uses up a correct code.
type spending bool

const (
	keepsCode spending = false // the operation it was entered for may still be refused
	usesUp    spending = true
)

// prove checks a code against the one required by the invitation. Wrong codes also count
// against the caller's network.
func (s *Signing) prove(who account.Call, inv *record.Invitation, code string, spend spending) error {
	return s.proveWith(who, inv, code, spend, identities)
}

func (s *Signing) proveWith(
	who account.Call, inv *record.Invitation, code string, spend spending, proofs *kv.Collection[identity],
) error {
	if inv.Authentication == record.ByLink {
		return nil
	}
	if code == "" {
		return fault.Invalid("code", "required")
	}
	network := turns.Network(who.IP)
	_, wait, within := s.guesses.Allow(network)
	good, err := s.tryCode(who, inv, code, spend, proofs, func(tx *kv.Tx, day *tally) error {
		if day.Tries == 0 {
			return nil
		}
		if within {
			var err error
			if wait, err = s.guessesToday.Wait(tx, network); err != nil || wait == 0 {
				return err
			}
		}
		return fault.Exhausted("tries_used_up", networkTries, wait)
	})
	if within && (good || err != nil) {
		s.guesses.Refund(network) // only wrong codes count
	}
	if err == nil && !good {
		return fault.Invalid("code", "wrong_code")
	}
	return err
}

// tryCode reports whether a code is right. Attempts are counted in a separate transaction,
// because they count even if nothing else is stored.
func (s *Signing) tryCode(
	who account.Call, inv *record.Invitation, code string, spend spending, proofs *kv.Collection[identity],
	allow func(tx *kv.Tx, day *tally) error,
) (good bool, err error) {
	network := turns.Network(who.IP)
	err = s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		state, err := proofOf(tx, proofs, inv.ID)
		if err != nil {
			return err
		}
		if err := allow(tx, state.today(tx.Now)); err != nil {
			return err
		}
		if good, err = state.try(s.linkKey, inv, code, tx.Now); err != nil {
			return err
		}
		if good {
			if spend == keepsCode {
				return nil
			}
			state.CodeHash = ""
			if err := s.forget(tx, CodeName(inv.ID)); err != nil {
				return err
			}
		}
		if !good {
			if _, err := s.guessesToday.Spend(tx, network); err != nil {
				return err
			}
			if inv.Authentication == record.ByEmailCode && state.SentAt == nil {
				return nil // no code was ever sent: there is nothing to guess, and nothing to count
			}
		}
		return proofs.Put(tx, inv.ID, state)
	})
	return good, err
}

// spendCode invalidates a code that has served its purpose.
func (s *Signing) spendCode(tx *kv.Tx, invitation string) error {
	state, err := identityOf(tx, invitation)
	if err != nil || state.CodeHash == "" {
		return err
	}
	state.CodeHash = ""
	return errors.Join(identities.Put(tx, invitation, state), s.forget(tx, CodeName(invitation)))
}

// Stranger is somebody who was not invited and states who they are, behind a public link.
type Stranger struct {
	Company, Link string // the public link
	Title         string // of what they want to sign
	Name, Email   string
	IP, Locale    string
}

// visitors holds the proofs of strangers, by the link and the address they stated.
var visitors = kv.NewCollection("visitors", kv.JSON[identity]())

// visitor returns the key of a stranger's proof, in which the address can't be read.
func (s *Signing) visitor(v Stranger) string {
	m := hmac.New(sha256.New, s.linkKey)
	m.Write([]byte("visitor\x00" + v.Link + "\x00" + input.FoldEmail(v.Email)))
	return v.Link + "/" + hex.EncodeToString(m.Sum(nil))
}

// SendVisitorCode mails a code to the address that a stranger stated. allow is called first in
// the transaction that sends it.
func (s *Signing) SendVisitorCode(v Stranger, allow func(tx *kv.Tx) error) error {
	refund, err := s.mayMail(v.Company, v.Email)
	if err != nil {
		return err
	}
	err = s.db.For(v.Company).Update(func(tx *kv.Tx) error {
		if err := allow(tx); err != nil {
			return err
		}
		key := s.visitor(v)
		state, err := proofOf(tx, visitors, key)
		if err != nil {
			return err
		}
		code, err := state.newCode(s.linkKey, key, tx.Now)
		if err != nil {
			return err
		}
		err = errors.Join(s.countMail(tx, v.Company, v.Email), visitors.Put(tx, key, state),
			s.forget(tx, CodeName(key)))
		if err != nil {
			return err
		}
		return s.mailer(tx, account.Mail{Kind: MailCode, To: v.Email, Name: v.Name, Locale: v.Locale,
			Company: v.Company, Link: CodeName(key), Expires: tx.Now.Add(codeLifetime),
			Data: map[string]string{"code": code, "title": v.Title, "minutes": fmt.Sprint(int(codeLifetime.Minutes()))},
			Key:  string(MailCode) + "/" + s.id()})
	})
	if err != nil {
		refund()
	}
	return err
}

// ProveVisitor checks the code that was mailed to a stranger, which stays valid. Wrong codes
// also count against the caller's network.
func (s *Signing) ProveVisitor(v Stranger, code string) error {
	inv := &record.Invitation{ID: s.visitor(v), Authentication: record.ByEmailCode}
	return s.proveWith(account.System(v.Company).Call(account.From{IP: v.IP}), inv, code, keepsCode, visitors)
}

// SpendVisitor invalidates a stranger's code in the transaction that it was entered for. It
// refuses a code that has served another purpose meanwhile, or that another one has replaced.
func (s *Signing) SpendVisitor(tx *kv.Tx, v Stranger, code string) error {
	state, err := proofOf(tx, visitors, s.visitor(v))
	if err != nil {
		return err
	}
	if state.CodeHash == "" || !record.CodeKey(s.linkKey).Fits(s.visitor(v), code, state.CodeHash) {
		return fault.Invalid("code", "wrong_code")
	}
	state.CodeHash = ""
	return errors.Join(visitors.Put(tx, s.visitor(v), state), s.forget(tx, CodeName(s.visitor(v))))
}

// SweepVisitors removes the proofs of strangers that no longer matter.
func (s *Signing) SweepVisitors(context.Context) error {
	return s.db.Update(func(tx *kv.Tx) error {
		var old []string
		err := visitors.Each(tx, "", nil, func(key string, state identity) (bool, error) {
			if tx.Now.Sub(state.Day.Began) >= 24*time.Hour {
				old = append(old, key)
			}
			return len(old) < 1000, nil
		})
		for _, key := range old {
			err = errors.Join(err, visitors.Delete(tx, key))
		}
		return err
	})
}
