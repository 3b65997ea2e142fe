package signing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"paraph/app/account"
	"paraph/app/pdf/document"
	"paraph/app/pdf/verify"
	"paraph/app/pki"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// Renew adds another document timestamp to completed files whose last one was made with a
// certificate that expires before the given time, so that their signatures can still be
// proven afterwards (ETSI EN 319 142-1 §5.4.3). It returns the number of documents
// renewed.
func (s *Completion) Renew(ctx context.Context, before time.Time) (int, error) {
	type found struct{ company, id string }
	var all []found
	err := s.db.View(func(tx *kv.Tx) error {
		return store.Documents.Each(tx, "", nil, func(_ string, d record.Document) (bool, error) {
			if d.Status == record.Completed {
				all = append(all, found{d.Company, d.ID})
			}
			return true, ctx.Err()
		})
	})
	renewed := 0
	for i := 0; err == nil && i < len(all); i++ {
		var did bool
		if did, err = s.renew(ctx, all[i].company, all[i].id, before); did {
			renewed++
		}
	}
	return renewed, err
}

func (s *Completion) renew(ctx context.Context, company, id string, before time.Time) (did bool, err error) {
	defer s.changes.lock(id)()
	who := account.System(company)
	_, err = retry(func() (*record.Document, error) {
		did = false
		d, err := s.store.Get(who, id)
		if err != nil || d.Status != record.Completed {
			return d, err
		}
		version, now := d.Version, s.now(company)
		files := []*record.File{d.Certificate}
		for i := range d.Files {
			files = append(files, &d.Files[i])
		}
		for _, f := range files {
			again, err := s.renewFile(ctx, d.Company, f, before, now)
			if err != nil {
				return nil, fmt.Errorf("signing: renew %s: %w", id, err)
			}
			did = did || again
		}
		if !did {
			return d, nil
		}
		return s.store.Update(who, id, func(_ *kv.Tx, stored *record.Document) ([]record.Event, error) {
			if err := store.RequireVersion(stored, version); err != nil {
				return nil, err
			}
			stored.Files, stored.Certificate = d.Files, d.Certificate
			return []record.Event{record.NewEvent(record.EventDocumentRenewed)}, nil
		})
	})
	return did, err
}

// renewFile adds validation data and a timestamp if the last one expires before the given
// time, unless the new one would expire no later.
func (s *Completion) renewFile(ctx context.Context, company string, f *record.File, before, now time.Time) (bool, error) {
	ends, err := s.timestampEnds(f, now)
	if err != nil || !ends.Before(before) {
		return false, err
	}
	lists, err := s.revisions.revocationLists(company, now)
	if err != nil {
		return false, err
	}
	again := *f
	again.Revisions = slices.Clone(f.Revisions)
	if err := s.revisions.finish(ctx, company, &again, lists, now); err != nil {
		return false, err
	}
	next, err := s.timestampEnds(&again, now)
	if err != nil || !next.After(ends) {
		return false, err
	}
	*f = again
	return true, nil
}

// timestampEnds returns when the certificate of a file's last document timestamp expires.
func (s *Completion) timestampEnds(f *record.File, now time.Time) (ends time.Time, err error) {
	base, closeBase, err := s.revisions.baseOf(f)
	if err != nil {
		return time.Time{}, err
	}
	defer func() { err = errors.Join(err, closeBase()) }()
	file, err := document.Open(base.Reader, base.Size)
	if err != nil {
		return time.Time{}, err
	}
	signatures, err := verify.Signatures(file)
	if err != nil {
		return time.Time{}, err
	}
	for i := range signatures {
		if !signatures[i].Timestamp {
			continue
		}
		options := pki.VerifyOptions{Roots: s.keys.Roots(), At: now}
		t := pki.VerifyTimestamp(signatures[i].CMS, signatures[i].WriteSigned, options)
		if t.Certificate != nil {
			ends = t.Certificate.NotAfter
		}
	}
	return ends, nil
}
