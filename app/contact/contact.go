// Package contact stores the people that a company writes to: their names and addresses,
// entered manually, imported, or remembered from the documents sent to them.
//
// Callers may rely on this: an e-mail address occurs only once in a company's contacts, however
// it is spelled; another company's contacts are invisible; and sending a document never waits
// for its people to be remembered.
package contact

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/app/turns"
	"paraph/kv"
)

// Options are the dependencies and settings of the service. Log is optional.
type Options struct {
	DB        *kv.DB
	Jobs      *kv.Jobs
	Store     *store.Store
	NewID     func() ulid.ULID
	Max       int // contacts of one company; 0 sets no limit
	TrashDays int // days after which the trash is emptied; 0 keeps it
	Log       *slog.Logger
}

// Service implements the rules for contacts. It is safe for concurrent use.
type Service struct {
	Options
	follower  *kv.Follower[record.Event]
	searching *turns.Queue
}

// New returns the service. Nothing is remembered until Run is called.
func New(o Options) *Service {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	cores := int64(runtime.GOMAXPROCS(0))
	s := &Service{Options: o, searching: turns.New(turns.Options{Slots: cores, Group: max(1, cores/2)})}
	s.follower = kv.NewFollower(kv.FollowerOptions[record.Event]{DB: o.DB, Log: store.Journal(), Name: follower,
		InTurn: true, Match: addsPeople, Do: s.remember})
	return s
}

// Contact is a person that a company writes to.
type Contact struct {
	ID           string
	Company      string // company that the contact belongs to
	Name         string
	Email        string
	Organization string   // the person's employer
	JobTitle     string   `json:",omitempty"`
	Phone        string   // free text
	Locale       string   // BCP 47, "" if unknown
	Note         string   // for the company's own members
	Tags         []string // in the given order, without duplicates
	Documents    int      // number of documents sent to this person
	LastDocument string   // the newest of them
	LastUsedAt   *time.Time
	CreatedAt    time.Time
	UpdatedAt    time.Time
	ArchivedAt   *time.Time
	DeletedAt    *time.Time
}

// The states of a contact.
const (
	Active   = "active"
	Archived = "archived" // neither suggested, nor listed unless asked for
	Deleted  = "deleted"  // in the trash
)

// Status returns the state of the contact.
func (c Contact) Status() string {
	switch {
	case c.DeletedAt != nil:
		return Deleted
	case c.ArchivedAt != nil:
		return Archived
	}
	return Active
}

// staff refuses signatories, and callers whose role or token lacks the scope.
func staff(who account.Call, scope account.Scope) error {
	if who.IsSignatory() {
		return fault.Forbidden("signatory_not_allowed")
	}
	return who.Require(scope)
}

// Get returns one contact.
func (s *Service) Get(who account.Call, id string) (c Contact, err error) {
	if err := staff(who, account.ScopeRead); err != nil {
		return Contact{}, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		c, err = load(tx, who, id)
		return err
	})
	return c, err
}

// full reports whether a company has as many contacts as it may have.
func (s *Service) full(tx *kv.Tx, company string) (bool, error) {
	if s.Max == 0 {
		return false, nil
	}
	n, err := contacts.Count(tx, "by_"+string(ByName), kv.K(company))
	return n >= s.Max, err
}

// Create adds a contact. An address that the company already has, even in the
// archive, is a fault of the field.
func (s *Service) Create(who account.Call, in Input) (c Contact, err error) {
	if err := staff(who, account.ScopeWrite); err != nil {
		return Contact{}, err
	}
	err = s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if full, err := s.full(tx, who.CompanyID); err != nil || full {
			return cmp.Or[error](err, fault.Conflict("company_full"))
		}
		c = Contact{ID: s.NewID().String(), Company: who.CompanyID, CreatedAt: tx.Now}
		return errors.Join(change(tx, &c, in), who.Once.Done(tx, c.ID))
	})
	if err != nil {
		return Contact{}, err
	}
	return c, nil
}

// Update applies the changes in the input.
func (s *Service) Update(who account.Call, id string, in Input) (Contact, error) {
	return s.edit(who, id, func(tx *kv.Tx, c *Contact) error { return change(tx, c, in) })
}

// Archive archives a contact, reversibly. Further calls change nothing.
func (s *Service) Archive(who account.Call, id string) (Contact, error) {
	return s.edit(who, id, func(tx *kv.Tx, c *Contact) error {
		switch {
		case c.DeletedAt != nil:
			return fault.Conflict("contact_deleted")
		case c.ArchivedAt == nil:
			c.ArchivedAt = &tx.Now
		}
		return put(tx, c)
	})
}

// Restore brings a contact back from the archive or the trash.
func (s *Service) Restore(who account.Call, id string) (Contact, error) {
	return s.edit(who, id, func(tx *kv.Tx, c *Contact) error {
		if c.DeletedAt != nil {
			if taken, err := taken(tx, c); err != nil {
				return err
			} else if taken {
				return fault.Conflict("email_taken.contact")
			}
		}
		c.ArchivedAt, c.DeletedAt = nil, nil
		return errors.Join(put(tx, c), s.Jobs.Cancel(tx, purgeJob, c.ID))
	})
}

// Delete moves a contact to the trash, from which it is purged later.
func (s *Service) Delete(who account.Call, id string) (Contact, error) {
	return s.edit(who, id, func(tx *kv.Tx, c *Contact) error {
		if c.DeletedAt != nil {
			return fault.Conflict("contact_deleted.already")
		}
		c.DeletedAt = &tx.Now
		return errors.Join(put(tx, c), s.purgeLater(tx, c))
	})
}

// edit is shared by all changes: it loads the contact for the actor, changes it, and stores it.
func (s *Service) edit(who account.Call, id string, change func(tx *kv.Tx, c *Contact) error) (c Contact, err error) {
	if err := staff(who, account.ScopeWrite); err != nil {
		return Contact{}, err
	}
	err = s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if c, err = load(tx, who, id); err != nil {
			return err
		}
		return errors.Join(change(tx, &c), who.Once.Done(tx, c.ID))
	})
	if err != nil {
		return Contact{}, err
	}
	return c, nil
}

// purgeJob deletes a contact whose retention time in the trash is over.
const purgeJob = "contact_purge"

type purging struct{ Company, ID string }

func (s *Service) purgeLater(tx *kv.Tx, c *Contact) error {
	if s.TrashDays == 0 {
		return nil
	}
	payload, err := json.Marshal(purging{c.Company, c.ID})
	if err != nil {
		return err
	}
	return s.Jobs.Add(tx, kv.Job{Kind: purgeJob, Scope: c.Company, Key: c.ID, Payload: payload, Due: c.DeletedAt.AddDate(0, 0, s.TrashDays)})
}

// Handler returns the job that empties the trash.
func (s *Service) Handler() kv.Handler {
	return kv.Handler{Kind: purgeJob, Timeout: time.Minute, Run: s.purge,
		Backoff: []time.Duration{time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour}}
}

func (s *Service) purge(_ context.Context, job kv.Job) error {
	var p purging
	if err := json.Unmarshal(job.Payload, &p); err != nil {
		return kv.Permanent(err)
	}
	return s.DB.For(p.Company).Update(func(tx *kv.Tx) error {
		c, err := contacts.Get(tx, key(p.Company, p.ID))
		if errors.Is(err, kv.ErrNotFound) || err == nil && c.DeletedAt == nil {
			return nil
		}
		if err != nil {
			return err
		}
		return contacts.Delete(tx, c.key())
	})
}
