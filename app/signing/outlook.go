package signing

import (
	"context"
	"errors"
	"time"

	"paraph/app/account"
	"paraph/kv"
)

// NextReminder is when the next of those whose turn it is will be reminded, nil
// for never.
func (d *Document) NextReminder(now time.Time) *time.Time { return d.remindsNext(now) }

// WaitingFor are the names of those whose turn it is.
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

// PurgesAt is when a document in the trash is deleted for ever, nil for never.
func (s *Service) PurgesAt(d *Document) *time.Time { return s.purgesNext(d) }

// LastEvent is the identifier of the newest entry in the journal of a member's
// company, "" when there is none.
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

// VerifyFile reports on every signature of a file of a document as it stands.
func (s *Service) VerifyFile(ctx context.Context, who account.Actor, id, file string) (report *Report, err error) {
	if err := who.Require(account.ScopeRead); err != nil {
		return nil, err
	}
	d, err := s.see(who, id)
	if err != nil {
		return nil, err
	}
	f := d.file(file)
	if f == nil {
		return nil, account.NotFound("file")
	}
	select {
	case s.verifying <- struct{}{}:
		defer func() { <-s.verifying }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	content, err := s.Blobs.Concat(f.blobs()...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	return Verify(content, content.Size(), s.Keys.Roots(), s.Now())
}
