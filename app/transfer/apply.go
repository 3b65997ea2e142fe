package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"paraph/app/account"
	"paraph/app/signing"
	"paraph/kv"
)

// Limits of the records stored in one transaction.
const (
	applyBytes = 256 << 10
	applyItems = 200
)

// apply stores the rest of an accepted import, a part at a time. Memberships come last: until
// then nobody can access the company.
func (i *Installation) apply(ctx context.Context, company string) (err error) {
	f, err := os.Open(i.path(company))
	if err != nil {
		return fmt.Errorf("transfer: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if more, err = i.applySome(f, company); err != nil {
			return err
		}
	}
	return i.finish(company)
}

func (i *Installation) applySome(f *os.File, company string) (more bool, err error) {
	var p pending
	err = i.DB.View(func(tx *kv.Tx) error {
		p, err = imports.Get(tx, company)
		return err
	})
	if err != nil {
		return false, err
	}
	if _, err := f.Seek(p.Place, io.SeekStart); err != nil {
		return false, fmt.Errorf("transfer: %w", err)
	}
	part, read, err := nextPart(f)
	if err != nil || read == 0 {
		return false, err
	}
	p.Place += read
	a := p.recordImport()
	return true, i.DB.Update(func(tx *kv.Tx) error {
		for _, it := range part {
			if account.IsPerson(it) || account.IsMembership(it) || signing.IsSavedMark(it) && !a.IsNew(it.ID) {
				continue
			}
			if err := i.importRecord(a, it)(tx); err != nil {
				return err
			}
		}
		return imports.Put(tx, company, p)
	})
}

// nextPart reads the records of one transaction.
func nextPart(f io.Reader) (part []kv.Item, read int64, err error) {
	read, err = eachLine(f, func(it kv.Item, upto int64) (bool, error) {
		if len(part) > 0 && (upto > applyBytes || len(part) == applyItems) {
			return false, nil
		}
		it.Value = bytes.Clone(it.Value)
		part = append(part, it)
		return true, nil
	})
	return part, read, err
}

// finish adds the memberships and forgets the import.
func (i *Installation) finish(company string) error {
	s := &staged{path: i.path(company)}
	var entrances []kv.Item
	err := s.each(func(it kv.Item) error {
		if account.IsMembership(it) {
			entrances = append(entrances, it)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = i.DB.Update(func(tx *kv.Tx) error {
		for _, it := range entrances {
			if err := i.importRecord(account.RecordImport{Company: company}, it)(tx); err != nil {
				return err
			}
		}
		return imports.Delete(tx, company)
	})
	return errors.Join(err, s.remove())
}

// Resume completes the imports that were accepted before the server was stopped or killed, and
// removes the remains of others. One that can't be completed doesn't keep the server from
// starting: nobody can access its company, and the next start tries again.
func (i *Installation) Resume(ctx context.Context) error {
	var accepted []string
	err := i.DB.View(func(tx *kv.Tx) error {
		return imports.Each(tx, "", nil, func(id string, _ pending) (bool, error) {
			accepted = append(accepted, id)
			return true, nil
		})
	})
	if err != nil {
		return err
	}
	var left []string
	for _, company := range accepted {
		i.Log.Info("completing the import of a company", "company", company)
		if err := i.apply(ctx, company); err != nil {
			i.Log.Error("cannot complete the import of a company", "company", company, "error", err)
			left = append(left, filepath.Base(i.path(company)))
		}
	}
	return i.clear(left)
}

// clear removes files of imports that were never accepted, all but those to keep.
func (i *Installation) clear(keep []string) error {
	entries, err := os.ReadDir(i.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if slices.Contains(keep, e.Name()) {
			continue
		}
		err = errors.Join(err, os.Remove(filepath.Join(i.Dir, e.Name())))
	}
	return err
}
