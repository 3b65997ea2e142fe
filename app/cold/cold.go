// Package cold moves stored files that are rarely read to S3-compatible storage, and fetches them when they
// are.
//
// A file is encrypted before it leaves, and read back and compared before it is removed from the disk. The
// records say which files have moved; what is on the disk is preferred. Objects are named by a keyed hash, so
// that whoever sees the names can't tell whether a file that they have is among them.
package cold

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"filippo.io/age"

	"paraph/app/blob"
	"paraph/app/bucket"
	"paraph/kv"
)

// ErrUnreachable reports that a file has moved, and that the storage can't be read now.
var ErrUnreachable = errors.New("cold: the storage can't be reached")

// Moved is the record of a file that has moved, or has come back since.
type Moved struct {
	Hash   string
	Object string // its name below the place; empty once the file is back for good, or needed no more
	// Leaving is an object that is to be removed from the place: a killed process may not have come to it.
	Leaving string `json:",omitempty"`
	Size    int64  // of the file, in bytes
	At      time.Time
	// Unneeded is since when no document needs the file.
	Unneeded *time.Time `json:",omitempty"`
}

// Indexes of the files.
const (
	byObject = "object"
	returned = "returned"
)

var files = kv.NewCollection("moved_files", kv.JSON[Moved](),
	kv.Index[Moved]{Name: byObject, Keys: func(m Moved) []kv.Key { return when(m.Object != "", m.Object) }},
	kv.Index[Moved]{Name: returned, Keys: func(m Moved) []kv.Key { return when(m.Object == "", m.Hash) }})

func when(is bool, key string) []kv.Key {
	if !is {
		return nil
	}
	return []kv.Key{kv.K(key)}
}

// Collections lists the collections of this package, for checking the data folder.
func Collections() []kv.Checker { return []kv.Checker{files} }

// Has reports whether a file has moved, so that the disk and backups need not have it.
func Has(tx *kv.Tx, hash string) (bool, error) {
	m, err := files.Get(tx, hash)
	if errors.Is(err, kv.ErrNotFound) {
		return false, nil
	}
	return err == nil && m.Object != "", err
}

// ReturnedSince lists, in order, the files that have come back since a moment of the store, and that backups
// made before lack.
func ReturnedSince(tx *kv.Tx, since uint64) (all []string, err error) {
	err = files.EachPart(tx, returned, since, func(hash string) error {
		all = append(all, hash)
		return nil
	})
	return all, err
}

// Options configure a [Store].
type Options struct {
	DB    *kv.DB
	Blobs *blob.Store
	// Place is where files move.
	Place bucket.Place
	// Off says why no file moves, and none that has moved can be read; nil if they do.
	Off error
	// Key opens the key that files are encrypted with, and makes it at first.
	Key func() (*age.X25519Identity, error)
	// After is how long ago the documents that need a file must have ended.
	After time.Duration
	// Ended reports whether all documents that need a file ended before a time.
	Ended func(tx *kv.Tx, hash string, before time.Time) (bool, error)
	// Needed reports whether anything needs a file.
	Needed func(tx *kv.Tx, hash string) (bool, error)
	Now    func() time.Time
	Host   string // names this machine to whoever finds the place taken
	Log    *slog.Logger
}

// Store moves files. Its methods are safe for concurrent use.
type Store struct {
	o      Options
	moving sync.Mutex // one pass at a time

	mu   sync.Mutex
	last Pass
}

// New returns a store.
func New(o Options) *Store { return &Store{o: o} }

// Off says why no file moves; nil if they do.
func (s *Store) Off() error { return s.o.Off }

// Address returns where files move.
func (s *Store) Address() string { return s.o.Place.Address("") }

// transferTime is how long an object may take; large files on slow lines need their time.
const transferTime = 15 * time.Minute

// Fetch opens a file that has moved. It returns [blob.ErrNotFound] if it has not.
func (s *Store) Fetch(hash string) (io.ReadCloser, error) {
	var m Moved
	err := s.o.DB.View(func(tx *kv.Tx) (err error) {
		m, err = files.Get(tx, hash)
		return err
	})
	if errors.Is(err, kv.ErrNotFound) || err == nil && m.Object == "" {
		return nil, blob.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	if s.o.Off != nil {
		return nil, fmt.Errorf("%w: the file moved there on %s: %w", ErrUnreachable, m.At.Format(time.DateOnly), s.o.Off)
	}
	ctx, cancel := context.WithTimeout(context.Background(), transferTime)
	r, err := s.open(ctx, m)
	if err != nil {
		cancel()
		return nil, err
	}
	return &transfer{r, cancel}, nil
}

// transfer is an object being read.
type transfer struct {
	io.ReadCloser
	end context.CancelFunc
}

// Close ends the transfer.
func (t *transfer) Close() error {
	defer t.end()
	return t.ReadCloser.Close()
}

// Sizes are how many files have moved, and their size in bytes.
type Sizes struct {
	Files int
	Bytes int64
}

// Sizes counts the files that have moved.
func (s *Store) Sizes() (of Sizes, err error) {
	err = s.o.DB.View(func(tx *kv.Tx) error {
		return files.Each(tx, byObject, nil, func(_ string, m Moved) (bool, error) {
			of.Files++
			of.Bytes += m.Size
			return true, nil
		})
	})
	return of, err
}
