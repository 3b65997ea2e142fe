package notify

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/signing"
	"paraph/kv"
)

// Where no mail can be sent, links and codes for people wait in the outbox until a member
// passes them on by hand. They are shown only on request, which is recorded, and are removed
// once used, replaced, or expired.

// Private reports whether the message holds a link into an account, or a code that proves
// somebody's identity. Only [Service.Reveal] shows these.
func (m Message) Private() bool { return m.User != "" || m.Kind == string(signing.MailCode) }

// Revealable reports whether the message holds a working link or code that pages show only on
// request.
func (m Message) Revealable() bool { return m.Link != "" || m.Invitation != "" && m.hidden }

// Covered returns the message without its links and codes.
func (m Message) Covered() Message {
	m.hidden, m.Links = len(m.Secrets) > 0, slices.Clone(m.Links)
	m.forget()
	m.Links = nil
	return m
}

// Reveal shows a message with its link or code to a member who may pass it on by hand, and
// records that.
func (s *Service) Reveal(who account.Call, id string) (m Message, err error) {
	if err := admin(who); err != nil {
		return Message{}, err
	}
	err = s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if m, err = s.Messages.load(tx, who, id); err != nil {
			return err
		}
		m, err = s.reveal(tx, who, m)
		return err
	})
	if err != nil {
		return Message{}, err
	}
	return m, nil
}

func (s *Service) reveal(tx *kv.Tx, who account.Call, m Message) (Message, error) {
	if err := mayReveal(tx, who, m); err != nil {
		return Message{}, err
	}
	if m.Document != "" && m.Invitation != "" {
		err := s.sending.RecordShownLink(tx, who, m.Document, m.Invitation, m.Kind == string(signing.MailCode))
		if err != nil && fault.KindOf(err) != fault.KindNotFound {
			return Message{}, err
		}
	}
	m.Shown = append(m.Shown, Showing{Name: who.Name, Email: who.Email, At: tx.Now})
	return m, errors.Join(account.LinkShown(tx, m.Link), s.Messages.store(tx, m))
}

func mayReveal(tx *kv.Tx, who account.Call, m Message) error {
	switch {
	case m.Private() && m.Link == "":
		return fault.Conflict("nothing_to_hand_over")
	case m.User != "":
		return account.MayHandOver(tx, who, m.Company, m.User, account.MailKind(m.Kind))
	case m.Invitation != "" && !signing.MaySeeLinks(who):
		return who.Require(account.ScopeWrite)
	}
	return nil
}

// RevealInvite shows a member's newest invite that has not been passed on yet.
func (s *Service) RevealInvite(who account.Call, member string) (m Message, err error) {
	if err := admin(who); err != nil {
		return Message{}, err
	}
	err = s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		user, err := account.UserOf(tx, who.CompanyID, member)
		if err != nil {
			return err
		}
		m, err = s.Messages.newest(tx, "user", kv.K(who.CompanyID, user), string(account.MailInvite))
		if err != nil {
			return err
		}
		m, err = s.reveal(tx, who, m)
		return err
	})
	if err != nil {
		return Message{}, err
	}
	return m, nil
}

// RevealCode shows the code that an invited person requested, to members who may send the
// document.
func (s *Service) RevealCode(who account.Call, document, invitation string) (m Message, err error) {
	if _, err := s.sending.Get(who, document); err != nil {
		return Message{}, err
	}
	if !signing.MaySeeLinks(who) {
		return Message{}, who.Require(account.ScopeWrite)
	}
	err = s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if m, err = s.Messages.newest(tx, "link", kv.K(signing.CodeName(invitation)), string(signing.MailCode)); err != nil {
			return err
		}
		if m.Company != who.CompanyID || m.Document != document {
			return fault.NotFound("message")
		}
		m, err = s.reveal(tx, who, m)
		return err
	})
	if err != nil {
		return Message{}, err
	}
	return m, nil
}

// newest returns the newest message of a kind under an index key that holds an unused link or
// code.
func (s *Messages) newest(tx *kv.Tx, index string, key kv.Key, kind string) (m Message, err error) {
	id := ""
	err = outbox.Each(tx, index, key, func(found string, m Message) (bool, error) {
		if m.Kind == kind && m.Link != "" {
			id = max(id, found)
		}
		return true, nil
	})
	if err != nil {
		return Message{}, err
	}
	if id == "" {
		return Message{}, fault.NotFound("message")
	}
	return s.read(tx, id)
}

// Forget removes a link or code from the messages that hold it, because it was used, replaced,
// or expired.
func (s *Outbox) Forget(tx *kv.Tx, link string) error {
	var found []string
	err := outbox.Each(tx, "link", kv.K(link), func(id string, m Message) (bool, error) {
		found = append(found, id)
		return true, nil
	})
	for _, id := range found {
		if err != nil {
			return err
		}
		var m Message
		if m, err = s.Messages.read(tx, id); err != nil {
			return err
		}
		if m.Else != nil && m.Status != Kept {
			m.Else.Link, m.Else.Used = "", true // it may be on its way
		} else {
			m.forget()
		}
		m.Link = ""
		err = s.Messages.store(tx, m)
	}
	return err
}

// forgetJob forgets a link when it expires.
const forgetJob = "outbox_forget"

func (s *Outbox) forgetAt(tx *kv.Tx, company, link string, expires time.Time) error {
	if link == "" || expires.IsZero() {
		return nil
	}
	return s.Jobs.Add(tx, kv.Job{Kind: forgetJob, Scope: company, Key: link, Payload: []byte(link), Due: expires})
}

func (s *Outbox) forgetExpired(_ context.Context, job kv.Job) error {
	return s.DB.For(job.Scope).Update(func(tx *kv.Tx) error { return s.Forget(tx, string(job.Payload)) })
}

// ShownToOperator records that the operator of the machine was shown the link or code in a message
// to a recipient.
func (s *Service) ShownToOperator(m Message) error {
	if m.Document == "" || m.Invitation == "" {
		return nil
	}
	company := cmp.Or(m.Company, m.Origin)
	err := s.DB.For(company).Update(func(tx *kv.Tx) error {
		return s.sending.RecordShownLink(tx, account.System(company), m.Document, m.Invitation, m.Kind == string(signing.MailCode))
	})
	if fault.KindOf(err) == fault.KindNotFound {
		return nil // it was purged, so its links no longer work
	}
	return err
}

// ShowPrivate returns the messages to an address, or ("") those of the installation, that hold a
// working link or code, oldest first, and records that somebody was shown their links. It is meant
// for the operator of the machine.
func (s *Messages) ShowPrivate(address string) (all []Message, err error) {
	err = s.db.Update(func(tx *kv.Tx) error {
		all = nil
		err := outbox.Each(tx, "created", kv.K(everybody), func(_ string, m Message) (bool, error) {
			ours := address == "" && m.Company == "" || input.FoldEmail(m.To) == input.FoldEmail(address)
			if ours && (m.Revealable() || m.Kind == string(MailCheckpoints)) && m.Status != Sent {
				all = append(all, m)
			}
			return true, nil
		})
		for _, m := range all {
			err = errors.Join(err, account.LinkShown(tx, m.Link))
		}
		return err
	})
	return all, errors.Join(err, s.unsealAll(all))
}
