package signing

import (
	"errors"
	"sync"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// changes makes single changes to documents. Every one is a transaction that also appends to
// the journal and replans the document's jobs.
type changes struct {
	db       *kv.DB
	store    *store.Store
	schedule *schedule
	locks    *locks // by identifier: slow work on one document runs one at a time
}

// step is the common path of operations that only change the state.
func (s *changes) step(
	who account.Call, id string,
	may func(tx *kv.Tx, d *record.Document) error,
	move func(tx *kv.Tx, d *record.Document) (record.Event, error),
) (*record.Document, error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return nil, err
	}
	return s.store.Update(who, id, func(tx *kv.Tx, d *record.Document) ([]record.Event, error) {
		if may != nil {
			if err := may(tx, d); err != nil {
				return nil, err
			}
		}
		event, err := move(tx, d)
		if err != nil {
			return nil, err
		}
		return []record.Event{event}, s.schedule.plan(tx, d)
	})
}

// respond is the common path of everything an invited person does apart from signing.
func (s *changes) respond(
	who account.Call, id, invitation string,
	change func(tx *kv.Tx, d *record.Document, inv *record.Invitation) ([]record.Event, error),
) (*record.Document, error) {
	if err := mayAct(who, id, invitation); err != nil {
		return nil, err
	}
	return s.onInvitation(who, id, invitation, func(tx *kv.Tx, d *record.Document, inv *record.Invitation) ([]record.Event, error) {
		if !record.IsIdentified(who.Actor, inv) {
			return nil, notIdentified()
		}
		return change(tx, d, inv)
	})
}

func (s *changes) onInvitation(
	who account.Call, id, invitation string,
	change func(tx *kv.Tx, d *record.Document, inv *record.Invitation) ([]record.Event, error),
) (*record.Document, error) {
	return s.store.Update(who, id, func(tx *kv.Tx, d *record.Document) ([]record.Event, error) {
		inv := d.Invitation(invitation)
		if inv == nil {
			return nil, fault.NotFound("invitation")
		}
		events, err := change(tx, d, inv)
		if err != nil {
			return nil, err
		}
		inv.UpdatedAt = tx.Now
		return events, s.schedule.plan(tx, d)
	})
}

// onTime makes a scheduled change. A document that was deleted or has moved on is left unchanged.
func (s *changes) onTime(company, id string, change func(tx *kv.Tx, d *record.Document) ([]record.Event, error)) error {
	return s.onTimeBy(account.System(company), id, change)
}

// onTimeBy is like onTime for a change that somebody causes.
func (s *changes) onTimeBy(who account.Call, id string, change func(tx *kv.Tx, d *record.Document) ([]record.Event, error)) error {
	err := s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		d, err := store.Load(tx, who, id)
		if err != nil {
			return err
		}
		events, err := change(tx, d)
		if err != nil {
			return err
		}
		gaveUp := len(d.DueJobs) > 0
		// Always reschedule: the running job was the document's only one of its kind.
		if err := s.schedule.plan(tx, d); err != nil {
			return err
		}
		if gaveUp && len(d.DueJobs) == 0 {
			events = append(events, record.NewEvent(record.EventDocumentCaughtUp))
		}
		if len(events) == 0 {
			return nil
		}
		return s.store.Save(tx, who, d, events...)
	})
	if fault.KindOf(err) == fault.KindNotFound {
		return nil
	}
	return err
}

// codeBusy is returned when a document keeps changing meanwhile.
const codeBusy fault.Code = "document_busy"

// retry repeats slow work if the document changes in the meantime.
func retry(work func() (*record.Document, error)) (*record.Document, error) {
	var err error
	for range attempts {
		var d *record.Document
		if d, err = work(); !errors.Is(err, store.ErrChanged) {
			return d, err
		}
	}
	return nil, fault.Conflict(codeBusy).Because(err)
}

// lock serializes slow work on one document, so that it is not done twice. Correctness
// does not depend on it: versions are checked at the commit.
func (s *changes) lock(id string) (unlock func()) { return s.locks.lock(id) }

// locks are mutexes by name. Each exists only while it is held or awaited, because the
// names come from callers and are unbounded.
type locks struct {
	mu sync.Mutex
	of map[string]*sharedLock
}

type sharedLock struct {
	sync.Mutex
	users int // number of holders and waiters
}

func (l *locks) lock(name string) (unlock func()) {
	l.mu.Lock()
	if l.of == nil {
		l.of = map[string]*sharedLock{}
	}
	one := l.of[name]
	if one == nil {
		one = &sharedLock{}
		l.of[name] = one
	}
	one.users++
	l.mu.Unlock()
	one.Lock()
	return func() {
		one.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(l.of, name)
		}
	}
}

// attempts is the maximum number of attempts after concurrent changes.
const attempts = 5
