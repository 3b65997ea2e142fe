package notify

import (
	"context"
	"errors"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/kv"
)

// ListWebhooks returns the webhooks of the company, oldest first.
func (s *Webhooks) ListWebhooks(who account.Call) (list []Webhook, err error) {
	if err := admin(who); err != nil {
		return nil, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		list, err = ofCompany(tx, who.CompanyID)
		return err
	})
	return list, err
}

func ofCompany(tx *kv.Tx, company string) (list []Webhook, err error) {
	err = webhooks.Each(tx, "company", kv.K(company), func(_ string, w Webhook) (bool, error) {
		list = append(list, w)
		return true, nil
	})
	return list, err
}

// GetWebhook returns one of the company's webhooks.
func (s *Webhooks) GetWebhook(who account.Call, id string) (w Webhook, err error) {
	if err := admin(who); err != nil {
		return Webhook{}, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		w, err = loadWebhook(tx, who, id)
		return err
	})
	return w, err
}

func loadWebhook(tx *kv.Tx, who account.Call, id string) (Webhook, error) {
	w, err := webhooks.Get(tx, id)
	if errors.Is(err, kv.ErrNotFound) || err == nil && w.Company != who.CompanyID {
		return Webhook{}, fault.NotFound("webhook")
	}
	return w, err
}

// CreateWebhook creates a webhook for all events from now on. The result contains its secret,
// which is not shown again.
func (s *Webhooks) CreateWebhook(who account.Call, in WebhookInput) (Webhook, error) {
	if err := admin(who); err != nil {
		return Webhook{}, err
	}
	w := Webhook{Company: who.CompanyID, Events: []string{AllEvents}, Enabled: true, Generation: 1}
	w.madeBy(who)
	if err := s.apply(&w, in); err != nil {
		return Webhook{}, err
	}
	err := s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		n, err := webhooks.Count(tx, "company", kv.K(who.CompanyID))
		if err != nil {
			return err
		}
		if n >= maxWebhooks {
			return fault.Conflict("too_many_webhooks", fault.Number("limit", maxWebhooks))
		}
		if w.From, err = s.Store.JournalHead(tx); err != nil {
			return err
		}
		w.ID, w.CreatedAt, w.UpdatedAt = s.NewID().String(), tx.Now, tx.Now
		return errors.Join(webhooks.Put(tx, w.ID, w), who.Once.Done(tx, w.ID))
	})
	if err != nil {
		return Webhook{}, err
	}
	return s.reveal(w), nil
}

// anyWebhook reports whether any company has a webhook.
func anyWebhook(tx *kv.Tx) (some bool, err error) {
	err = webhooks.Each(tx, "", nil, func(string, Webhook) (bool, error) {
		some = true
		return false, nil
	})
	return some, err
}

// UpdateWebhook changes a webhook. A paused webhook is not notified, and events during the
// pause are not delivered later; deliveries queued when it was paused resume.
func (s *Webhooks) UpdateWebhook(who account.Call, id string, in WebhookInput) (Webhook, error) {
	return s.edit(who, id, func(tx *kv.Tx, w *Webhook) (err error) {
		was := w.Enabled
		if err := s.apply(w, in); err != nil || was || !w.Enabled {
			return err
		}
		w.madeBy(who)
		if w.From, err = s.Store.JournalHead(tx); err != nil {
			return err
		}
		return s.pumpNext(tx, *w)
	})
}

// RotateSecret returns the webhook with a new secret, which is not shown again. For a day,
// messages are signed with both.
func (s *Webhooks) RotateSecret(who account.Call, id string) (Webhook, error) {
	w, err := s.edit(who, id, func(tx *kv.Tx, w *Webhook) error {
		w.Generation++
		w.OldUntil = new(tx.Now.Add(oldSecret))
		return nil
	})
	if err != nil {
		return Webhook{}, err
	}
	return s.reveal(w), nil
}

func (s *Webhooks) edit(who account.Call, id string, change func(tx *kv.Tx, w *Webhook) error) (w Webhook, err error) {
	if err := admin(who); err != nil {
		return Webhook{}, err
	}
	err = s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if w, err = loadWebhook(tx, who, id); err != nil {
			return err
		}
		if err := change(tx, &w); err != nil {
			return err
		}
		w.UpdatedAt = tx.Now
		return errors.Join(webhooks.Put(tx, w.ID, w), who.Once.Done(tx, w.ID))
	})
	if err != nil {
		return Webhook{}, err
	}
	return w, nil
}

// DeleteWebhook removes a webhook and its deliveries.
func (s *Webhooks) DeleteWebhook(ctx context.Context, who account.Call, id string) error {
	if err := admin(who); err != nil {
		return err
	}
	err := s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if _, err := loadWebhook(tx, who, id); err != nil {
			return err
		}
		return errors.Join(webhooks.Delete(tx, id), s.Jobs.Cancel(tx, pumpJob, id))
	})
	for more := true; more && err == nil; {
		err = s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) (err error) {
			more, err = removeOldest(tx, id, 0)
			return errors.Join(err, ctx.Err())
		})
	}
	return err
}
