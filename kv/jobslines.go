package kv

import (
	"errors"
	"time"
)

// lines holds the queues of waiting jobs, one per kind and scope that has any, so that scopes
// are served in turn: a thousand jobs of one scope delay those of the others by one at a time.
type lines struct {
	of    map[string]map[string]*line // by kind and scope
	turns uint64                      // number of jobs handed out
	news  int                         // counts events that may have made a job due earlier
	read  map[string]bool             // kinds whose lines have been read from the store
	fresh int                         // counts how often everything was forgotten
}

// line is the in-memory state of one queue. The jobs themselves are in the store.
type line struct {
	from time.Time // no job is due earlier, so a scan from here skips the finished ones
	turn uint64    // when it was last served
}

func newLines() lines { return lines{of: map[string]map[string]*line{}, read: map[string]bool{}} }

// forget discards the lines, so that they are read from the store again.
func (l *lines) forget() {
	l.of, l.read = map[string]map[string]*line{}, map[string]bool{}
	l.news++
	l.fresh++
}

// waits records a waiting job.
func (l *lines) waits(kind, scope string, due time.Time) {
	l.news++
	l.note(kind, scope, due)
}

func (l *lines) note(kind, scope string, due time.Time) {
	if l.of[kind] == nil {
		l.of[kind] = map[string]*line{}
	}
	switch at := l.of[kind][scope]; {
	case at == nil:
		l.of[kind][scope] = &line{from: due}
	case due.Before(at.from):
		at.from = due
	}
}

// lineOf is a line with its kind and scope.
type lineOf struct {
	kind, scope string
	line
}

// next returns the line whose turn it is, among those of the given kinds that
// may have a job due by the clock of its scope, skipping scopes that are full. Without one, pause is
// how long it is until the first of them has a job.
func (l *lines) next(kinds map[string]Handler, full func(scope string) bool, now func(scope string) time.Time) (found *lineOf, pause time.Duration) {
	pause = forever
	for kind := range kinds {
		for scope, at := range l.of[kind] {
			left := at.from.Sub(now(scope))
			switch {
			case full(scope):
			case left > 0:
				pause = min(pause, left)
			case found == nil || at.before(&found.line):
				found = &lineOf{kind, scope, *at}
			}
		}
	}
	return found, pause
}

// before reports whether a line is served before another.
func (l *line) before(o *line) bool {
	if l.turn != o.turn {
		return l.turn < o.turn
	}
	return l.from.Before(o.from)
}

// saw records the first job found in a line, or that there is none.
func (l *lines) saw(p *lineOf, first *Job, news int) {
	if l.news != news {
		return // the scan did not see what was added meanwhile
	}
	switch at := l.of[p.kind][p.scope]; {
	case at == nil:
	case first == nil:
		delete(l.of[p.kind], p.scope)
	default:
		at.from = first.Due
	}
}

// served moves a line behind all others.
func (l *lines) served(p *lineOf) {
	l.turns++
	if at := l.of[p.kind][p.scope]; at != nil {
		at.turn = l.turns
	}
}

// known reads the lines of kinds that have not been read yet.
func (j *Jobs) known(kinds map[string]Handler) error {
	for kind := range kinds {
		for {
			known, fresh := j.isKnown(kind)
			if known {
				break
			}
			found := map[string]time.Time{}
			if err := j.db.View(func(tx *Tx) error { return j.survey(tx, kind, found) }); err != nil {
				return err
			}
			j.learn(kind, found, fresh)
		}
	}
	return nil
}

// isKnown reports whether the lines of a kind have been read, and how often they were forgotten.
func (j *Jobs) isKnown(kind string) (known bool, fresh int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if epoch := j.db.epoch.Load(); epoch != j.epoch {
		j.lines.forget()
		j.epoch = epoch
	}
	return j.lines.read[kind], j.lines.fresh
}

// learn notes the lines that a survey found. If everything was forgotten since the survey began,
// so was what was added after its snapshot, and the survey doesn't count.
func (j *Jobs) learn(kind string, found map[string]time.Time, fresh int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.lines.fresh != fresh {
		return
	}
	for scope, due := range found {
		j.lines.note(kind, scope, due)
	}
	j.lines.read[kind] = true
}

// survey finds the first job of every line of a kind.
func (j *Jobs) survey(tx *Tx, kind string, found map[string]time.Time) error {
	return j.linesOf(tx, K(kind), func(first Job) Key {
		found[first.Scope] = first.Due
		return K(kind, first.Scope)
	})
}

// eachLine calls fn with the first waiting job of every line.
func (j *Jobs) eachLine(tx *Tx, fn func(first Job)) error {
	return j.linesOf(tx, nil, func(first Job) Key {
		fn(first)
		return K(first.Kind, first.Scope)
	})
}

// eachLineIn calls fn with the first waiting job of every line of a scope.
func (j *Jobs) eachLineIn(tx *Tx, scope string, fn func(first Job)) error {
	var kinds []string
	err := j.linesOf(tx, nil, func(first Job) Key {
		kinds = append(kinds, first.Kind)
		return K(first.Kind)
	})
	for _, kind := range kinds {
		err = errors.Join(err, j.all.Each(tx, "line", K(kind, scope), func(_ string, job Job) (bool, error) {
			fn(job)
			return false, nil
		}))
	}
	return err
}

// linesOf calls fn with the first waiting job under a prefix, and then with the first one behind
// the part that fn returns, and so on: what it skips is not read.
func (j *Jobs) linesOf(tx *Tx, prefix Key, fn func(first Job) (skip Key)) error {
	for from := (Key)(nil); ; {
		var first *Job
		err := j.all.EachFrom(tx, "line", prefix, from, func(_ string, job Job) (bool, error) {
			first = &job
			return false, nil
		})
		if err != nil || first == nil {
			return err
		}
		from = after(fn(*first))
	}
}
