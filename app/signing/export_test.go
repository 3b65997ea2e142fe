package signing

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"paraph/app/signing/completion"
	"paraph/app/signing/store"
	"paraph/app/turns"
	"paraph/kv"
)

// ForgetIssued deletes the index of completed files, which older versions did not keep.
func (s *Services) ForgetIssued() error {
	return s.Drafts.db.Update(func(tx *kv.Tx) error {
		var keys []string
		err := store.Issued.Each(tx, "", nil, func(key string, _ store.IssuedFor) (bool, error) {
			keys = append(keys, key)
			return true, nil
		})
		for _, key := range keys {
			err = errors.Join(err, store.Issued.Delete(tx, key))
		}
		return err
	})
}

// Locked returns how many documents have a lock.
func (s *Services) Locked() int {
	s.Drafts.changes.locks.mu.Lock()
	defer s.Drafts.changes.locks.mu.Unlock()
	return len(s.Drafts.changes.locks.of)
}

// DetectionQueue returns the queue for reading the text of files.
func (s *Drafts) DetectionQueue() *turns.Queue { return s.texts.queue }

// Archive is an archive with reserved names, for tests.
type Archive struct{ *archive }

// NewArchive returns an archive of a completed document, without its files.
func NewArchive(w io.Writer) *Archive {
	a := &Archive{newArchive(w)}
	a.reserve(certificateName, completion.EvidenceName)
	return a
}

// Add adds a file that somebody has named.
func (a *Archive) Add(t testing.TB, name, content string) {
	t.Helper()
	a.put(t, a.free(archiveName(name)), content)
}

// Finish adds the true files.
func (a *Archive) Finish(t testing.TB) {
	t.Helper()
	a.put(t, certificateName, "true")
	a.put(t, completion.EvidenceName, "true")
	if err := a.zip.Close(); err != nil {
		t.Fatal(err)
	}
}

func (a *Archive) put(t testing.TB, name, content string) {
	t.Helper()
	err := a.add(name, time.Now(), &Download{Open: func() (io.ReadSeekCloser, error) { return inMemory{strings.NewReader(content)}, nil }})
	if err != nil {
		t.Fatal(err)
	}
}
