package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"
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

// caches says how much is kept that can be made anew, and how much that may be.
func (a *App) caches(context.Context) Finding {
	n, pictures := a.pictures.Stats()
	compiled, err := sizeOf(a.path("cache"))
	if err != nil {
		return Finding{"caches", problem, sentence(err), "Look at cache/ in the data folder; it can be deleted."}
	}
	f := Finding{"caches", fine, fmt.Sprintf("%s of pages take %s of at most %s, and the compiled PDF engine %s. Both can be deleted.",
		english.Plural(n, "picture", ""), size(pictures), size(pictureBytes), size(compiled)), ""}
	if compiled > cacheHigh {
		f.State, f.Remedy = warning, "Delete cache/ in the data folder: it holds what earlier versions compiled."
	}
	return f
}

// cacheHigh is more than the compiled PDF engines of a few versions take.
const cacheHigh = 500 << 20

// sizeOf returns the size of the files in a folder, 0 if there is none.
func sizeOf(dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return ignoreMissing(err)
		}
		info, err := e.Info()
		if err == nil {
			total += info.Size()
		}
		return ignoreMissing(err)
	})
	return total, err
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

func size(bytes int64) string { return humanize.Bytes(uint64(max(0, bytes))) }

// growing says what documents take up, and how many more the disk has room for.
func (a *App) growing(context.Context) Finding {
	g, err := a.growth()
	if err != nil {
		return Finding{"growth", problem, sentence(err), "Run paraph check."}
	}
	if g == nil {
		return Finding{"growth", fine, "What documents take up is measured by paraph check once there are a hundred.", ""}
	}
	each := g.Uploads + g.Revisions + g.Certificates + g.Records + g.Search
	text := fmt.Sprintf("1,000 documents take up %s: uploads %s, what signing adds %s, certificates %s, records %s, search index %s (measured on %s).",
		size(each), size(g.Uploads), size(g.Revisions), size(g.Certificates), size(g.Records), size(g.Search), english.Plural(g.Documents, "document", ""))
	if free, total := a.disk.room(); total > 0 && each > 0 {
		text += fmt.Sprintf(" There is room for about %s more.", humanize.Comma(max(0, free-a.disk.reserve)*1000/each))
	}
	return Finding{"growth", fine, text, ""}
}
