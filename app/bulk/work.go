package bulk

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/kv"
)

// jobKind is the kind of the jobs that work on runs.
const jobKind = "bulk"

// perJob is how many rows one job makes before other companies have their turn; atOnce is how
// many of those are made concurrently, so that they share the writes to disk.
const (
	perJob = 64
	atOnce = 16
)

// payload identifies a run in a job.
type payload struct{ Company, Run string }

// later schedules the next job of a run, in place of any that is already scheduled.
func (s *Service) later(tx *kv.Tx, r *Run, due time.Time) error {
	b, err := json.Marshal(payload{r.Company, r.ID})
	if err != nil {
		return err
	}
	return s.Jobs.Add(tx, kv.Job{Kind: jobKind, Scope: r.Company, Key: r.ID, Payload: b, Due: due})
}

// waits are the pauses after failures that may be temporary, such as of a timestamp authority.
// The rows that still fail after the last one are marked as failed.
func waits() []time.Duration {
	return []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute}
}

// Handler returns the job that works on runs, for the worker pool.
func (s *Service) Handler() kv.Handler {
	return kv.Handler{Kind: jobKind, Backoff: waits(), Timeout: 15 * time.Minute, Run: s.run}
}

func (s *Service) run(ctx context.Context, job kv.Job) error {
	var p payload
	if err := json.Unmarshal(job.Payload, &p); err != nil {
		return kv.Permanent(err)
	}
	var r Run
	err := s.DB.View(func(tx *kv.Tx) (err error) {
		r, err = load(tx, p.Company, p.Run)
		return err
	})
	switch {
	case fault.KindOf(err) == fault.KindNotFound:
		return nil
	case err != nil:
		return err
	case r.State == Running:
		return s.work(ctx, &r, job.Attempts > len(waits()))
	}
	return s.forget(&r) // it ended long ago, or was never stored completely
}

