package app

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/oklog/ulid/v2"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/store"
	"paraph/kv"
)

// past holds what a test double can go back to.
type past struct {
	mu     sync.Mutex
	seeded *moment // nil on disk
	marks
}

// marks are the states that single companies can go back to.
type marks struct {
	begun     map[string]kv.Mark  // by company, when it was made
	snapshots map[string]snapshot // by identifier
}

// moment is everything as it was once.
type moment struct {
	*kv.Snapshot
	changes uint64 // of documents until then
	marks   marks
}

// snapshot is a company, or with "" everything, as it was when a test asked for it to be kept.
type snapshot struct {
	company string
	mark    kv.Mark // of the company
	all     *moment
	clocks  func() // sets them back
}

// maxSnapshots is how many snapshots a test double keeps.
const maxSnapshots = 1000

func (m marks) copied() marks { return marks{maps.Clone(m.begun), maps.Clone(m.snapshots)} }

// begin remembers a company of a store in memory as it is, to go back to.
func (p *past) begin(db *kv.DB, company string) error {
	mark, err := db.Mark(company)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun[company] = mark
	return nil
}

// beginAll remembers everything as it is, to go back to.
func (a *App) beginAll() error {
	a.past.marks = marks{map[string]kv.Mark{}, map[string]snapshot{}}
	companies, err := a.Accounts.Operator.AllCompanies(context.Background())
	for _, c := range companies {
		err = errors.Join(err, a.past.begin(a.db, c.ID))
	}
	if err != nil {
		return err
	}
	a.past.seeded, err = a.moment()
	return err
}

