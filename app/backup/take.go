package backup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"paraph/app/archive"
)

// Keys are the recipients that archives are encrypted for and the identities that decrypt them.
type Keys = archive.Keys

// Options configure a backup.
type Options struct {
	Keys  Keys
	Since string // an earlier backup, or a folder of them; empty for a full one
	Buckets
}

// Take makes a backup. out is a file that does not exist yet, or a folder or bucket, where the
// file is named after the time. The backup is read back before it is named.
func Take(ctx context.Context, from Origin, out string, o Options) (Record, error) {
	var q Request
	if o.Since != "" {
		known, err := from.Known(ctx)
		if err != nil {
			return Record{}, err
		}
		if q.Parent, err = o.Buckets.recognize(ctx, o.Since, known); err != nil {
			return Record{}, err
		}
	}
	in, name, err := o.Buckets.place(out, true)
	if err != nil {
		return Record{}, err
	}
	if name != "" {
		if f, err := in.read(ctx, name); err == nil {
			return Record{}, errors.Join(errTaken(out), f.Close())
		}
	}
	if err := mayWrite(ctx, from, in); err != nil {
		return Record{}, err
	}
	return take(ctx, from, place{in, name}, q, o.Keys)
}

func take(ctx context.Context, from Origin, to place, q Request, keys Keys) (Record, error) {
	stream, err := from.Open(ctx, q)
	if err != nil {
		return Record{}, err
	}
	r, err := to.fill(ctx, stream, keys)
	if err = errors.Join(err, stream.Close()); err != nil {
		return Record{}, err
	}
	return r, from.Done(ctx, r)
}

// place is the destination of an archive.
type place struct {
	in   location
	name string // empty: named after the time
}

// fill writes an archive under a temporary name, reads it back and renames it.
func (p place) fill(ctx context.Context, stream io.Reader, keys Keys) (r Record, err error) {
	d, err := p.in.draft(ctx)
	if err != nil {
		return Record{}, fmt.Errorf("cannot write the backup: %w", err)
	}
	r, err = p.store(ctx, d, stream, keys)
	if err != nil {
		return Record{}, errors.Join(err, d.discard())
	}
	return r, nil
}

func (p place) store(ctx context.Context, d draft, stream io.Reader, keys Keys) (Record, error) {
	r := Record{Encrypted: keys.Encrypts()}
	content := archive.Content{What: "backup", Stream: stream, Read: r.read}
	written := archive.NewCounter(d)
	if err := content.Encode(written, keys); err != nil {
		return Record{}, err
	}
	if err := d.finish(ctx); err != nil {
		return Record{}, fmt.Errorf("cannot write the backup: %w", err)
	}
	var err error
	if r.Fingerprint, err = readBack(ctx, d, content, written, keys); err != nil {
		return Record{}, fmt.Errorf("the backup just written is damaged: %w", err)
	}
	name := cmp.Or(p.name, r.FileName(r.Encrypted))
	if err := d.keep(ctx, name); err != nil {
		return Record{}, err
	}
	r.Where, r.Size = p.in.where(name), written.Bytes
	return r, nil
}

// read reads the header, and the list of missing files.
func (r *Record) read(from io.Reader) (err error) {
	r.Header, err = read(from, func(_ Header, name string, content io.Reader) error {
		if name != damagedEntry {
			return nil
		}
		b, err := io.ReadAll(content)
		r.Damaged = strings.Fields(string(b))
		return err
	})
	return err
}

func readBack(ctx context.Context, d draft, c archive.Content, written *archive.Counter, keys Keys) (print string, err error) {
	f, err := d.read(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return c.ReadBack(f, written, keys)
}

// readArchive reads and checks an encoded archive to its end.
func readArchive(r io.Reader, keys Keys, visit func(h Header, name string, r io.Reader) error) (h Header, err error) {
	err = archive.Open(r, keys, func(r io.Reader) error {
		h, err = read(r, visit)
		return err
	})
	return h, err
}
