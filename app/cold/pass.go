package cold

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"paraph/app/blob"
	"paraph/app/bucket"
	"paraph/kv"
)

// kept is how long a file that was fetched or handed to another process stays on the disk.
const kept = 24 * time.Hour

// forgotten is how long an object outlives the last document that needed it: a backup made before may name it.
const forgotten = 30 * 24 * time.Hour

// every is the interval between passes.
const every = 6 * time.Hour

// Pass is one look through all files.
type Pass struct {
	At      time.Time
	Moved   int   // files that moved
	Bytes   int64 // that this freed
	Removed int   // objects that nothing needed any more
	Err     error
	Since   time.Time // of the first of the failures in a row; zero if it did not fail
}

// Last returns the last pass since the start.
func (s *Store) Last() Pass {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

func (s *Store) note(p Pass) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.Err != nil {
		p.Since = s.last.Since
		if p.Since.IsZero() {
			p.Since = p.At
		}
	}
	s.last = p
}

// Run moves files until ctx ends.
func (s *Store) Run(ctx context.Context) error {
	if s.o.Off != nil {
		<-ctx.Done()
		return nil
	}
	for t := time.NewTicker(every); ; {
		p := s.Move(ctx)
		if ctx.Err() != nil {
			t.Stop()
			return nil
		}
		if p.Err != nil {
			s.o.Log.Error("cannot move files to cold storage", "error", p.Err)
		} else if p.Moved+p.Removed > 0 {
			s.o.Log.Info("moved files to cold storage", "moved", p.Moved, "bytes", p.Bytes, "removed", p.Removed)
		}
		select {
		case <-ctx.Done():
			t.Stop()
			return nil
		case <-t.C:
		}
	}
}

// Move moves every file whose documents all ended long enough ago, frees the disk of files that have moved
// and were not read lately, and removes objects that nothing has needed for long. It goes on where it ended
// when it is called again.
func (s *Store) Move(ctx context.Context) Pass {
	s.moving.Lock()
	defer s.moving.Unlock()
	p := Pass{At: s.o.Now(), Err: s.o.Off}
	if p.Err == nil {
		p.Err = s.hold(ctx, false)
	}
	if p.Err == nil {
		p.Err = s.o.Blobs.Each(func(ref blob.Ref) error { return s.consider(ctx, ref, &p) })
	}
	if p.Err == nil {
		p.Err = s.sweep(ctx, &p)
	}
	s.note(p)
	return p
}

// consider moves or evicts a file of the disk.
func (s *Store) consider(ctx context.Context, ref blob.Ref, p *Pass) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var has, ended bool
	err := s.o.DB.View(func(tx *kv.Tx) (err error) {
		if ended, err = s.o.Ended(tx, ref.Hash, p.At.Add(-s.o.After)); err == nil && ended {
			has, err = Has(tx, ref.Hash)
		}
		return err
	})
	if err != nil || !ended {
		return err // a new document may need again what has moved: it stays
	}
	if !has {
		moved, err := s.move(ctx, ref, p)
		if err != nil || !moved {
			return err
		}
	}
	gone, err := s.o.Blobs.Evict(ref.Hash, p.At.Add(-kept))
	if gone {
		p.Bytes += ref.Size
	}
	return err
}

