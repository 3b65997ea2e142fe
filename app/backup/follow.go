package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/dustin/go-humanize"
)

// Thresholds at which a followed folder needs more than another increment.
const (
	mergeAfter   = 30                 // increments merged into one
	remergeAfter = 24                 // merged increments merged into one
	fullAfter    = 7 * 24 * time.Hour // age at which a full backup is followed by another
	smallParts   = 16 << 20           // total size of increments that never justifies a full backup
)

// FollowOptions configure how a folder is kept up to date.
type FollowOptions struct {
	Keys  Keys
	Every time.Duration // from the beginning of one backup to that of the next
	Log   io.Writer     // receives a line for each full backup and failure
	Buckets
}

// minRest is the least pause between two backups, as a part of FollowOptions.Every.
const minRest = 10

// Follow keeps a folder of backups up to date until ctx ends. It retries after every failure,
// such as a stopped server. Only one process may follow into a folder; it removes backups there
// that are no longer needed.
func Follow(ctx context.Context, from Origin, out string, o FollowOptions) error {
	in, name, err := o.Buckets.place(out, false)
	if err != nil {
		return err
	}
	if name != "" {
		return fmt.Errorf("%s is a file; name a folder", out)
	}
	f := &follower{from: from, in: in, o: o,
		all: failures{log: o.Log, what: "backup"}, fulls: failures{log: o.Log, what: "full backup"}}
	for {
		began := time.Now()
		f.all.report(f.step(ctx))
		select {
		case <-ctx.Done():
			if f.full != nil {
				<-f.full // it has been interrupted
			}
			return nil
		case <-time.After(max(o.Every-time.Since(began), o.Every/minRest)):
		}
	}
}

type follower struct {
	from  Origin
	in    location
	o     FollowOptions
	all   failures     // of the backups that are due
	fulls failures     // of full backups that increments went on beside
	full  chan outcome // of the full backup being made; nil if there is none
}

// outcome is that of one backup.
type outcome struct {
	Record
	err error
}

// failures writes a recurring failure only once.
type failures struct {
	log  io.Writer
	what string // failed
	said string // error of the last attempt
}

func (f *failures) report(err error) {
	said := f.said
	if f.said = ""; err != nil && !errors.Is(err, context.Canceled) {
		f.said = err.Error()
	}
	switch {
	case f.said == said:
	case f.said == "":
		fmt.Fprintln(f.log, "Backups go on.")
	default:
		fmt.Fprintf(f.log, "No %s was made, and it is tried again: %s\n", f.what, f.said)
	}
}

// step makes the backup that is due, if anything has changed.
func (f *follower) step(ctx context.Context) error {
	known, err := f.from.Known(ctx)
	if err != nil {
		return err
	}
	all, err := sorted(ctx, f.in)
	if err != nil {
		return err
	}
	q, due := next(all, known, time.Now())
	if due && f.full == nil {
		f.begin(ctx)
	}
	if f.full == nil {
		return f.increment(ctx, q)
	}
	r := f.await(q.Parent != "")
	switch {
	case r == nil: // it goes on
		return f.increment(ctx, q)
	case r.err != nil && q.Parent == "":
		return r.err
	case r.err != nil:
		f.fulls.report(r.err)
		return f.increment(ctx, q)
	}
	fmt.Fprintf(f.o.Log, "Wrote a full backup: %s (%s).\n", r.Where, humanize.Bytes(uint64(r.Size)))
	f.fulls.said = ""
	return f.finish(ctx, r.Record)
}

// begin starts a full backup.
func (f *follower) begin(ctx context.Context) {
	to := make(chan outcome, 1)
	f.full = to
	go func() {
		r, err := take(ctx, f.from, place{in: f.in}, Request{}, f.o.Keys)
		to <- outcome{r, err}
	}()
}

// await waits for the full backup to end and returns its outcome. If increments can continue the
// previous one meanwhile, it waits only until one is due, and returns nil.
func (f *follower) await(others bool) *outcome {
	var due <-chan time.Time
	if others {
		due = time.After(f.o.Every)
	}
	select {
	case r := <-f.full:
		f.full = nil
		return &r
	case <-due:
		return nil
	}
}

func (f *follower) increment(ctx context.Context, q Request) error {
	r, err := take(ctx, f.from, place{in: f.in}, q, f.o.Keys)
	if errors.Is(err, ErrUnchanged) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.finish(ctx, r)
}

