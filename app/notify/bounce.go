package notify

import (
	"errors"
	"io"
	"slices"
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/mail"
	"paraph/kv"
)

// Bounce marks a message of the company as returned, according to a delivery report, and
// records that on the document it was about. Reading the same report again changes nothing.
func (s *Service) Bounce(who account.Call, report io.Reader) (m Message, err error) {
	if err := admin(who); err != nil {
		return Message{}, err
	}
	b, err := mail.ParseBounce(report)
	if errors.Is(err, mail.ErrNoBounce) {
		return Message{}, fault.Conflict("not_a_delivery_report").Because(err)
	}
	if err != nil {
		return Message{}, err
	}
	id, _, _ := strings.Cut(b.ID, "@")
	fresh, reply := false, ""
	err = s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if m, err = s.Messages.load(tx, who, strings.ToUpper(id)); err != nil {
			return err
		}
		i := slices.IndexFunc(b.Recipients, func(r mail.BouncedRecipient) bool {
			return r.Address == "" || strings.EqualFold(mail.Deliverable(r.Address), mail.Deliverable(m.To)) || len(b.Recipients) == 1
		})
		if i < 0 {
			return fault.NotFound("message")
		}
		if m.Status != Sent {
			return nil
		}
		fresh, reply = true, strings.TrimSpace(input.Visible(b.Recipients[i].Reply))
		if reply == "" {
			reply = b.Recipients[i].Status
		}
		m.Status, m.LastError = Bounced, reply
		return s.Messages.store(tx, m)
	})
	if err != nil {
		return Message{}, err
	}
	if fresh {
		err = s.returned(who, m, reply)
	}
	return m.changedBy(who), err
}

// returned records on a message's document that a member reported its return.
func (s *Service) returned(who account.Call, m Message, reply string) error {
	if m.Document == "" {
		return nil
	}
	var errs []error
	if m.Invitation != "" && slices.Contains(evidenceKinds, m.Kind) {
		errs = append(errs, s.sending.MailReturned(who, s.mailed(m, reply)))
	}
	return errors.Join(append(errs, s.sending.MailFailed(who, m.Document, m.To))...)
}
