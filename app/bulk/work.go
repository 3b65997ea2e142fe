package bulk

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"paraph/app/fault"
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

// fileIndex names the index of the files of the templates that unfinished runs use, which may
// have been removed from the templates since.
const fileIndex = "files"

// NeedsFile reports whether an unfinished run uses a file.
func NeedsFile(tx *kv.Tx, hash string) (bool, error) { return templates.HasPart(tx, fileIndex, hash) }

// FilesSince returns the files that unfinished runs use, in order, without those that they have
// used since a backup; see [kv.DB.Backup].
func FilesSince(tx *kv.Tx, since uint64) (files []string, err error) {
	err = templates.EachPart(tx, fileIndex, since, func(hash string) error {
		files = append(files, hash)
		return nil
	})
	return files, err
}

// IndexFiles adds the index of files to older records.
func IndexFiles(db *kv.DB) error { return templates.Rebuild(db) }
