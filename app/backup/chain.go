package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"paraph/app/archive"
)

// Archive is a file that holds a backup, described by its name.
type Archive struct {
	Header
	Name string
	Size int64
	in   location
}

// Where returns the full path or address of the archive.
func (a Archive) Where() string { return a.in.where(a.Name) }

func (a Archive) open(ctx context.Context) (io.ReadCloser, error) { return a.in.read(ctx, a.Name) }

// depth returns how many backups of the same second precede one.
func depth(all []Archive, a Archive) (n int) {
	for ; n < len(all); n++ {
		i := slices.IndexFunc(all, func(b Archive) bool { return b.ID == a.Parent && b.Time.Equal(a.Time) })
		if i < 0 {
			break
		}
		a = all[i]
	}
	return n
}

// chain returns the archives needed to restore in, the full one first: in is a folder or a
// bucket, meaning its newest backup, or a file. Increments continue archives in the same place.
func (o Buckets) chain(ctx context.Context, in string, keys Keys) ([]Archive, error) {
	at, name, err := o.place(in, false)
	if err != nil {
		return nil, err
	}
	all, err := sorted(ctx, at)
	if err != nil {
		return nil, err
	}
	if name == "" && len(all) == 0 {
		return nil, fmt.Errorf("%s holds no backups", in)
	}
	if name == "" {
		return ancestors(all[len(all)-1], all)
	}
	tip, err := describe(ctx, at, name, keys)
	if err != nil {
		return nil, err
	}
	return ancestors(tip, all)
}

// ancestors follows an archive back to the full backup.
func ancestors(tip Archive, all []Archive) ([]Archive, error) {
	out := []Archive{tip}
	for !out[0].Full() {
		i := slices.IndexFunc(all, func(a Archive) bool { return a.ID == out[0].Parent })
		if i < 0 || len(out) > len(all) {
			return nil, fmt.Errorf("%w: %s continues the backup %s, which is not in %s",
				ErrGap, out[0].Name, out[0].Parent, out[0].in.where(""))
		}
		out = slices.Insert(out, 0, all[i])
	}
	return out, nil
}

// describe finds out which backup a file holds: from its name or, if that was changed, from its
// header.
func describe(ctx context.Context, in location, name string, keys Keys) (Archive, error) {
	a := Archive{Name: name, in: in}
	if h, ok := parseName(name); ok {
		a.Header = h
		return a, nil
	}
	f, err := a.open(ctx)
	if err != nil {
		return Archive{}, err
	}
	d, err := keys.Decode(f)
	if err == nil {
		a.Header, err = readHeader(d)
		err = errors.Join(err, d.Close())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return Archive{}, fmt.Errorf("%s: %w", a.Where(), err)
	}
	return a, nil
}

// recognize finds the ID of an earlier backup: a file, or the newest one in a folder or a
// bucket.
func (o Buckets) recognize(ctx context.Context, address string, known []Record) (string, error) {
	in, name, err := o.place(address, false)
	if err != nil {
		return "", fmt.Errorf("the earlier backup cannot be read: %w", err)
	}
	if name == "" {
		all, err := sorted(ctx, in)
		if err != nil {
			return "", err
		}
		if len(all) == 0 {
			return "", fmt.Errorf("%s holds no backups; take a full one, without --since", address)
		}
		name = all[len(all)-1].Name
	}
	f, err := in.read(ctx, name)
	if err != nil {
		return "", fmt.Errorf("the earlier backup cannot be read: %w", err)
	}
	print, err := archive.Fingerprint(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	for _, r := range known {
		if r.Fingerprint == print {
			return r.ID, nil
		}
	}
	return "", fmt.Errorf("%s: %w", in.where(name), ErrUnknownBackup)
}
