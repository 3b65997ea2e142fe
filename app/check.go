package app

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"paraph/app/account"
	"paraph/app/bulk"
	"paraph/app/checkpoint"
	"paraph/app/contact"
	"paraph/app/machine"
	"paraph/app/mailserver"
	"paraph/app/notify"
	"paraph/app/signing"
	"paraph/app/transfer"
	"paraph/kv"
)

// Check reads all data of a folder: every record decodes, indexes and counts agree, every file
// exists and matches its hash, every key and certificate is whole, and the journal's chain is
// intact. With repair, derived data is rebuilt first: the list items and the search index.
// Published checkpoints are compared with the journal, as stored ones are.
func (a *App) Check(ctx context.Context, repair bool, published ...checkpoint.Published) []error {
	if repair {
		if err := a.repair(ctx); err != nil {
			return []error{err}
		}
	}
	var parts []kv.Checker
	for _, more := range [][]kv.Checker{
		account.Collections(), signing.Collections(), notify.Collections(), contact.Collections(), bulk.Collections(),
		machine.Collections(), mailserver.Collections(), checkpoint.Collections(), transfer.Collections(), {a.jobs, keyMarks},
	} {
		parts = append(parts, more...)
	}
	var problems []error
	keys := []error{a.Keys.Check(), a.checkKey()}
	found := slices.Concat(a.db.Check(parts...), a.Signing.Upkeep.Check(ctx), keys, a.checkHistory(published))
	for _, err := range found {
		if err != nil {
			problems = append(problems, err)
		}
	}
	return problems
}

// checkHistory compares the journal with the checkpoints.
func (a *App) checkHistory(published []checkpoint.Published) (problems []error) {
	err := a.db.View(func(tx *kv.Tx) error {
		problems = a.Checkpoints.Check(tx)
		for _, p := range published {
			if err := a.Checkpoints.CheckPublished(tx, p); err != nil {
				problems = append(problems, err)
			}
		}
		return nil
	})
	return append(problems, err)
}

func (a *App) repair(ctx context.Context) error {
	return errors.Join(a.Signing.Upkeep.RebuildRows(ctx), a.index.Reset())
}

// checkNow checks all data while the server runs, and stores the result.
func (a *App) checkNow(ctx context.Context) (problems int, err error) {
	found := a.Check(ctx, false)
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	for _, p := range found {
		a.log.Error("problem found while checking all data", "problem", p)
	}
	return len(found), noteCheck(a.dir, a.Clock.Now(), len(found))
}

// Reindex drops the search index, which is then rebuilt from the records.
func Reindex(dir string) error {
	if err := mustExist(dir); err != nil {
		return err
	}
	unlock, err := lockFolder(dir)
	if err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(dir+"/search"), unlock())
}

// checkName is the file in the data folder that records the last check.
const checkName = "checked"

// checked is the result of the last check of a data folder.
type checked struct {
	At       time.Time `json:"at"`
	Problems int       `json:"problems"`
}

// noteCheck stores the result of a check.
func noteCheck(dir string, at time.Time, problems int) error {
	b, err := json.Marshal(checked{at, problems})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, checkName), b, 0o600)
}

// lastCheck returns the result of the last check; the zero value if there was none.
func lastCheck(dir string) (c checked, err error) {
	b, err := os.ReadFile(filepath.Join(dir, checkName))
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(b, &c)
}