// move stores a file, unless it is damaged here, which is for the check of all data to report.
func (s *Store) move(ctx context.Context, ref blob.Ref, p *Pass) (moved bool, err error) {
	key, err := s.o.Key()
	if err != nil {
		return false, err
	}
	f, err := s.o.Blobs.Open(ref.Hash)
	if errors.Is(err, blob.ErrCorrupt) || errors.Is(err, blob.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	m := Moved{Hash: ref.Hash, Object: objectName(key, ref.Hash), Size: ref.Size, At: p.At}
	if err := errors.Join(s.put(ctx, key, m, f), f.Close()); err != nil {
		return false, err
	}
	p.Moved++
	return true, s.o.DB.Update(func(tx *kv.Tx) error { return files.Put(tx, ref.Hash, m) })
}

// sweep removes the objects of files that nothing has needed for long, or that came back.
func (s *Store) sweep(ctx context.Context, p *Pass) error {
	var changed []Moved
	err := s.o.DB.View(func(tx *kv.Tx) error {
		return files.Each(tx, "", nil, func(_ string, m Moved) (bool, error) {
			needed, err := s.o.Needed(tx, m.Hash)
			if err != nil {
				return false, err
			}
			if needed == (m.Unneeded != nil) || m.Leaving != "" || m.forgotten(p.At) {
				changed = append(changed, m)
			}
			return true, ctx.Err()
		})
	})
	for i := 0; i < len(changed) && err == nil; i++ {
		err = s.age(ctx, changed[i], p)
	}
	return err
}

// forgotten reports whether nothing has needed the file for long.
func (m Moved) forgotten(now time.Time) bool {
	return m.Unneeded != nil && now.Sub(*m.Unneeded) > forgotten
}

// age notes that a file is needed no more, or is again, and forgets it if it was not for long.
func (s *Store) age(ctx context.Context, m Moved, p *Pass) error {
	forget := false
	err := s.o.DB.Update(func(tx *kv.Tx) error {
		needed, err := s.o.Needed(tx, m.Hash)
		if err != nil {
			return err
		}
		forget = !needed && m.forgotten(p.At)
		switch {
		case needed:
			m.Unneeded = nil
		case m.Unneeded == nil:
			m.Unneeded = &p.At
		case forget:
			m.leave()
		}
		return files.Put(tx, m.Hash, m)
	})
	if err != nil || m.Leaving == "" && !forget {
		return err
	}
	return s.discard(ctx, m, forget, p)
}

// leave makes a file one that has not moved: whoever stores it again finds it on the disk.
func (m *Moved) leave() {
	if m.Object != "" {
		m.Object, m.Leaving = "", m.Object
	}
}

// discard removes an object that the record no longer names, and then the record if it is to be forgotten.
func (s *Store) discard(ctx context.Context, m Moved, forget bool, p *Pass) error {
	if m.Leaving != "" {
		if err := s.remove(ctx, m.Leaving); err != nil {
			return err
		}
		p.Removed++
	}
	m.Leaving = ""
	return s.o.DB.Update(func(tx *kv.Tx) error {
		if forget {
			return files.Delete(tx, m.Hash)
		}
		return files.Put(tx, m.Hash, m)
	})
}

// BringBack fetches every file that has moved, and removes its object.
func (s *Store) BringBack(ctx context.Context) (n int, err error) {
	s.moving.Lock()
	defer s.moving.Unlock()
	if s.o.Off != nil {
		return 0, s.o.Off
	}
	if err := s.hold(ctx, false); err != nil {
		return 0, err
	}
	var all []Moved
	err = s.o.DB.View(func(tx *kv.Tx) error {
		return files.Each(tx, "", nil, func(_ string, m Moved) (bool, error) {
			if m.Object != "" || m.Leaving != "" {
				all = append(all, m)
			}
			return true, nil
		})
	})
	for i := 0; i < len(all) && err == nil; i++ {
		if err = s.bringBack(ctx, all[i]); err == nil {
			n++
		}
	}
	return n, err
}

func (s *Store) bringBack(ctx context.Context, m Moved) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := s.o.Blobs.Open(m.Hash)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	m.leave()
	m.At = s.o.Now()
	if err := s.o.DB.Update(func(tx *kv.Tx) error { return files.Put(tx, m.Hash, m) }); err != nil {
		return err
	}
	return s.discard(ctx, m, false, &Pass{})
}

// Check compares the objects of the storage with the records: each is there, with its size. Contents are
// compared when files are read.
func (s *Store) Check(ctx context.Context) (problems []error) {
	any := false
	err := s.o.DB.View(func(tx *kv.Tx) (err error) {
		return files.Each(tx, byObject, nil, func(string, Moved) (bool, error) {
			any = true
			return false, nil
		})
	})
	if err != nil || !any {
		return []error{err}
	}
	if s.o.Off != nil {
		return []error{fmt.Errorf("%w: files have moved there: %w", ErrUnreachable, s.o.Off)}
	}
	key, err := s.o.Key()
	if err != nil {
		return []error{err}
	}
	e, err := encryptionFor(key.Recipient())
	if err != nil {
		return []error{err}
	}
	there, stop := s.list(ctx)
	defer stop()
	o, more := there()
	err = s.o.DB.View(func(tx *kv.Tx) error {
		return files.Each(tx, byObject, nil, func(_ string, m Moved) (bool, error) {
			name := s.o.Place.Prefix + m.Object
			for more && o.Err == nil && o.Key < name {
				o, more = there()
			}
			if more && o.Err != nil {
				return false, fmt.Errorf("%w: %w", ErrUnreachable, s.o.Place.Explain("", o.Err))
			}
			if !more || o.Key != name || o.Size != e.size(m.Size) {
				problems = append(problems, fmt.Errorf("file %s: %s is missing or has another size than it should", m.Hash, s.o.Place.Address(m.Object)))
			}
			return true, ctx.Err()
		})
	})
	return append(problems, err)
}