// moment remembers everything as it is.
func (a *App) moment() (*moment, error) {
	m := &moment{}
	err := a.db.View(func(tx *kv.Tx) (err error) {
		m.changes, _, err = store.Changes.Head(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	a.past.mu.Lock()
	m.marks = a.past.marks.copied()
	a.past.mu.Unlock()
	m.Snapshot, err = a.db.Snapshot()
	return m, err
}

// returnTo makes everything what it was. The search index follows the changes of documents, which
// therefore go on: those that were undone are changes once more.
func (a *App) returnTo(m *moment) error {
	if err := a.db.Rewind(m.Snapshot, store.Changes); err != nil {
		return err
	}
	a.past.mu.Lock()
	a.past.marks = m.marks.copied()
	a.past.mu.Unlock()
	head, undone, err := a.changesAfter(m.changes)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(undone, store.Batch) {
		err = errors.Join(err, a.db.Update(func(tx *kv.Tx) error {
			for _, c := range part {
				if err := a.Signing.Store.Reindex(tx, c.Company, c.Document); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	m.changes = head
	return err
}

// changesAfter lists the documents that were changed after the change with a number, and returns the number
// of the last one.
func (a *App) changesAfter(last uint64) (head uint64, all []store.Change, err error) {
	changed := map[store.Change]bool{}
	err = a.db.View(func(tx *kv.Tx) error {
		if head, _, err = store.Changes.Head(tx); err != nil {
			return err
		}
		for ; last < head; last = min(last+store.Batch, head) {
			entries, err := store.Changes.Next(tx, last, store.Batch)
			if err != nil {
				return err
			}
			for _, e := range entries {
				changed[e.Value] = true
			}
		}
		return nil
	})
	return head, slices.Collect(maps.Keys(changed)), err
}

// Reset restores a company of a test double to what it was when it was made, or with "" everything
// to the seed state. Files stay on disk, but nothing refers to them any more.
func (c Controls) Reset(ctx context.Context, company string) error {
	a := c.app
	if err := c.settled(ctx, company); err != nil {
		return err
	}
	if company == "" {
		a.Clock.Reset()
		if a.past.seeded == nil {
			return c.startOver(ctx)
		}
		return errors.Join(a.returnTo(a.past.seeded), c.forget())
	}
	a.past.mu.Lock()
	mark := a.past.begun[company]
	a.past.mu.Unlock()
	a.Clock.Rejoin(company)
	return c.rewind(company, mark)
}

// settled waits for the due work of a company, which must exist, or with "" of all of them.
func (c Controls) settled(ctx context.Context, company string) error {
	if company != "" {
		if c.app.past.seeded == nil {
			return errOnDisk
		}
		if err := c.app.db.View(func(tx *kv.Tx) error { _, err := account.LoadCompany(tx, company); return err }); err != nil {
			return err
		}
	}
	return c.Settle(ctx, company)
}

// errOnDisk refuses what only stores in memory can do.
var errOnDisk = fault.Conflict("data_on_disk")

// forget makes everything in memory agree with records that were replaced.
func (c Controls) forget() error {
	a := c.app
	a.pace.begin(a.Clock)
	a.Accounts.Reset()
	a.Signing.Lists.Reset()
	a.jobs.Nudge()
	return a.MailServer.Load()
}

// startOver empties a store on disk, which can't go back, and seeds it.
func (c Controls) startOver(ctx context.Context) error {
	a := c.app
	if err := errors.Join(a.db.Reset(), a.index.Reset(), c.forget()); err != nil {
		return err
	}
	if err := errors.Join(a.Signing.Upkeep.ScheduleRetention(), a.Checkpoints.Schedule(),
		a.Notify.ScheduleSweep(), a.Webhooks.ScheduleSweep()); err != nil {
		return err
	}
	return seed(ctx, a.Accounts, a.Signing)
}

// rewind lets a company go back to a mark, while others go on. The search index learns of every
// document that did, and snapshots that the company had not reached yet are gone.
func (c Controls) rewind(company string, to kv.Mark) error {
	a := c.app
	err := a.db.RewindScope(company, to, func(tx *kv.Tx, collection, id string) error {
		of, document, ok := strings.Cut(id, "/")
		if collection != store.Documents.Name() || !ok {
			return nil
		}
		return a.Signing.Store.Reindex(tx, of, document)
	})
	a.past.mu.Lock()
	maps.DeleteFunc(a.past.snapshots, func(_ string, s snapshot) bool { return s.company == company && s.mark > to })
	a.past.mu.Unlock()
	a.Accounts.ForgetTokens()
	a.jobs.Nudge()
	return err
}

// Snapshot keeps a company, or with "" everything, as it is.
func (c Controls) Snapshot(ctx context.Context, company string) (id string, err error) {
	a := c.app
	if err := c.settled(ctx, company); err != nil {
		return "", err
	}
	if a.past.seeded == nil {
		return "", errOnDisk
	}
	s := snapshot{company: company, clocks: a.Clock.Keep(company)}
	if company == "" {
		s.all, err = a.moment()
	} else {
		s.mark, err = a.db.Mark(company)
	}
	if err != nil {
		return "", err
	}
	a.past.mu.Lock()
	defer a.past.mu.Unlock()
	if len(a.past.snapshots) >= maxSnapshots {
		var f fault.Fields
		f.TooMany("snapshots", maxSnapshots)
		return "", f.Err()
	}
	id = ulid.Make().String()
	a.past.snapshots[id] = s
	if s.all != nil {
		s.all.marks.snapshots[id] = s
	}
	return id, nil
}

// Restore makes a company, or everything, what it was when a snapshot of it was made. With a company, only
// that company's snapshots are found.
func (c Controls) Restore(ctx context.Context, company, id string) error {
	a := c.app
	a.past.mu.Lock()
	s, ok := a.past.snapshots[id]
	a.past.mu.Unlock()
	if !ok || company != "" && s.company != company {
		return fault.NotFound("snapshot")
	}
	if err := c.settled(ctx, s.company); err != nil {
		return err
	}
	s.clocks()
	if s.all == nil {
		return c.rewind(s.company, s.mark)
	}
	return errors.Join(a.returnTo(s.all), c.forget())
}
