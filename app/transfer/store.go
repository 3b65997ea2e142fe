package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"paraph/app/archive"
)

// Saved describes an export in a file.
type Saved struct {
	Header
	Path      string
	Size      int64
	Encrypted bool
}

// Save exports a company to a file that does not exist yet, or into a folder. The export is
// read back before it is named.
func Save(ctx context.Context, from Site, company, out string, keys archive.Keys) (s Saved, err error) {
	place, err := archive.PlaceFor(out)
	if err != nil {
		return s, err
	}
	stream, err := from.Export(ctx, company, keys.Encrypts())
	if err != nil {
		return s, err
	}
	s.Encrypted = keys.Encrypts()
	stored, err := place.Fill(archive.Content{What: "export", Stream: stream, Read: s.read, Name: func() string { return s.FileName(s.Encrypted) }}, keys)
	s.Path, s.Size = stored.Path, stored.Size
	return s, errors.Join(err, stream.Close())
}

func (h *Header) read(r io.Reader) error {
	*h = Header{}
	return archive.Reader{Head: h.parse}.Read(r)
}

// Load imports a company from a file. It is decrypted here, so that a running server never sees
// the keys.
func Load(ctx context.Context, to Site, in string, keys archive.Keys) (out Result, err error) {
	f, err := os.Open(in)
	if err != nil {
		return out, fmt.Errorf("cannot read the export: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	plain, err := keys.Decode(f)
	if err != nil {
		return out, fmt.Errorf("%s: %w", in, err)
	}
	defer func() { err = errors.Join(err, plain.Close()) }()
	return to.Import(ctx, plain)
}
