package contact

import (
	"context"
	"errors"
	"time"

	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/kv"
)

// follower is the name of this package's place in the journal.
const follower = "contacts"

// Run remembers the people of sent documents, until ctx ends.
func (s *Service) Run(ctx context.Context) error { return s.follower.Run(ctx) }

// CaughtUp remembers the people of everything sent so far, without waiting for Run.
func (s *Service) CaughtUp(ctx context.Context) error { return s.follower.CaughtUp(ctx) }

// perTransaction is how many people are remembered in one transaction: it holds that many even with
// the longest notes and the most tags.
const perTransaction = 100

// person is a recipient of a document.
type person struct {
	company, document   string
	name, email, locale string
	organization, title string
	at                  time.Time
}

// addsPeople reports whether an event adds people to a document.
func addsPeople(_ *kv.Tx, e record.Entry) (bool, error) {
	switch e.Value.Type {
	case record.EventDocumentSent, record.EventInvitationDelegated, record.EventInvitationReplaced:
		return true, nil
	}
	return false, nil
}

// remember stores the people that an event added to a document.
func (s *Service) remember(tx *kv.Tx, e record.Entry, from int) (next int, err error) {
	people, err := s.peopleOf(tx, e)
	if err != nil {
		return 0, err
	}
	people = people[min(from, len(people)):]
	if len(people) > perTransaction {
		people, next = people[:perTransaction], from+perTransaction
	}
	for _, p := range people {
		if err := s.rememberOne(tx, p); err != nil {
			return 0, err
		}
	}
	return next, nil
}

// peopleOf lists the people that an event added to a document.
func (s *Service) peopleOf(tx *kv.Tx, e record.Entry) ([]person, error) {
	only := ""
	if e.Value.Type != record.EventDocumentSent {
		only = e.Value.Data["invitation"]
	}
	d, err := s.Store.Load(tx, e.Value.Company, e.Value.Document)
	if fault.KindOf(err) == fault.KindNotFound {
		return nil, nil // purged in the meantime
	}
	if err != nil {
		return nil, err
	}
	var out []person
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		if only == "" || only == inv.ID {
			out = append(out, person{company: d.Company, document: d.ID, name: inv.Name, email: inv.Email, locale: inv.Locale,
				organization: inv.Company, title: inv.JobTitle, at: e.At})
		}
	}
	return out, nil
}

func (s *Service) rememberOne(tx *kv.Tx, p person) error {
	_, c, err := contacts.Lookup(tx, "email", emailKey(p.company, p.email))
	switch {
	case errors.Is(err, kv.ErrNotFound):
		if full, err := s.full(tx, p.company); err != nil || full {
			return err
		}
		c = Contact{ID: s.NewID().String(), Company: p.company, Name: p.name, Email: p.email, Locale: p.locale,
			Organization: p.organization, JobTitle: p.title, CreatedAt: tx.Now, UpdatedAt: tx.Now}
	case err != nil:
		return err
	case c.LastDocument == p.document && !p.at.After(c.usedAt()):
		return nil
	}
	if c.LastDocument != p.document {
		c.Documents++
		c.LastDocument = p.document
	}
	// If a document is read late, it already has the people added by later events: those events
	// set their time.
	if p.at.After(c.usedAt()) {
		c.LastUsedAt = &p.at
	}
	return contacts.Put(tx, c.key(), c)
}
