package notify

import (
	"errors"
	"fmt"

	"paraph/kv"
)

// ExportRecords exports the webhooks of a company, without their secrets and deliveries, and the texts of its messages.
func (s *Webhooks) ExportRecords(tx *kv.Tx, company string, put func(kv.Item) error) error {
	if err := exportTexts(tx, company, put); err != nil {
		return err
	}
	return webhooks.Each(tx, "company", kv.K(company), func(id string, w Webhook) (bool, error) {
		it, err := webhooks.Pack(id, w)
		if err != nil {
			return false, err
		}
		return true, put(it)
	})
}

// ImportRecord returns the function that stores an item of this package, nil if it belongs to
// another. A webhook arrives paused: it gets a new secret here, which the receiver has to be
// given first.
func (s *Webhooks) ImportRecord(company string, it kv.Item) func(tx *kv.Tx) error {
	if it.In != webhooks.Name() {
		return importText(company, it)
	}
	return func(tx *kv.Tx) error {
		w, err := kv.Read[Webhook](it)
		switch {
		case err != nil:
			return err
		case w.Company != company || it.ID != w.ID:
			return fmt.Errorf("%w: webhook %q belongs to another company", kv.ErrCorrupt, it.ID)
		}
		w.Enabled, w.OldUntil, w.FailingSince, w.Days = false, nil, nil, nil
		if w.From, err = s.Store.JournalHead(tx); err != nil {
			return err
		}
		return webhooks.Add(tx, it.ID, w)
	}
}

// exportTexts exports the texts of a company with their changes.
func exportTexts(tx *kv.Tx, company string, put func(kv.Item) error) error {
	var errs []error
	for _, c := range []*kv.Collection[MailText]{mailTexts, textChanges} {
		errs = append(errs, c.Each(tx, "company", kv.K(company), func(id string, t MailText) (bool, error) {
			it, err := c.Pack(id, t)
			if err != nil {
				return false, err
			}
			return true, put(it)
		}))
	}
	return errors.Join(errs...)
}

// importText returns the function that stores a text, nil if the item is none.
func importText(company string, it kv.Item) func(tx *kv.Tx) error {
	for _, c := range []*kv.Collection[MailText]{mailTexts, textChanges} {
		if it.In != c.Name() {
			continue
		}
		return func(tx *kv.Tx) error {
			t, err := kv.Read[MailText](it)
			if err == nil && (t.Company != company || c == mailTexts && it.ID != textKey(company, t.Kind, t.Language)) {
				err = kv.ErrCorrupt
			}
			if err != nil {
				return err
			}
			return c.Add(tx, it.ID, t)
		}
	}
	return nil
}
