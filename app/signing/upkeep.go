package signing

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"paraph/app/blob"
	"paraph/app/cold"
	"paraph/app/pdf"
	"paraph/app/pdf/document"
	"paraph/app/pdf/page"
	"paraph/app/pdf/verify"
	"paraph/app/pki"
	"paraph/app/signing/lists"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// Collections lists the collections of this package, for checking the data folder.
func Collections() []kv.Checker {
	return []kv.Checker{
		store.Documents, store.Rows, lists.Texts, store.Invited, identities, visitors, store.SavedAnswers, unfinished,
		store.Waits, store.Snapshots, store.Summaries, store.Usages, store.Issued, store.Changes, savedMarks, savedFields, devices,
	}
}

// NeedsFile reports whether a document needs a stored file.
func NeedsFile(tx *kv.Tx, hash string) (bool, error) {
	return store.Documents.HasPart(tx, store.FileIndex, hash)
}

// EndedBefore reports whether a document needs a stored file, and all that do were completed or voided before a time.
func EndedBefore(tx *kv.Tx, hash string, before time.Time) (ended bool, err error) {
	err = store.Documents.Each(tx, store.FileIndex, kv.K(hash), func(_ string, d record.Document) (bool, error) {
		at := d.Ended()
		ended = !d.Status.Open() && at != nil && at.Before(before)
		return ended, nil
	})
	return ended, err
}

// Sweep removes files that no document needs and that are older than the given time, and
// abandoned uploads. It also keeps the files that one of others needs.
func (s *Upkeep) Sweep(ctx context.Context, before time.Time, others ...func(tx *kv.Tx, hash string) (bool, error)) (int, error) {
	_, partial := s.blobs.SweepPartial(before)
	if err := errors.Join(partial, s.drafts.sweepUploads()); err != nil {
		return 0, err
	}
	return s.blobs.Sweep(before, func(hash string) (needed bool, err error) {
		err = s.db.View(func(tx *kv.Tx) error {
			needed, err = NeedsFile(tx, hash)
			for i := 0; i < len(others) && err == nil && !needed; i++ {
				needed, err = others[i](tx, hash)
			}
			return errors.Join(err, ctx.Err())
		})
		return needed, err
	})
}

// Check examines all documents: every file they need exists and matches its hash, the
// revisions are consistent, and the journal's chain is intact and ends where the records
// say. rest is called again and again, so that the check can be slowed down, and each is told the sizes of
// a document's files.
func (s *Upkeep) Check(ctx context.Context, rest func(), each func(record.Sizes)) []error {
	var problems []error
	err := kv.ViewSlowly(s.db, rest, func(tx *kv.Tx) error {
		problems = append(problems, store.Events.Problems(tx)...)
		problems = append(problems, store.CheckUsage(tx)...)
		err := store.Documents.Each(tx, "", nil, func(key string, d record.Document) (bool, error) {
			problems = append(problems, s.checkDocument(tx, key, &d)...)
			each(d.Sizes())
			return true, ctx.Err()
		})
		if err != nil {
			return err
		}
		return store.Documents.EachPart(tx, store.FileIndex, 0, func(hash string) error {
			problems = append(problems, s.checkFile(tx, hash)...)
			return ctx.Err()
		})
	})
	return append(problems, err)
}

// checkFile verifies a file, and names the documents that need it if it is missing or damaged.
func (s *Upkeep) checkFile(tx *kv.Tx, hash string) (problems []error) {
	bad := s.blobs.Verify(hash)
	if errors.Is(bad, blob.ErrNotFound) {
		moved, err := cold.Has(tx, hash)
		if err != nil || moved {
			return []error{err}
		}
	}
	if bad == nil {
		return nil
	}
	err := store.Documents.Each(tx, store.FileIndex, kv.K(hash), func(_ string, d record.Document) (bool, error) {
		problems = append(problems, fmt.Errorf("document %s: file %s: %w", d.ID, hash, bad))
		return true, nil
	})
	return append(problems, err)
}