// work makes the documents of the next rows and arranges for what comes after them. last means
// that rows that fail are not tried again.
func (s *Service) work(ctx context.Context, r *Run, last bool) error {
	b := batch{Service: s, run: r, last: last}
	began, err := b.begin(r.step())
	if err != nil {
		return err
	}
	var g errgroup.Group // the failure of one row does not stop the others
	g.SetLimit(atOnce)
	for i := range b.rows {
		g.Go(func() error { return b.make(ctx, &b.rows[i]) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return s.DB.For(r.Company).Update(func(tx *kv.Tx) error {
		now, err := load(tx, r.Company, r.ID)
		switch {
		case fault.KindOf(err) == fault.KindNotFound:
			return nil
		case err != nil || now.State != Running:
			return err
		case now.Counts.Waiting > 0:
			return s.later(tx, &now, began.Add(r.pause(len(b.rows))))
		}
		return s.end(tx, &now, Finished)
	})
}

// step returns how many rows are made in one job: at most as many as are due in five seconds.
func (r *Run) step() int {
	if r.PerMinute == 0 {
		return perJob
	}
	return min(perJob, max(1, r.PerMinute/12))
}

// pause returns how much time n rows take at the run's pace.
func (r *Run) pause(n int) time.Duration {
	if r.PerMinute == 0 {
		return 0
	}
	return time.Duration(n) * time.Minute / time.Duration(r.PerMinute)
}

// end stores that a run is over, and when it is to be forgotten.
func (s *Service) end(tx *kv.Tx, r *Run, state State) error {
	r.State, r.EndedAt = state, &tx.Now
	return errors.Join(runs.Put(tx, r.key(), *r), s.later(tx, r, tx.Now.AddDate(0, 0, s.KeepDays)))
}

// batch is the rows of one job.
type batch struct {
	*Service
	run      *Run
	who      account.Actor
	template signing.Document
	blocked  error // why no document can be made
	rows     []Row
	last     bool
}

// begin reads what the batch needs, and returns the time.
func (b *batch) begin(n int) (now time.Time, err error) {
	err = b.DB.View(func(tx *kv.Tx) error {
		now = tx.Now
		if b.template, err = templates.Get(tx, b.run.key()); err != nil {
			return err
		}
		p, err := rows.Page(tx, kv.Query{Index: "order", Prefix: kv.K(b.run.ID, string(Waiting)), Limit: n})
		if err != nil {
			return err
		}
		b.rows = p.Items
		b.who, b.blocked, err = b.run.By.actor(tx, b.run.Company)
		return err
	})
	if err != nil || b.blocked != nil {
		return now, err
	}
	t, err := b.Templates.Get(context.Background(), account.System(b.run.Company), b.run.Template)
	switch {
	case fault.KindOf(err) == fault.KindNotFound || err == nil && t.DeletedAt != nil:
		b.blocked = fault.NotFound("template")
	case err != nil:
		return now, err
	}
	return now, nil
}

// actor returns the member who started the run, with the rights they have now, and why they
// can't go on.
func (b Sender) actor(tx *kv.Tx, company string) (who account.Actor, blocked, err error) {
	m, err := account.LoadMember(tx, company, b.ID)
	may := err == nil && m.Status == account.MemberActive && m.Role.Allows(account.ScopeWrite)
	switch {
	case fault.KindOf(err) == fault.KindNotFound, err == nil && !may:
		return who, fault.Conflict("sender_left", fault.Text("name", b.Name)), nil
	case err != nil:
		return who, nil, err
	}
	who = account.Actor{Kind: b.Kind, UserID: m.UserID, CompanyID: company, TokenID: b.TokenID, Name: m.Name,
		Email: m.Email, Role: m.Role, Scopes: []account.Scope{account.ScopeRead, account.ScopeWrite}}
	return who.From(b.IP, b.UserAgent, ""), nil, nil
}

// Reasons to leave a row as it is.
var (
	errTaken   = errors.New("bulk: the row is made already")
	errStopped = errors.New("bulk: the run was cancelled")
)

// make makes the document of a row. The row is marked in the transaction that stores the
// document: whatever happens, both or neither are done.
func (b *batch) make(ctx context.Context, row *Row) error {
	c, err := b.open(row)
	if err == nil {
		err = b.blocked
	}
	if err == nil {
		err = b.use(ctx, row, c.Input)
	}
	switch kind := fault.KindOf(err); {
	case err == nil, errors.Is(err, errTaken), errors.Is(err, errStopped):
		return nil
	case ctx.Err() != nil:
		return err
	case !b.last && (kind == fault.KindInternal || kind == fault.KindUnavailable || kind == fault.KindNoSpace):
		return err
	}
	b.Log.Warn("row of a bulk run failed", "run", b.run.ID, "row", row.Number, "error", err)
	return b.fail(row, named(b.run.Columns, c.Input, faultsOf(err)))
}

func (b *batch) use(ctx context.Context, row *Row, content RowInput) error {
	in := content.use(b.run.Send, b.run.BaseURL)
	in.Run = b.run.ID
	in.With = func(tx *kv.Tx, d *signing.Document) error {
		now, err := b.mine(tx, row)
		if err != nil {
			return err
		}
		now.State, now.Document, now.Faults, now.Sealed = Made, d.ID, nil, nil
		return rows.Put(tx, now.key(), now)
	}
	_, err := b.Templates.UseVersion(ctx, b.who, &b.template, in)
	return err
}

// mine reads a row and returns an error unless it is still to be made.
func (b *batch) mine(tx *kv.Tx, row *Row) (Row, error) {
	run, err := runs.Get(tx, b.run.key())
	if err != nil {
		return Row{}, err
	}
	if run.State != Running {
		return Row{}, errStopped
	}
	now, err := rows.Get(tx, row.key())
	if err == nil && now.State != Waiting {
		err = errTaken
	}
	return now, err
}

// fail marks a row as failed.
func (b *batch) fail(row *Row, why []fault.Field) error {
	err := b.DB.For(b.run.Company).Update(func(tx *kv.Tx) error {
		now, err := b.mine(tx, row)
		if err != nil {
			return err
		}
		now.State, now.Faults = Failed, why
		return rows.Put(tx, now.key(), now)
	})
	if errors.Is(err, errTaken) || errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// faultsOf returns the faults behind an error.
func faultsOf(err error) []fault.Field {
	if fields := fault.FieldsOf(err); len(fields) > 0 {
		return fields
	}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return []fault.Field{{Code: e.Code, Args: e.Args}}
	}
	return []fault.Field{{Code: "internal"}}
}

// forget removes a run with its rows.
func (s *Service) forget(r *Run) error {
	db := s.DB.For(r.Company)
	for more := true; more; {
		err := db.Update(func(tx *kv.Tx) error {
			p, err := rows.Page(tx, kv.Query{Index: "order", Prefix: kv.K(r.ID, everything), Limit: perTransaction})
			more = len(p.Items) > 0
			for i := range p.Items {
				err = errors.Join(err, rows.Delete(tx, p.Items[i].key()))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return db.Update(func(tx *kv.Tx) error {
		return errors.Join(templates.Delete(tx, r.key()), runs.Delete(tx, r.key()))
	})
}

// KeepFiles names the files of the templates that unfinished runs use, which may have been
// removed from the templates since.
func (s *Service) KeepFiles(name func(file string)) error {
	return s.DB.View(func(tx *kv.Tx) error {
		return templates.Each(tx, "", nil, func(_ string, d signing.Document) (bool, error) {
			for file := range d.Blobs {
				name(file)
			}
			return true, nil
		})
	})
}

// Cancel stops a run. The rows that wait are not made; documents that exist stay.
func (s *Service) Cancel(_ context.Context, who account.Actor, id string) (Run, error) {
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
func (s *Service) Retry(_ context.Context, who account.Actor, id string) (r Run, err error) {
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
func (s *Service) change(who account.Actor, id string, do func(tx *kv.Tx, r *Run) error) (r Run, err error) {
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
