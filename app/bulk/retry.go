package bulk

import (
	"errors"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/kv"
)

// Cancel stops a run. The rows that wait are not made; documents that exist stay.
func (s *Service) Cancel(who account.Call, id string) (Run, error) {
	return s.change(who, id, func(tx *kv.Tx, r *Run) error {
		if r.State != Running {
			return nil
		}
		if err := s.Jobs.Cancel(tx, jobKind, r.ID); err != nil {
			return err
		}
		return s.end(tx, r, Cancelled)
	})
}

// Retry makes the failed rows wait again, and resumes a run that has stopped.
func (s *Service) Retry(who account.Call, id string) (r Run, err error) {
	for from, more := 0, true; more && err == nil; {
		r, err = s.change(who, id, func(tx *kv.Tx, r *Run) error {
			if r.State == Cancelled {
				return fault.Conflict("run_cancelled")
			}
			again, err := s.wait(tx, r, from)
			if err != nil {
				return err
			}
			if more = len(again) == perTransaction; more {
				from = again[len(again)-1].Number + 1 // those that fail again meanwhile are left alone
			}
			if len(again) == 0 && r.Counts.Waiting == 0 {
				return nil
			}
			r.State, r.EndedAt = Running, nil
			return errors.Join(runs.Put(tx, r.key(), *r), s.later(tx, r, tx.Now))
		})
	}
	return r, err
}

// wait makes failed rows wait again, from a number on, and returns them.
func (s *Service) wait(tx *kv.Tx, r *Run, from int) (again []Row, err error) {
	failed := kv.K(r.ID, string(Failed))
	err = rows.EachFrom(tx, "order", failed, failed.With(kv.KeyUint(uint64(from))), func(_ string, row Row) (bool, error) {
		again = append(again, row)
		return len(again) < perTransaction, nil
	})
	for _, row := range again {
		row.State, row.Faults = Waiting, nil
		err = errors.Join(err, rows.Put(tx, row.key(), row))
	}
	return again, err
}

// change is the common path of the changes that a caller makes.
func (s *Service) change(who account.Call, id string, do func(tx *kv.Tx, r *Run) error) (r Run, err error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return Run{}, err
	}
	err = s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if r, err = load(tx, who.CompanyID, id); err != nil {
			return err
		}
		if r.State == Preparing {
			return fault.NotFound("run")
		}
		return errors.Join(do(tx, &r), r.count(tx), who.Once.Done(tx, r.ID))
	})
	return r, err
}
