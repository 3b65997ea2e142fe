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
	// TakeOver makes this server the primary again if the place belongs to another server that was restored or
	// promoted in its stead.
	TakeOver bool
	Buckets
}

// minRest is the least pause between two backups, as a part of FollowOptions.Every.
const minRest = 10

// Follow keeps a folder of backups up to date until ctx ends. It retries after every failure,
// such as a stopped server. Only one process may follow into a folder; it removes backups there
// that are no longer needed. It ends with an error once the place belongs to another server.
func Follow(ctx context.Context, from Origin, out string, o FollowOptions) error {
	in, name, err := o.Buckets.place(out, false)
	if err != nil {
		return err
	}
	if name != "" {
		return fmt.Errorf("%s is a file; name a folder", out)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	f := &follower{from: from, in: in, o: o, claim: newClaimant(from, in, o.TakeOver), all: failures{log: o.Log, what: "backup"}, larger: failures{log: o.Log}}
	for {
		began := time.Now()
		err := f.step(ctx)
		if final(err) {
			stop()
			if f.beside != nil {
				<-f.beside // it is interrupted
			}
			return err
		}
		f.all.report(err)
		if f.rest(ctx, began.Add(max(o.Every, time.Since(began)+o.Every/minRest))) {
			return nil
		}
	}
}

type follower struct {
	from    Origin
	claim   *claimant
	in      location
	o       FollowOptions
	all     failures     // of the backups that are due
	larger  failures     // of those beside which increments go on
	beside  chan outcome // of the full or merged backup being made; nil if there is none
	current time.Time    // the folder holds all that was written before; zero after a failure
	late    bool         // that was reported to be too long ago
}

// outcome is that of a full or merged backup.
type outcome struct {
	Record
	merged bool
	err    error
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

// step begins the full or merged backup that is due, and makes an increment if anything has
// changed. Neither waits for the other, since a large backup may take hours.
func (f *follower) step(ctx context.Context) error {
	if err := f.claim.hold(ctx); err != nil {
		return err
	}
	all, notes, err := f.look(ctx)
	if err != nil {
		return err
	}
	q, larger := next(all, notes, time.Now())
	if q.Parent != "" { // else the first one is being made, or begun now
		err = f.increment(ctx, q)
	}
	if larger != nil && f.beside == nil {
		f.begin(ctx, *larger, q.Parent != "")
	}
	return err
}

// look returns the archives of the folder, and the records of those that can be continued.
func (f *follower) look(ctx context.Context) ([]Archive, map[string]Record, error) {
	known, err := f.from.Known(ctx)
	if err != nil {
		return nil, nil, err
	}
	notes := map[string]Record{}
	for _, r := range known {
		notes[r.ID] = r
	}
	all, err := sorted(ctx, f.in)
	return all, notes, err
}

// begin starts a full or merged backup. If there are others, its time is later than theirs, so
// that it comes after them when the folder is restored.
func (f *follower) begin(ctx context.Context, q Request, others bool) {
	to := make(chan outcome, 1)
	f.beside = to
	go func() {
		if others {
			now := time.Now()
			wait(ctx, now.Truncate(time.Second).Add(time.Second).Sub(now))
		}
		r, err := take(ctx, f.from, place{in: f.in}, q, f.o.Keys)
		to <- outcome{r, q.Keep, err}
	}()
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// rest waits until the next backup is due, or until a larger one has ended, which the next
// continues. It reports whether following is over.
func (f *follower) rest(ctx context.Context, until time.Time) (over bool) {
	due := time.After(time.Until(until))
	for {
		select {
		case <-ctx.Done():
			if f.beside != nil {
				<-f.beside // it has been interrupted
			}
			return true
		case r := <-f.beside:
			f.beside = nil
			if f.larger.what = "full backup"; r.merged {
				f.larger.what = "merged backup"
			}
			err := f.ended(ctx, r)
			f.larger.report(err)
			if err == nil {
				return false
			}
		case <-due:
			return false
		}
	}
}

// ended deals with a full or merged backup that was made. Increments that were made beside a
// merged one stay until another continues that.
func (f *follower) ended(ctx context.Context, r outcome) error {
	if r.err != nil || r.merged {
		return r.err
	}
	fmt.Fprintf(f.o.Log, "Wrote a full backup: %s (%s).\n", r.Where, humanize.Bytes(uint64(r.Size)))
	f.larger.said = ""
	return f.finish(ctx, r.Record)
}

// promised is the greatest age that the newest backup of a followed folder should have.
const promised = time.Minute

// watch reports that the folder was older than promised when the backup that began at a time
// ended, although nothing had failed.
func (f *follower) watch(began time.Time) {
	age, unknown := time.Since(f.current), f.current.IsZero()
	f.current = began
	if unknown || age <= max(promised, 2*f.o.Every) {
		f.late = false
		return
	}
	if !f.late {
		fmt.Fprintf(f.o.Log, "The copy was %s behind; the backup that ended now took %s of it.\n",
			age.Round(time.Second), time.Since(began).Round(time.Second))
	}
	f.late = true
}

func (f *follower) increment(ctx context.Context, q Request) error {
	began := time.Now()
	q.Every = f.o.Every
	r, err := take(ctx, f.from, place{in: f.in}, q, f.o.Keys)
	unchanged := errors.Is(err, ErrUnchanged)
	if err != nil && !unchanged {
		f.current = time.Time{}
		return err
	}
	f.watch(began)
	if err := f.claim.current(ctx, began); err != nil {
		return err
	}
	if unchanged {
		return f.tidy(ctx)
	}
	return f.finish(ctx, r)
}

// finish ends a backup that was made.
func (f *follower) finish(ctx context.Context, r Record) error {
	if len(r.Damaged) > 0 {
		fmt.Fprintf(f.o.Log, "%s\n", r.Lacks())
	}
	return f.tidy(ctx)
}

// next decides which backup should follow the archives of a folder: the increment that continues
// them, whose parent is empty if none can, and a full or merged one that is due, or nil.
func next(all []Archive, notes map[string]Record, now time.Time) (q Request, larger *Request) {
	line := newestChain(all, notes)
	if line == nil {
		return Request{}, &Request{}
	}
	q = Request{Parent: line[len(line)-1].ID, OnlyChanged: true}
	parts := int64(0)
	for _, a := range line[1:] {
		parts += a.Size
	}
	if now.Sub(line[0].Time) > fullAfter || parts > max(line[0].Size, smallParts) || migrated(line, notes) {
		return q, &Request{}
	}
	return q, merging(line, notes)
}

// migrated reports whether the records of a chain have been migrated since its full backup. What
// a migration removes, such as secrets stored in the clear, should not stay there.
func migrated(line []Archive, notes map[string]Record) bool {
	full, known := notes[line[0].ID]
	return known && full.DataVersion < notes[line[len(line)-1].ID].DataVersion
}

// merging returns the increment that merges others of a chain, or nil if there are few.
func merging(line []Archive, notes map[string]Record) *Request {
	merged, base := 0, 0 // the number of merged ones, and the last of them
	for i, a := range line[1:] {
		if notes[a.ID].Keep {
			merged, base = merged+1, i+1
		}
	}
	if len(line)-1-base < mergeAfter {
		return nil
	}
	if merged >= remergeAfter {
		base = 0
	}
	if notes[line[base].ID].ID == "" {
		return &Request{} // nothing can continue it
	}
	return &Request{Parent: line[base].ID, Keep: true}
}

// newestChain returns the newest backup that can be continued, with those it depends on, or nil.
// One that continues a full or merged backup comes before the increments that were made beside
// that.
func newestChain(all []Archive, notes map[string]Record) (newest []Archive) {
	for _, a := range all {
		line, err := ancestors(a, all)
		if err == nil && notes[a.ID].ID != "" && (newest == nil || supersedes(line, newest, notes)) {
			newest = line
		}
	}
	return newest
}

// supersedes compares two chains where they part.
func supersedes(a, b []Archive, notes map[string]Record) bool {
	i := 0
	for i < len(a) && i < len(b) && a[i].ID == b[i].ID {
		i++
	}
	switch {
	case i == len(a) || i == len(b):
		return len(a) > len(b)
	case i > 0 && notes[a[i].ID].Keep != notes[b[i].ID].Keep:
		return notes[a[i].ID].Keep
	}
	return !a[i].Time.Before(b[i].Time)
}

// tidy removes the backups that the one to be continued does not depend on, except the previous
// full backup and its increments. While increments are newer than that one, nothing is removed.
func (f *follower) tidy(ctx context.Context) error {
	all, notes, err := f.look(ctx)
	if err != nil {
		return err
	}
	line := newestChain(all, notes)
	if line == nil || line[len(line)-1].Time.Before(all[len(all)-1].Time) {
		return nil
	}
	unneeded, err := superfluous(all, line[len(line)-1].ID)
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
	if b, ok := in.(*objects); ok && !marked {
		return b.mark(ctx)
	}
	return nil
}

func isMarked(ctx context.Context, in location, mark string) (bool, error) {
	if b, ok := in.(*objects); ok {
		return b.marked(ctx)
	}
	_, err := os.Stat(in.where(mark))
	return err == nil, ignoreMissing(err)
}
