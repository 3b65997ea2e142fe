package intake

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"paraph/app/convert"
	"paraph/app/turns"
)

// maxBatch is how many files one run of LibreOffice converts.
const maxBatch = 16

// Series is documents that are made of one template on behalf of one sender, several at the same
// time. Their files are converted together, because starting LibreOffice takes longer than
// converting a short file: they wait until each document being made waits with one, or until
// there are enough. Its methods are safe for concurrent use.
type Series struct {
	mu      sync.Mutex
	making  int // documents
	waiting []*entry
}

// entry is a prepared file of a series.
type entry struct {
	job     *convert.OfficeJob
	batched chan struct{} // closed when its batch is complete; then batch is valid
	batch   []*entry      // the first of them runs LibreOffice
	done    chan struct{} // closed when it has run; then err is valid
	err     error         // of a run for this file alone
}

// Begin announces that a document is being made; end, that it was made or wasn't.
func (s *Series) Begin() (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.making++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.making--
		s.release()
	}
}

func (s *Series) add(job *convert.OfficeJob) *entry {
	e := &entry{job: job, batched: make(chan struct{}), done: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, e)
	s.release()
	return e
}

// remove takes an entry from those that wait. It returns false if its batch is complete.
func (s *Series) remove(e *entry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.waiting)
	s.waiting = slices.DeleteFunc(s.waiting, func(o *entry) bool { return o == e })
	return len(s.waiting) < before
}

// release makes a batch of those that wait if nothing is to be waited for.
func (s *Series) release() {
	if len(s.waiting) < min(max(s.making, 1), maxBatch) {
		return
	}
	batch := s.waiting
	s.waiting = nil
	for _, e := range batch {
		e.batch = batch
		close(e.batched)
	}
}

// convertInSeries converts a prepared file together with others of its series. If that makes no
// PDF of it, which may be due to another, it is converted alone.
func (s *Intake) convertInSeries(ctx context.Context, u *Upload, job *convert.OfficeJob, w io.Writer) error {
	turns.VisitOf(ctx).Leave() // the others may need that turn to get here
	e := u.Series.add(job)
	select {
	case <-e.batched:
	case <-ctx.Done():
		if u.Series.remove(e) {
			return ctx.Err()
		}
	}
	if e.batch[0] == e {
		s.convertBatch(ctx, u.By, e.batch)
	}
	<-e.done // soon after the end of ctx, because a series is cancelled as a whole
	if e.err != nil {
		return e.err
	}
	err := job.Deliver(w)
	if _, refused := errors.AsType[*convert.Refusal](err); !refused || len(e.batch) == 1 {
		return err
	}
	return s.inTurn(ctx, u.By, func() error {
		if err := s.Office.Run(ctx, job); err != nil {
			return err
		}
		return job.Deliver(w)
	})
}

// convertBatch runs LibreOffice once for a batch, when its sender's turn comes.
func (s *Intake) convertBatch(ctx context.Context, by turns.Key, batch []*entry) {
	jobs := make([]*convert.OfficeJob, len(batch))
	for i, e := range batch {
		jobs[i] = e.job
		defer close(e.done)
	}
	err := s.inTurn(ctx, by, func() error { return s.Office.Run(ctx, jobs...) })
	if len(batch) == 1 {
		batch[0].err = err // those of a larger batch that are not converted run again, and get their own
	}
}
