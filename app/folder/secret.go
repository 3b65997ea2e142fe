package folder

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// secretSize is the length of a token key, in bytes.
const secretSize = 32

// Secret reads a key from the keys folder, or creates it at the first start. Without a data
// folder, nothing is kept.
func Secret(dir, name string) ([]byte, error) {
	if dir != "" {
		if b, err := ReadSecret(dir, name); !errors.Is(err, os.ErrNotExist) {
			return b, err
		}
	}
	fresh := make([]byte, secretSize)
	if _, err := rand.Read(fresh); err != nil || dir == "" {
		return fresh, err
	}
	path := filepath.Join(dir, "keys", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	return fresh, WriteSecret(path, fresh)
}

// ReadSecret reads a key from the keys folder.
func ReadSecret(dir, name string) ([]byte, error) {
	path := filepath.Join(dir, "keys", name)
	b, err := os.ReadFile(path)
	if err == nil && len(b) != secretSize {
		return nil, fmt.Errorf("%s is damaged: %d bytes instead of %d", path, len(b), secretSize)
	}
	return b, err
}

// WriteSecret stores the whole key on disk before it is used.
func WriteSecret(path string, key []byte) error {
	tmp := path + ".new"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(key)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
