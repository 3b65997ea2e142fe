package notify

import (
	"errors"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/list"
	"paraph/kv"
)

// The administrators of the installation see which messages failed, in any company.
// What these say stays sealed.

// ListFailed lists the messages of all companies and of the installation that were
// not delivered, newest first, without their contents.
func (s *Messages) ListFailed(who account.Call, offset, limit int) (list.Page[Message], error) {
	return s.listEverywhere(who, Failed, offset, limit)
}

// ListHeld lists the messages whose link waits to be handed over by an administrator of the
// installation, newest first, without their contents.
func (s *Messages) ListHeld(who account.Call, offset, limit int) (list.Page[Message], error) {
	return s.listEverywhere(who, Kept, offset, limit)
}

func (s *Messages) listEverywhere(who account.Call, status string, offset, limit int) (all list.Page[Message], err error) {
	if !who.RunsInstallation() {
		return all, fault.NotFound("page")
	}
	err = s.db.View(func(tx *kv.Tx) error {
		p, err := outbox.Page(tx, kv.Query{Index: "everywhere", Prefix: kv.K(status), Descending: true, Offset: offset, Limit: limit})
		all.Items, all.Total = p.Items, p.Total
		return err
	})
	for i := range all.Items {
		all.Items[i].Sealed = nil
	}
	return all, err
}

// RetryFailed sends a failed message of any company, or of the installation, again.
func (s *Outbox) RetryFailed(who account.Call, id string) error {
	if !who.RunsInstallation() {
		return fault.NotFound("page")
	}
	return s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		m, err := s.Messages.read(tx, id)
		if errors.Is(err, kv.ErrNotFound) || err == nil && m.Status != Failed && m.Status != Bounced {
			return fault.NotFound("message")
		}
		if err != nil {
			return err
		}
		return s.editIn(tx, &m, s.again)
	})
}

// RevealHeld shows a message with its link to an administrator of the installation who may
// hand it over, and records that. The owners of the person's companies are notified of links with
// which the person chooses another password.
func (s *Service) RevealHeld(who account.Call, id string) (m Message, err error) {
	if !who.RunsInstallation() {
		return Message{}, fault.NotFound("page")
	}
	err = s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		m, err = s.Messages.read(tx, id)
		if errors.Is(err, kv.ErrNotFound) || err == nil && (m.Company != "" || m.User == "") {
			return fault.NotFound("message")
		}
		if err != nil {
			return err
		}
		if m, err = s.reveal(tx, who, m); err != nil {
			return err
		}
		notices, err := account.HandedOver(tx, who, m.User, m.To, account.MailKind(m.Kind))
		for _, notice := range notices {
			err = errors.Join(err, s.Mail(tx, notice))
		}
		return err
	})
	if err != nil {
		return Message{}, err
	}
	return m, nil
}

// MessageOf returns the identifier of the message that a job sends, "" for a job of
// another kind.
func MessageOf(job kv.Job) string {
	if job.Kind != sendJob {
		return ""
	}
	return string(job.Payload)
}

// MigrateEverywhere adds the index of the messages that the administrators of the
// installation see. It may be run repeatedly.
func MigrateEverywhere(db *kv.DB) error { return outbox.Rebuild(db) }
