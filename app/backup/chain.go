package backup

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Archive is a file that holds a backup, described by its name.
type Archive struct {
	Header
	Path string
	Size int64
}

// folder lists the archives of a folder by time. Files with other names are
// ignored.
func folder(dir string) ([]Archive, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []Archive
	for _, e := range entries {
		h, ok := parseName(e.Name())
		if !ok {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		all = append(all, Archive{h, filepath.Join(dir, e.Name()), info.Size()})
	}
	slices.SortFunc(all, func(a, b Archive) int { return cmp.Or(a.Time.Compare(b.Time), depth(all, a)-depth(all, b)) })
	return all, nil
}

// depth returns how many backups of the same second come before one.
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

// chain returns the archives that in needs, the full one first: in is a folder,
// meaning its newest backup, or a file. Increments continue archives in the same
// folder.
func chain(in string, keys Keys) ([]Archive, error) {
	info, err := os.Stat(in)
	if err != nil {
		return nil, err
	}
	dir := in
	if !info.IsDir() {
		dir = filepath.Dir(in)
	}
	all, err := folder(dir)
	if err != nil {
		return nil, err
	}
	if info.IsDir() && len(all) == 0 {
		return nil, fmt.Errorf("%s holds no backups", in)
	}
	if info.IsDir() {
		return ancestors(all[len(all)-1], all)
	}
	tip, err := open(in, keys)
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
				ErrGap, filepath.Base(out[0].Path), out[0].Parent, filepath.Dir(out[0].Path))
		}
		out = slices.Insert(out, 0, all[i])
	}
	return out, nil
}

// open finds out which backup a file holds: by its name or, if that was changed,
// from its header.
func open(path string, keys Keys) (Archive, error) {
	if h, ok := parseName(filepath.Base(path)); ok {
		return Archive{Header: h, Path: path}, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return Archive{}, err
	}
	a := Archive{Path: path}
	d, err := keys.decode(f)
	if err == nil {
		a.Header, err = readHeader(d)
		err = errors.Join(err, d.Close())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return Archive{}, fmt.Errorf("%s: %w", path, err)
	}
	return a, nil
}

// recognize finds the ID of an earlier backup: of a file, or of the newest one in a
// folder.
func recognize(path string, known []Record) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("the earlier backup cannot be read: %w", err)
	}
	if info.IsDir() {
		all, err := folder(path)
		if err != nil {
			return "", err
		}
		if len(all) == 0 {
			return "", fmt.Errorf("%s holds no backups; take a full one, without --since", path)
		}
		path = all[len(all)-1].Path
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("the earlier backup cannot be read: %w", err)
	}
	print, err := fingerprint(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	for _, r := range known {
		if r.Fingerprint == print {
			return r.ID, nil
		}
	}
	return "", fmt.Errorf("%s: %w", path, ErrUnknownBackup)
}
