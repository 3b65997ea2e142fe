package app

import (
	"context"
	"errors"
	"os"

	"paraph/app/account"
	"paraph/app/contact"
	"paraph/app/notify"
	"paraph/app/signing"
	"paraph/kv"
)

// Check walks all data of a folder: every record decodes, indexes and counts
// agree, every file is there and hashes to its name, the journal's chain holds.
// With repair, derived data is rebuilt first: the list items and the search
// index.
func (a *App) Check(ctx context.Context, repair bool) []error {
	if repair {
		if err := a.repair(ctx); err != nil {
			return []error{err}
		}
	}
	var parts []kv.Checker
	for _, more := range [][]kv.Checker{account.Collections(), signing.Collections(), notify.Collections(), contact.Collections(), {a.jobs}} {
		parts = append(parts, more...)
	}
	var problems []error
	for _, err := range append(a.db.Check(parts...), a.Signing.Check(ctx)...) {
		if err != nil {
			problems = append(problems, err)
		}
	}
	return problems
}

func (a *App) repair(ctx context.Context) error {
	return errors.Join(a.Signing.RebuildRows(ctx), a.index.Reset())
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
