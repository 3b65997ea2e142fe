package app

import (
	"context"
	"fmt"
	"time"

	"github.com/dustin/go-humanize/english"

	"paraph/app/backup"
	"paraph/kv"
)

// upkeepExam examines the work that keeps an installation sound.
type upkeepExam struct {
	dir   string // the data folder
	clock *Clock
	db    *kv.DB
	jobs  *kv.Jobs
}

func (x upkeepExam) backup(context.Context) Finding {
	const remedy = "Run paraph backup regularly, or paraph backup --follow, to another machine."
	r, found, err := backup.Last(x.dir)
	switch {
	case err != nil:
		return Finding{"backup", problem, err.Error() + ".", "Look at backups/ in the data folder."}
	case !found:
		return Finding{"backup", warning, "There has never been a backup.", remedy}
	}
	text := fmt.Sprintf("The last good backup is from %s, in %s.", r.Confirmed.Local().Format(time.DateTime), r.Where)
	if r.Age(x.clock.Now()) >= backupAge {
		return Finding{"backup", warning, text, remedy}
	}
	return Finding{"backup", fine, text, ""}
}

func (x upkeepExam) check(context.Context) Finding {
	c, err := lastCheck(x.dir)
	switch {
	case err != nil:
		return Finding{"check", problem, err.Error() + ".", "Run paraph check."}
	case c.Problems > 0:
		return Finding{"check", problem, fmt.Sprintf("paraph check found %s on %s.", english.Plural(c.Problems, "problem", ""), c.At.Format(time.DateOnly)), "Run it again, and restore what is damaged from a backup."}
	case c.At.IsZero():
		return Finding{"check", fine, "paraph check has not run on this folder yet.", ""}
	}
	return Finding{"check", fine, "paraph check found nothing wrong on " + c.At.Format(time.DateOnly) + ".", ""}
}

// jobsLate is how long a job may be overdue on a healthy server.
const jobsLate = 15 * time.Minute

func (x upkeepExam) overdue(context.Context) Finding {
	var s kv.JobStats
	err := x.db.View(func(tx *kv.Tx) (err error) {
		s, err = x.jobs.Stats(tx)
		return err
	})
	if err != nil {
		return Finding{"jobs", problem, err.Error() + ".", "Run paraph check."}
	}
	for kind, k := range s.Kinds {
		if late := x.clock.Now().Sub(k.Oldest); !k.Oldest.IsZero() && late > jobsLate {
			return Finding{"jobs", problem, fmt.Sprintf("A job of the kind %s has been due for %s.", kind, late.Round(time.Minute)), "Look at the log; restart the server if it says nothing."}
		}
	}
	if s.Dead > 0 {
		return Finding{"jobs", warning, fmt.Sprintf("%s %s given up.", english.Plural(s.Dead, "job", ""), english.PluralWord(s.Dead, "was", "were")), "Documents that need attention, failed mails and failing webhooks say why, and offer to try again."}
	}
	return Finding{"jobs", fine, fmt.Sprintf("Jobs waiting for their time: %d. None is late.", s.Waiting), ""}
}