// finish ends a backup that was made.
func (f *follower) finish(ctx context.Context, r Record) error {
	if len(r.Damaged) > 0 {
		fmt.Fprintf(f.o.Log, "%s\n", r.Lacks())
	}
	return f.tidy(ctx, r.ID)
}

// next decides which backup should follow the archives of a folder: the increment that continues
// them, whose parent is empty if none can, and whether a full one is due.
func next(all []Archive, known []Record, now time.Time) (q Request, full bool) {
	notes := map[string]Record{}
	for _, r := range known {
		notes[r.ID] = r
	}
	line := newestChain(all, notes)
	if line == nil {
		return Request{}, true
	}
	parts := int64(0)
	for _, a := range line[1:] {
		parts += a.Size
	}
	q = continuing(line, notes)
	old := now.Sub(line[0].Time) > fullAfter || parts > max(line[0].Size, smallParts)
	return q, old || q.Parent == ""
}

// continuing returns the increment that continues a chain.
func continuing(line []Archive, notes map[string]Record) Request {
	merged, base := 0, 0 // the number of merged ones, and the last of them
	for i, a := range line[1:] {
		if notes[a.ID].Keep {
			merged, base = merged+1, i+1
		}
	}
	if len(line)-1-base < mergeAfter {
		return Request{Parent: line[len(line)-1].ID, OnlyChanged: true}
	}
	if merged >= remergeAfter {
		base = 0
	}
	if notes[line[base].ID].ID == "" {
		return Request{} // nothing can continue it
	}
	return Request{Parent: line[base].ID, Keep: true}
}

// newestChain returns the newest backup that can be continued, with those it depends on, or nil.
// One of a newer full backup comes first: increments have continued the previous one while that
// was being made.
func newestChain(all []Archive, notes map[string]Record) (newest []Archive) {
	for _, a := range slices.Backward(all) {
		line, err := ancestors(a, all)
		if err == nil && notes[a.ID].ID != "" && (newest == nil || line[0].Time.After(newest[0].Time)) {
			newest = line
		}
	}
	return newest
}

// tidy removes the backups that the newest one does not depend on, except the previous full
// backup and its increments.
func (f *follower) tidy(ctx context.Context, newest string) error {
	all, err := sorted(ctx, f.in)
	if err != nil {
		return err
	}
	unneeded, err := superfluous(all, newest)
	if err != nil {
		return err
	}
	var names []string
	for _, a := range slices.Backward(unneeded) { // increments before those they continue
		names = append(names, a.Name)
	}
	return f.in.remove(ctx, names)
}

func superfluous(all []Archive, newest string) (unneeded []Archive, err error) {
	i := slices.IndexFunc(all, func(a Archive) bool { return a.ID == newest })
	if i < 0 {
		return nil, fmt.Errorf("%w: %s was removed", ErrGap, newest)
	}
	line, err := ancestors(all[i], all)
	if err != nil {
		return nil, err
	}
	retained := map[string]bool{line[0].ID: true} // full backups
	for _, a := range slices.Backward(all) {
		if a.Full() {
			retained[a.ID] = true // also one that nothing continues yet
			if a.Time.Before(line[0].Time) {
				break
			}
		}
	}
	for _, a := range all {
		own, err := ancestors(a, all)
		if err != nil {
			continue // not an archive of this folder
		}
		root := own[0].ID
		needed := slices.ContainsFunc(line, func(b Archive) bool { return b.ID == a.ID })
		if !needed && (root == line[0].ID || !retained[root]) {
			unneeded = append(unneeded, a)
		}
	}
	return unneeded, nil
}

// MayFollow refuses a place with backups that were not made by following, since some of them
// would be removed. mark is the name of the file that marks such a folder. A bucket is marked
// here.
func (o Buckets) MayFollow(ctx context.Context, out, mark string) error {
	in, _, err := o.place(out, false)
	if err != nil {
		return err
	}
	all, err := in.archives(ctx)
	if err != nil {
		return err
	}
	marked, err := isMarked(ctx, in, mark)
	if err != nil {
		return err
	}
	if len(all) > 0 && !marked {
		return fmt.Errorf("%s holds other backups, and following removes those it does not need; name a separate folder", out)
	}
	if b, ok := in.(*bucket); ok && !marked {
		return b.mark(ctx)
	}
	return nil
}

func isMarked(ctx context.Context, in location, mark string) (bool, error) {
	if b, ok := in.(*bucket); ok {
		return b.marked(ctx)
	}
	_, err := os.Stat(in.where(mark))
	return err == nil, ignoreMissing(err)
}