// list returns the objects with files, in the order of their names, as S3 lists them.
func (s *Store) list(ctx context.Context) (next func() (minio.ObjectInfo, bool), stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	p := s.o.Place
	next, end := iter.Pull(p.Client.ListObjectsIter(ctx, p.Name, minio.ListObjectsOptions{Prefix: p.Prefix + filesPrefix}))
	return next, func() { cancel(); end() }
}

// holderName is the object that says which installation's files a place has.
const holderName = "server.json"

// holder says whose files a place has.
type holder struct {
	kv.History
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

// TakenError reports that another server moves files to the place, and removes them there.
type TakenError struct{ Where, Host string }

// Error says what to do.
func (e *TakenError) Error() string {
	return fmt.Sprintf("%s holds the files of another server, %s: they can be read, but nothing moves there; "+
		"if this server goes on in that one's stead, run paraph cold --take-over, else set data.cold to a place of its own", e.Where, e.Host)
}

// TakeOver makes the place this server's, as after a restore or a promotion.
func (s *Store) TakeOver(ctx context.Context) error {
	s.moving.Lock()
	defer s.moving.Unlock()
	if s.o.Off != nil {
		return s.o.Off
	}
	return s.hold(ctx, true)
}

// Try reads from the place, and returns what keeps files from moving there.
func (s *Store) Try(ctx context.Context) error {
	if s.o.Off != nil {
		return s.o.Off
	}
	_, _, err := s.held(ctx, false)
	return err
}

// hold returns an error if the place belongs to another server: a copy of an installation must not remove what
// the original needs. An empty place is taken.
func (s *Store) hold(ctx context.Context, seize bool) error {
	own, is, err := s.held(ctx, seize)
	if err != nil || is {
		return err
	}
	p := s.o.Place
	b, err := json.Marshal(holder{own, s.o.Host, s.o.Now().UTC()})
	if err != nil {
		return err
	}
	_, err = p.Client.PutObject(ctx, p.Name, p.Prefix+holderName, strings.NewReader(string(b)), int64(len(b)),
		minio.PutObjectOptions{ContentType: "application/json", DisableContentSha256: true})
	return p.Explain(holderName, err)
}

// held reports whether the place is this server's already. It returns an error if it may not become that.
func (s *Store) held(ctx context.Context, seize bool) (own kv.History, is bool, err error) {
	if own, err = s.o.DB.History(); err != nil {
		return own, false, err
	}
	p := s.o.Place
	found, err := s.holder(ctx)
	switch {
	case err != nil:
		return own, false, p.Explain(holderName, err)
	case found.ID != "" && found.Line != own.Line:
		return own, false, fmt.Errorf("%s holds the files of another installation, on %s; set data.cold to a place of its own", p.Address(""), found.Host)
	case found.ID != "" && found.ID != own.ID && !seize:
		return own, false, &TakenError{p.Address(""), found.Host}
	}
	return own, found.ID == own.ID, nil
}

// maxHolder is how much of the object is read, in bytes.
const maxHolder = 64 << 10

func (s *Store) holder(ctx context.Context) (h holder, err error) {
	p := s.o.Place
	o, err := p.Client.GetObject(ctx, p.Name, p.Prefix+holderName, minio.GetObjectOptions{})
	if err != nil {
		return h, err
	}
	b, err := io.ReadAll(io.LimitReader(o, maxHolder))
	if bucket.Missing(err) {
		return h, o.Close()
	}
	if err := errors.Join(err, o.Close()); err != nil {
		return h, err
	}
	return h, json.Unmarshal(b, &h)
}
