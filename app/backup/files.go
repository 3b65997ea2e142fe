package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// errFound ends the reading of an archive that has nothing more to give.
var errFound = errors.New("backup: everything was found")

// Files looks for stored files in a backup and those it continues, and passes each that it finds to
// put, which compares it with its hash. It returns the hashes of those that are in none of them.
func (o Buckets) Files(ctx context.Context, in string, keys Keys, wanted []string, put func(hash string, r io.Reader) error) (lacking []string, err error) {
	archives, err := o.chain(ctx, in, keys)
	if err != nil {
		return wanted, err
	}
	missing := map[string]bool{}
	for _, hash := range wanted {
		missing[hash] = true
	}
	for i := len(archives) - 1; i >= 0 && len(missing) > 0; i-- {
		if err := archives[i].files(ctx, keys, missing, put); err != nil {
			return nil, fmt.Errorf("%s: %w", archives[i].Where(), err)
		}
	}
	for _, hash := range wanted {
		if missing[hash] {
			lacking = append(lacking, hash)
		}
	}
	return lacking, nil
}

// files passes the missing files that an archive holds to put.
func (a Archive) files(ctx context.Context, keys Keys, missing map[string]bool, put func(hash string, r io.Reader) error) error {
	f, err := a.open(ctx)
	if err != nil {
		return err
	}
	_, err = readArchive(f, keys, func(_ Header, name string, r io.Reader) error {
		hash, isFile := strings.CutPrefix(name, filesPrefix)
		if !isFile || !missing[hash] {
			return ctx.Err()
		}
		if err := put(hash, r); err != nil {
			return err
		}
		if delete(missing, hash); len(missing) == 0 {
			return errFound
		}
		return nil
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

// Records passes the records of a backup and of those it continues to apply, the full ones first, each as
// [kv.DB.Backup] wrote it.
func (o Buckets) Records(ctx context.Context, in string, keys Keys, apply func(io.ReadSeeker) error) error {
	archives, err := o.chain(ctx, in, keys)
	if err != nil {
		return err
	}
	for _, a := range archives {
		if err := a.records(ctx, keys, apply); err != nil {
			return fmt.Errorf("%s: %w", a.Where(), err)
		}
	}
	return nil
}

func (a Archive) records(ctx context.Context, keys Keys, apply func(io.ReadSeeker) error) (err error) {
	spool, err := os.CreateTemp("", "paraph-records-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, spool.Close(), os.Remove(spool.Name())) }()
	f, err := a.open(ctx)
	if err != nil {
		return err
	}
	_, err = readArchive(f, keys, func(_ Header, name string, r io.Reader) error {
		if !strings.HasPrefix(name, recordsPrefix) {
			return errFound // they come first
		}
		_, err := io.Copy(spool, r)
		return errors.Join(err, ctx.Err())
	})
	if errors.Is(err, errFound) {
		err = nil // they have a checksum of their own
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if _, err := spool.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return apply(spool)
}
