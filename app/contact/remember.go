package contact

import (
	"context"
	"errors"
	"time"

	"paraph/app/account"
	"paraph/app/signing"
	"paraph/kv"
)

// follower names this package's place in the journal.
const follower = "contacts"

// Run remembers the people of documents that are sent, until ctx ends.
func (s *Service) Run(ctx context.Context) error { return s.DB.Follow(ctx, follower, s.step) }

const (
	// steps is how many events are looked at in one go.
	steps = 256

	// stride is after how many events the place is written down although there
	// was nobody to remember: looking at them again is cheaper than a commit for
	// each.
	stride = 2000

	// together is how many people are read or written in one transaction: as many
	// with the longest notes and the most words fit into one.
	together = 100
)

// person is somebody whom a document was sent to.
type person struct {
	company, document   string
	name, email, locale string
	at                  time.Time
}

// step remembers the people of the next events.
func (s *Service) step(context.Context) (more bool, err error) {
	s.following.Lock()
	defer s.following.Unlock()
	var stored, from, to uint64
	var people []person
	err = s.DB.View(func(tx *kv.Tx) error {
		if stored, err = kv.Place(tx, follower); err != nil {
			return err
		}
		from = max(stored, s.passed)
		entries, err := s.Signing.NextEvents(tx, from, steps)
		if err != nil {
			return err
		}
		to, more = from, len(entries) == steps
		for _, e := range entries {
			more, err := s.peopleOf(tx, e)
			if err != nil {
				return err
			}
			people, to = append(people, more...), e.Seq
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	if len(people) == 0 && to-stored < stride {
		s.passed = to
		return more, nil
	}
	if err := s.remember(people, to); err != nil {
		return false, err
	}
	s.passed = to
	return more, nil
}

// peopleOf gives whom an event has brought into a document.
func (s *Service) peopleOf(tx *kv.Tx, e signing.Entry) ([]person, error) {
	only := ""
	switch e.Value.Type {
	case "document.sent":
	case "invitation.delegated", "invitation.replaced":
		only = e.Value.Data["invitation"]
	default:
		return nil, nil
	}
	d, err := s.Signing.Load(tx, e.Value.Company, e.Value.Document)
	if account.KindOf(err) == account.KindNotFound {
		return nil, nil // purged since
	}
	if err != nil {
		return nil, err
	}
	var out []person
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		if only == "" || only == inv.ID {
			out = append(out, person{company: d.Company, document: d.ID, name: inv.Name, email: inv.Email, locale: inv.Locale, at: e.At})
		}
	}
	return out, nil
}

// remember stores people, then the place in the journal. Doing it again, after
// an end in the middle, does not count the same document again.
func (s *Service) remember(people []person, place uint64) error {
	for {
		some := people[:min(together, len(people))]
		people = people[len(some):]
		err := s.DB.Update(func(tx *kv.Tx) error {
			var errs []error
			for _, p := range some {
				errs = append(errs, s.rememberOne(tx, p))
			}
			if len(people) == 0 {
				errs = append(errs, kv.SetPlace(tx, follower, place))
			}
			return errors.Join(errs...)
		})
		if err != nil || len(people) == 0 {
			return err
		}
	}
}

func (s *Service) rememberOne(tx *kv.Tx, p person) error {
	_, c, err := contacts.Lookup(tx, "email", emailKey(p.company, p.email))
	switch {
	case errors.Is(err, kv.ErrNotFound):
		c = Contact{ID: s.NewID().String(), Company: p.company, Name: p.name, Email: p.email, Locale: p.locale, CreatedAt: tx.Now, UpdatedAt: tx.Now}
	case err != nil:
		return err
	case c.LastDocument == p.document && !p.at.After(c.usedAt()):
		return nil
	}
	if c.LastDocument != p.document {
		c.Documents++
		c.LastDocument = p.document
	}
	// A document that is read late already has the people whom later events
	// brought into it: theirs is the time of those.
	if p.at.After(c.usedAt()) {
		c.LastUsedAt = &p.at
	}
	return contacts.Put(tx, c.key(), c)
}

// CaughtUp remembers the people of everything that was sent so far, rather than
// wait until Run does.
func (s *Service) CaughtUp(ctx context.Context) error {
	for ctx.Err() == nil {
		if more, err := s.step(ctx); err != nil || !more {
			return err
		}
	}
	return ctx.Err()
}

// Reset forgets what is held in memory, after the store was emptied.
func (s *Service) Reset() {
	s.following.Lock()
	defer s.following.Unlock()
	s.passed = 0
}
