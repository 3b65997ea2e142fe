package reader

import (
	"context"
	"errors"
	"fmt"
	"io"

	"paraph/app/pdf/crypt"
	"paraph/app/pdf/object"
)

// OpenSecret is Open for a file that may be encrypted, with its password;
// all work on it ends with the context.
func OpenSecret(ctx context.Context, r io.ReaderAt, size int64, password string) (*File, error) {
	f := DefaultLimits().newFile(r, size, &Budget{ctx: ctx})
	f.password = &password
	return f.read(nil)
}

// Encrypted reports whether the file had to be decrypted.
func (f *File) Encrypted() bool { return f.secret != nil }

// unlock derives the key of an encrypted file. Earlier revisions inherit it from the newest.
func (f *File) unlock() error {
	if f.Trailer["Encrypt"] == nil || f.secret != nil {
		return nil
	}
	if f.password == nil {
		return ErrEncrypted
	}
	d, ok := f.resolveAll(f.Trailer["Encrypt"], 0).(object.Dict)
	if !ok {
		return fmt.Errorf("%w: no encryption dictionary", ErrEncrypted)
	}
	var id []byte
	if ids := f.Array(f.Trailer["ID"]); len(ids) > 0 {
		s, _ := f.Resolve(ids[0]).(object.String)
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

// resolveAll resolves the references in a small value, at any depth.
func (f *File) resolveAll(v any, depth int) any {
	v = f.Resolve(v)
	d, ok := v.(object.Dict)
	if !ok || depth > maxEncryptNesting {
		return v
	}
	out := object.Dict{}
	for k, e := range d {
		out[k] = f.resolveAll(e, depth+1)
	}
	return out
}

// decrypt decrypts the strings of a loaded object. Stream data is decrypted when
// it is read.
func (f *File) decrypt(o *Found) error {
	if f.secret == nil {
		return nil
	}
	if r, ok := f.Trailer["Encrypt"].(object.Ref); ok && r.Number == o.Ref.Number {
		return nil
	}
	var err error
	if s, ok := o.Value.(*Stream); ok {
		s.sealed = &o.Ref
		v, err := f.decrypted(o.Ref, s.Dict, 0)
		s.Dict, _ = v.(object.Dict)
		return err
	}
	o.Value, err = f.decrypted(o.Ref, o.Value, 0)
	return err
}

func (f *File) decrypted(of object.Ref, v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, Damaged("values nested too deep")
	}
	switch x := v.(type) {
	case object.String:
		s, err := f.secret.String(of, x)
		return object.String(s), err
	case object.Array:
		for i, e := range x {
			var err error
			if x[i], err = f.decrypted(of, e, depth+1); err != nil {
				return nil, err
			}
		}
	case object.Dict:
		_, signature := x["ByteRange"]
		for k, e := range x {
			if signature && k == "Contents" {
				continue // ISO 32000-2 §7.6.2: the signature value is not encrypted
			}
			var err error
			if x[k], err = f.decrypted(of, e, depth+1); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

const (
	maxDepth          = 256
	maxEncryptNesting = 4 // of the encryption dictionary
)
