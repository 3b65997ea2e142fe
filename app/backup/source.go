package backup

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"paraph/app/blob"
	"paraph/kv"
)

// Request describes a backup to make.
type Request struct {
	Parent      string `json:"parent"`       // ID of the backup to continue; empty for a full one
	OnlyChanged bool   `json:"only_changed"` // [ErrUnchanged] if nothing has changed since
	Keep        bool   `json:"keep"`         // many other backups will continue it
	NoFiles     bool   `json:"no_files"`     // list the files without copying them
	// Every is the pause between two backups of a follower; 0 for a single backup.
	Every time.Duration `json:"every"`
}

// Origin is the source of archives: the data folder itself, or the server that has it open.
type Origin interface {
	// Known lists the good backups that can be continued, oldest first.
	Known(ctx context.Context) ([]Record, error)
	// Open begins an archive, neither compressed nor encrypted.
	Open(ctx context.Context, q Request) (io.ReadCloser, error)
	// Done records that a backup has been read back and has its final name.
	Done(ctx context.Context, r Record) error
	// History returns the history of the records.
	History(ctx context.Context) (kv.History, error)
	// Superseded tells the server that another one was restored or promoted in its stead.
	Superseded(ctx context.Context, by Claim) error
	// TakeOver begins an epoch that follows the given one, in which this server is the primary.
	TakeOver(ctx context.Context, after uint64) (kv.History, error)
}

// Files tells which of the stored files the records need.
type Files interface {
	// Each calls fn for every such file, in order. With since, a number returned by
	// [kv.DB.Backup], it may omit those needed without interruption since then.
	Each(tx *kv.Tx, since uint64, fn func(hash string) error) error
	// Needs reports whether a file is one of them.
	Needs(tx *kv.Tx, hash string) (bool, error)
}

// Source is an open data folder.
type Source struct {
	DB          *kv.DB
	Blobs       *blob.Store
	Files       Files
	Dir         string // the data folder
	Settings    string // the configuration file, or empty
	DataVersion int
	Program     string
	Now         func() time.Time
	LostKeys    func() ([]string, error) // the names of keys that the records need and that are gone, or nil
}

// Known implements [Origin].
func (s *Source) Known(context.Context) ([]Record, error) {
	all, err := s.catalog().list()
	if err != nil {
		return nil, err
	}
	own, err := s.DB.History()
	return slices.DeleteFunc(all, func(r Record) bool { return !s.continues(r, own) }), err
}

// continues reports whether an increment of a history can continue a backup. That may be one of records
// which have been migrated since: a migration changes them as any other writer does.
func (s *Source) continues(r Record, own kv.History) bool {
	return (r.History == own.ID || r.History == "" && own.Epoch == 0) && r.Good && r.Format == format && r.DataVersion <= s.DataVersion && r.Upto <= s.DB.Moment()
}

// Done implements [Origin].
func (s *Source) Done(_ context.Context, r Record) error {
	c := s.catalog()
	own, err := c.get(r.ID)
	if err != nil {
		return err
	}
	own.Good, own.Confirmed = true, s.Now()
	own.Where, own.Size, own.Fingerprint, own.Encrypted = r.Where, r.Size, r.Fingerprint, r.Encrypted
	if err := c.put(own); err != nil {
		return err
	}
	return errors.Join(c.prune(s.Now()), s.forget())
}

// forget lets go of the records of deletions that no backup needs any more.
func (s *Source) forget() error {
	known, err := s.Known(context.Background())
	if err != nil || len(known) == 0 {
		return err
	}
	oldest := slices.MinFunc(known, func(a, b Record) int { return cmp.Compare(a.Upto, b.Upto) })
	kv.KeepDeletions(s.DB, oldest.Upto)
	return nil
}

// Open implements [Origin].
func (s *Source) Open(ctx context.Context, q Request) (io.ReadCloser, error) {
	run, err := s.prepare(q)
	if err != nil {
		return nil, err
	}
	r, w := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.CloseWithError(run.write(ctx, w))
	}()
	return &stream{r, ended}, nil
}

// KeepRecords writes the records and keys to a new file before they are migrated. Uploaded
// files never change, so they are not copied. An existing copy is kept: it is from an
// interrupted migration.
func (s *Source) KeepRecords(ctx context.Context, path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	in, name, err := Buckets{}.place(path, true)
	if err != nil {
		return err
	}
	stream, err := s.Open(ctx, Request{NoFiles: true})
	if err != nil {
		return err
	}
	_, err = place{in, name}.fill(ctx, stream, Keys{})
	return errors.Join(err, stream.Close())
}

// stream waits for its writer when it is closed.
type stream struct {
	*io.PipeReader
	ended <-chan struct{}
}

func (s *stream) Close() error {
	err := s.PipeReader.Close()
	<-s.ended
	return err
}

func (s *Source) catalog() catalog { return catalogOf(s.Dir) }