func (s *Upkeep) checkDocument(tx *kv.Tx, key string, d *record.Document) []error {
	var problems []error
	if key != store.DocumentKey(d.Company, d.ID) {
		problems = append(problems, fmt.Errorf("document %s is stored under %s", d.ID, key))
	}
	head, err := store.Events.ChainHead(tx, d.ID)
	if err != nil || fmt.Sprintf("%x", head) != d.Head {
		problems = append(problems, errors.Join(fmt.Errorf("document %s: the audit trail does not end where the record says", d.ID), err))
	}
	row, err := store.Rows.Get(tx, key)
	if err != nil {
		return append(problems, fmt.Errorf("document %s: list item: %w", d.ID, err))
	}
	want, err := store.RowCodec.Encode(record.RowOf(d))
	if err != nil {
		return append(problems, err)
	}
	got, err := store.RowCodec.Encode(row)
	if err != nil || !bytes.Equal(got, want) {
		problems = append(problems, errors.Join(fmt.Errorf("document %s: the list item differs from the record", d.ID), err))
	}
	v, err := store.Summaries.Get(tx, key)
	if err != nil || v.Bytes != d.Bytes() || v.Attention != store.SummaryOf(d).Attention {
		problems = append(problems, errors.Join(fmt.Errorf("document %s: what the installation counts of it differs from the record", d.ID), err))
	}
	return append(problems, checkWaiting(tx, key, d)...)
}

// checkWaiting compares a document's waiting record with the document.
func checkWaiting(tx *kv.Tx, key string, d *record.Document) []error {
	sameKey := func(a, b kv.Key) bool { return bytes.Equal(a, b) }
	want, any := store.WaitingOf(d)
	got, err := store.Waits.Get(tx, key)
	switch {
	case errors.Is(err, kv.ErrNotFound) && !any:
		return nil
	case err == nil && any && slices.EqualFunc(got.Keys(), want.Keys(), sameKey):
		return nil
	}
	return []error{errors.Join(fmt.Errorf("document %s: for whom it waits differs from the record", d.ID), err)}
}

// RebuildRows rewrites every list item from its document, some documents at a time.
func (s *Upkeep) RebuildRows(ctx context.Context) error {
	for from, more := "", true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var keys []string
		err := s.db.View(func(tx *kv.Tx) error {
			return store.Documents.EachFrom(tx, "", nil, kv.Key(from), func(key string, _ record.Document) (bool, error) {
				keys = append(keys, key)
				return len(keys) < rebuiltAtOnce, nil
			})
		})
		if err == nil {
			err = s.db.Update(func(tx *kv.Tx) error { return rebuildRows(tx, keys) })
		}
		if err != nil {
			return err
		}
		if more = len(keys) == rebuiltAtOnce; more {
			from = keys[len(keys)-1] + "\x00"
		}
	}
	return nil
}

// rebuiltAtOnce is the number of documents in one update.
const rebuiltAtOnce = 100

func rebuildRows(tx *kv.Tx, keys []string) error {
	for _, key := range keys {
		d, err := store.Documents.Get(tx, key)
		if errors.Is(err, kv.ErrNotFound) {
			continue // deleted since
		}
		if err != nil {
			return err
		}
		if err := errors.Join(store.PutWaiting(tx, &d), store.PutSummary(tx, &d), store.Rows.Put(tx, key, record.RowOf(&d))); err != nil {
			return err
		}
	}
	return nil
}

// SelfTest signs, seals and verifies a page: if it returns nil, signing works.
func (s *Upkeep) SelfTest(ctx context.Context) error {
	now := s.now("")
	b := page.New(s.fonts, page.Info{Title: "Self-test"})
	b.Text(72, 72, 12, false, false, 0, 0, 0, "Self-test")
	var out bytes.Buffer
	if _, err := b.Write(&out); err != nil {
		return err
	}
	signer, err := s.keys.Signatory(pki.Person{Name: "Self-test", Email: "self-test@localhost"}, now)
	if err != nil {
		return err
	}
	// Use the built-in authority: people can sign even while a remote one is down.
	seal := sealBy(ctx, &record.File{}, signer, s.keys.Timestamper(), now, "Self-test", "")
	base := pdf.Base{Reader: bytes.NewReader(out.Bytes()), Size: int64(out.Len())}
	rev, err := pdf.Prepare(base, pdf.PrepareSpec{Certify: &seal})
	if err != nil {
		return err
	}
	out.Write(rev.Bytes)
	if sum := sha256.Sum256(out.Bytes()); sum != rev.SHA256 {
		return errors.New("signing: self-test: the file is not what was signed")
	}
	return s.selfVerify(out.Bytes(), now)
}

func (s *Upkeep) selfVerify(file []byte, now time.Time) error {
	f, err := document.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return err
	}
	signatures, err := verify.Signatures(f)
	if err != nil {
		return err
	}
	if len(signatures) != 1 || !signatures[0].Sound() {
		return errors.New("signing: self-test: the signature is not sound")
	}
	r := pki.VerifyCMS(signatures[0].CMS, signatures[0].WriteSigned, pki.VerifyOptions{Roots: s.keys.Roots(), At: now})
	if !r.Trusted() {
		return fmt.Errorf("signing: self-test: %v", r.Problems)
	}
	return nil
}
