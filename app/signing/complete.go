package signing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"paraph/app/account"
	"paraph/app/pdf"
	"paraph/app/pki"
	"paraph/kv"
)

// complete makes the final revisions of every file and the certificate of
// completion, and moves the document to Completed. When a remote timestamp
// authority does not answer the document stays in Sent, says so, and a job goes
// on trying.
func (s *Service) complete(ctx context.Context, d *Document, now time.Time) ([]saving, error) {
	files := slices.Clone(d.Files)
	for i := range files {
		files[i].Revisions = slices.Clone(files[i].Revisions)
		if err := s.finish(ctx, &files[i], now); err != nil {
			return s.sealingFails(d, err)
		}
	}
	d.Files = files
	completed := now
	d.Status, d.CompletedAt, d.Attention, d.AttentionText = Completed, &completed, "", ""
	certificate, err := s.certify(ctx, d, now)
	if err != nil {
		d.Status, d.CompletedAt = Sent, nil
		return s.sealingFails(d, err)
	}
	d.Certificate = certificate
	for i := range d.Invitations {
		if inv := &d.Invitations[i]; inv.Role == Viewer && inv.Status == Pending {
			inv.Status, inv.NotifiedAt, inv.UpdatedAt = Notified, &completed, now
		}
	}
	event := happened("document.completed").with("certificate_sha256", certificate.SHA256)
	for i := range d.Files {
		event = event.with("sha256."+d.Files[i].ID, d.Files[i].current())
	}
	return []saving{event}, nil
}

// sealingFails keeps the person's act and says what the document waits for, if
// the reason is one that goes away; any other failure is an error.
func (s *Service) sealingFails(d *Document, err error) ([]saving, error) {
	if !errors.Is(err, pki.ErrTimestamp) {
		return nil, err
	}
	s.Log.Warn("sealing waits for the timestamp authority", "document", d.ID, "error", err)
	d.Attention = AttentionSealing
	d.AttentionText = "Everybody has signed; the timestamp authority does not answer, so the seal is still missing. It is tried again until it answers."
	return []saving{happened("document.sealing_delayed")}, nil
}

// finish appends the validation data and the document timestamp to a file.
func (s *Service) finish(ctx context.Context, f *File, now time.Time) error {
	crls, err := s.Keys.CRLs(now)
	if err != nil {
		return fmt.Errorf("signing: revocation lists: %w", err)
	}
	if err := s.revise(f, "validation", now, func(b pdf.Base) (pdf.Revision, error) {
		return pdf.AddDSS(b, f.Certificates, crls, nil)
	}); err != nil {
		return err
	}
	ts := s.timestamper()
	return s.revise(f, "timestamp", now, func(b pdf.Base) (pdf.Revision, error) {
		return pdf.Timestamp(b, timestampField, timestampSize(ts), func(digest []byte) ([]byte, error) {
			return ts.Timestamp(ctx, digest)
		})
	})
}

// revise appends one revision that is nobody's act.
func (s *Service) revise(f *File, kind string, now time.Time, make func(pdf.Base) (pdf.Revision, error)) error {
	base, closeBase, err := s.baseOf(f)
	if err != nil {
		return err
	}
	rev, err := make(base)
	if err := closing(err, closeBase); err != nil {
		return fmt.Errorf("signing: %s of %s: %w", kind, f.ID, err)
	}
	return s.append(f, kind, "", rev, now)
}

// sealJob is the kind of the job that goes on trying to seal a document.
const sealJob = "seal"

// Seal tries again to complete a document that everybody has signed.
func (s *Service) Seal(ctx context.Context, company, id string) error {
	defer s.lock(id)()
	who := account.System(company)
	_, err := s.retry(func() (*Document, error) {
		d, err := s.get(who, id)
		if err != nil {
			return nil, err
		}
		if d.Status != Sent || d.Attention != AttentionSealing {
			return d, nil
		}
		version := d.Version
		events, err := s.complete(ctx, d, s.Now())
		if err != nil {
			return nil, err
		}
		if d.Status != Completed {
			return nil, pki.ErrTimestamp
		}
		err = s.DB.Update(func(tx *kv.Tx) error {
			stored, err := load(tx, who, id)
			if err != nil {
				return err
			}
			if err := unchanged(stored, version); err != nil {
				return err
			}
			return s.save(tx, who, d, events...)
		})
		return d, err
	})
	return err
}

// timestampSize leaves a tenth more room than the authority's tokens need.
func timestampSize(ts pki.Timestamper) int {
	n := ts.TokenSize()
	return n + n/10
}
