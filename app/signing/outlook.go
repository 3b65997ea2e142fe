package signing

import (
	"context"
	"time"

	"paraph/app/account"
	"paraph/kv"
)

// NextReminder returns when the next of those whose turn it is will be reminded, nil for never.
func (d *Document) NextReminder(now time.Time) *time.Time { return d.remindsNext(now) }

// WaitingFor returns the names of those whose turn it is.
func (d *Document) WaitingFor() []string {
	var names []string
	if d.Status != Sent || d.declined() != nil {
		return nil
	}
	for i := range d.Invitations {
		if inv := &d.Invitations[i]; inv.open() && d.turn(inv) {
			names = append(names, inv.Name)
		}
	}
	return names
}

// PurgesAt returns when a document in the trash is permanently deleted, nil for never.
func (s *Service) PurgesAt(d *Document) *time.Time { return s.purgesNext(d) }

// LastEvent returns the identifier of the newest entry in the journal of a
// member's company, "" if there is none.
func (s *Service) LastEvent(_ context.Context, who account.Actor) (id string, err error) {
	if err := member(who, account.ScopeRead); err != nil {
		return "", err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		newest, _, err := journal.Scope(tx, who.CompanyID, kv.LogQuery{Descending: true, Limit: 1})
		if err == nil && len(newest) > 0 {
			id = newest[0].ID
		}
		return err
	})
	return id, err
}
