package signing

import (
	"context"

	"paraph/app/signing/record"
	"paraph/kv"
)

// MailFailed records that a message about a document could not be delivered, so
// that its owner sees it.
func (s *Service) MailFailed(_ context.Context, company, id, address string) error {
	return s.onTime(company, id, func(_ *kv.Tx, d *Document) ([]Event, error) {
		if d.Owner.Email == address || d.Status != record.Sent || d.Attention.Kind != "" {
			return nil, nil
		}
		d.Needs(d.Undelivered(address))
		return []Event{record.NewEvent(record.EventDocumentMailFailed).With("email", address)}, nil
	})
}

// MailDelivered clears the failure that [Service.MailFailed] recorded, once a
// later attempt succeeds.
func (s *Service) MailDelivered(_ context.Context, company, id, address string) error {
	return s.onTime(company, id, func(_ *kv.Tx, d *Document) ([]Event, error) {
		if !d.Attention.Delivered(address) {
			return nil, nil
		}
		d.Needs(Attention{})
		d.NeedsCode()
		return []Event{record.NewEvent(record.EventDocumentMailDelivered).With("email", address)}, nil
	})
}
