package search

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

const (
	boltFile = "root.bolt" // Bleve's list of segments, which also holds the place
	sumFile  = "root.sum"  // its SHA-256, present while the index is closed

	maxBoltDepth = 8       // of buckets in a valid list
	maxBoltKeys  = 1 << 20 // in a valid list
)

// boltOptions wait briefly for another process that has the file open.
func boltOptions(readOnly bool) *bbolt.Options {
	return &bbolt.Options{ReadOnly: readOnly, NoSync: true, Timeout: lockTimeout}
}

// sealBolt stores the checksum of the list for the next start. A killed process leaves none.
func sealBolt(dir string) error {
	sum, err := sumBolt(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed while open; there is nothing to seal
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, sumFile), sum, 0o600)
}

func sumBolt(dir string) ([]byte, error) {
	b, err := os.ReadFile(filepath.Join(dir, boltFile))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	return sum[:], nil
}

// checkBolt checks the list of segments: either it is unchanged since it was closed, or, after
// a kill, it is read from end to end and rewritten. Bleve works on it in the background, where
// an invalid page reference would end the process.
func checkBolt(dir string) error {
	path := filepath.Join(dir, sumFile)
	want, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return rewriteBolt(dir)
	}
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	got, err := sumBolt(dir)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%w: wrong checksum of %s", errDamaged, boltFile)
	}
	return nil
}

func rewriteBolt(dir string) (err error) {
	path := filepath.Join(dir, boltFile)
	if _, err := os.Stat(path); err != nil {
		return err
	}
	from, err := bbolt.Open(path, 0o600, boltOptions(true))
	if errors.Is(err, bolterrors.ErrTimeout) {
		return errInUse
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	renewed := path + ".new"
	if err := os.RemoveAll(renewed); err != nil {
		return err
	}
	to, err := bbolt.Open(renewed, 0o600, boltOptions(false))
	if err != nil {
		return err
	}
	if err := errors.Join(copyBolt(to, from), to.Sync(), to.Close()); err != nil {
		return err
	}
	return os.Rename(renewed, path)
}

func copyBolt(to, from *bbolt.DB) error {
	return from.View(func(read *bbolt.Tx) error {
		return to.Update(func(write *bbolt.Tx) error {
			c := bucketCopy{left: maxBoltKeys}
			return read.ForEach(func(name []byte, b *bbolt.Bucket) error {
				made, err := write.CreateBucket(name)
				if err != nil {
					return err
				}
				return c.copy(made, b, maxBoltDepth)
			})
		})
	})
}

// bucketCopy bounds a copy: the pages of a damaged file may form a cycle.
type bucketCopy struct{ left int }

func (c *bucketCopy) copy(to, from *bbolt.Bucket, depth int) error {
	return from.ForEach(func(k, v []byte) error {
		if c.left--; c.left < 0 || depth == 0 {
			return fmt.Errorf("%w: %s is endless", errDamaged, boltFile)
		}
		if v != nil {
			return to.Put(bytes.Clone(k), bytes.Clone(v))
		}
		made, err := to.CreateBucket(bytes.Clone(k))
		if err != nil {
			return err
		}
		return c.copy(made, from.Bucket(k), depth-1)
	})
}

// lockTimeout is how long to wait for another process that has the folder open.
const lockTimeout = 2 * time.Second
