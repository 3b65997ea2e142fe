package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
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
