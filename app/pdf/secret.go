package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"

	"paraph/app/pdf/crypt"
	"paraph/app/pdf/object"
)

// ErrPassword indicates that an encrypted file needs a different password from
// the one tried. It accompanies ErrEncrypted.
var ErrPassword = errors.New("password needed")

// OpenSecret is Open for a file that may be encrypted, with its password; an
// empty one opens the many files that anyone may read but not change. Such
// files are for reading only; all work on them ends with the context.
func OpenSecret(ctx context.Context, r io.ReaderAt, size int64, password string) (*File, error) {
	f := DefaultLimits().newFile(r, size, &budget{ctx: ctx})
	f.password = &password
	if _, err := f.read(); err != nil {
		return nil, err
	}
	var err error
	f.pages, err = f.readPages()
	return f, err
}

// Encrypted reports whether the file had to be decrypted.
func (f *File) Encrypted() bool { return f.secret != nil }

// unlock derives the key of an encrypted file. Earlier revisions inherit it from the newest.
func (f *File) unlock() error {
	if f.trailer["Encrypt"] == nil || f.secret != nil {
		return nil
	}
	if f.password == nil {
		return ErrEncrypted
	}
	d, ok := f.whole(f.trailer["Encrypt"], 0).(dict)
	if !ok {
		return fmt.Errorf("%w: no encryption dictionary", ErrEncrypted)
	}
	var id []byte
	if ids := f.array(f.trailer["ID"]); len(ids) > 0 {
		s, _ := f.resolve(ids[0]).(object.String)
		id = s
	}
	secret, err := crypt.New(d, id, *f.password)
	if errors.Is(err, crypt.ErrPassword) {
		return fmt.Errorf("%w: %w", ErrEncrypted, ErrPassword)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrEncrypted, err)
	}
	f.secret = secret
	clear(f.cache) // Objects cached so far have not been decrypted.
	clear(f.compressed)
	return nil
}

// whole resolves the references in a small value.
func (f *File) whole(v any, depth int) any {
	v = f.resolve(v)
	d, ok := v.(dict)
	if !ok || depth > maxNesting {
		return v
	}
	out := dict{}
	for k, e := range d {
		out[k] = f.whole(e, depth+1)
	}
	return out
}

// reveal decrypts the strings of a loaded object; stream data is decrypted when
// it is read.
func (f *File) reveal(o *found) error {
	if f.secret == nil {
		return nil
	}
	if r, ok := f.trailer["Encrypt"].(ref); ok && r.Number == o.ref.Number {
		return nil
	}
	var err error
	if s, ok := o.value.(*source); ok {
		s.sealed = &o.ref
		v, err := f.revealed(o.ref, s.dict, 0)
		s.dict, _ = v.(dict)
		return err
	}
	o.value, err = f.revealed(o.ref, o.value, 0)
	return err
}

func (f *File) revealed(of ref, v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, damaged("values nested too deep")
	}
	switch x := v.(type) {
	case object.String:
		s, err := f.secret.String(of, x)
		return object.String(s), err
	case array:
		for i, e := range x {
			var err error
			if x[i], err = f.revealed(of, e, depth+1); err != nil {
				return nil, err
			}
		}
	case dict:
		_, signature := x["ByteRange"]
		for k, e := range x {
			if signature && k == "Contents" {
				continue // ISO 32000-2 §7.6.2: the signature value is not encrypted
			}
			var err error
			if x[k], err = f.revealed(of, e, depth+1); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

const maxDepth = 256
