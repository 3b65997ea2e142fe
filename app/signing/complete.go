package signing

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"paraph/app/pdf"
	"paraph/app/pki"
	"paraph/app/signing/disk"
	"paraph/app/signing/record"
)

// complete makes the final revisions of every file and the certificate of
// completion, and moves the record to Completed.
func (s *Service) complete(ctx context.Context, d *Document, now time.Time) (Event, error) {
	for i := range d.Files {
		if err := s.finish(ctx, d.Company, &d.Files[i], now); err != nil {
			return Event{}, err
		}
	}
	d.Status, d.CompletedAt = record.Completed, &now
	d.SetAttention(Attention{})
	d.SealCauses = nil
	for i := range d.Invitations {
		if inv := &d.Invitations[i]; inv.Role == record.Viewer && inv.Status == record.Pending {
			inv.Status, inv.NotifiedAt, inv.UpdatedAt = record.Notified, &now, now
		}
	}
	certificate, err := s.certify(ctx, d, now)
	if err != nil {
		return Event{}, err
	}
	d.Certificate = certificate
	event := record.NewEvent(record.EventDocumentCompleted).With("certificate_sha256", certificate.Current())
	if missing := d.Unproven(); len(missing) > 0 {
		event = event.With("revocation_unknown", strings.Join(missing, ", "))
	}
	for i := range d.Files {
		event = event.With("sha256."+d.Files[i].ID, d.Files[i].Current())
	}
	return event, nil
}

// finish appends the validation data and the document timestamp to a file.
func (s *Service) finish(ctx context.Context, company string, f *File, now time.Time) error {
	crls, err := s.Keys.CRLs(now)
	if err != nil {
		return fmt.Errorf("signing: revocation lists: %w", err)
	}
	moved, err := s.Keys.MovedLists(company)
	if err != nil {
		return fmt.Errorf("signing: revocation lists of the former installation: %w", err)
	}
	crls = append(crls, moved...)
	found := s.collect(ctx, f, crls)
	if err := s.revise(f, "validation", now, func(b pdf.Base) (pdf.Revision, error) {
		certs, crls := slices.Concat(f.Certificates, found.Certificates), slices.Concat(crls, found.CRLs)
		return pdf.AddDSS(b, certs, crls, found.OCSPs)
	}); err != nil {
		return err
	}
	ts := s.timestamper()
	return s.revise(f, "timestamp", now, func(b pdf.Base) (pdf.Revision, error) {
		return pdf.Timestamp(b, timestampField, timestampSize(ts), func(digest []byte) ([]byte, error) {
			token, err := ts.Timestamp(ctx, digest)
			if err != nil {
				return nil, err
			}
			return token, f.AddCertificates(token) // for the data of the next timestamp
		})
	})
}

// collect fetches the proof that certificates of other authorities were not revoked.
// Certificates without such proof are recorded in the file, whose signatures then reach
// no higher level than B-T (ETSI EN 319 142-1 §6.3).
func (s *Service) collect(ctx context.Context, f *File, crls [][]byte) pki.Collected {
	if s.Revocations == nil {
		return pki.Collected{}
	}
	found := s.Revocations.Collect(ctx, f.Certificates, crls)
	f.Unproven = found.Missing
	if len(f.Unproven) > 0 {
		s.Log.Warn("no revocation data", "file", f.ID, "certificates", f.Unproven)
	}
	return found
}

// revise appends a revision that does not belong to a signatory.
func (s *Service) revise(f *File, kind string, now time.Time, make func(pdf.Base) (pdf.Revision, error)) error {
	base, closeBase, err := s.baseOf(f)
	if err != nil {
		return err
	}
	rev, err := make(base)
	if err := disk.Closing(err, closeBase); err != nil {
		return fmt.Errorf("signing: %s of %s: %w", kind, f.ID, err)
	}
	return s.append(f, kind, "", rev, now)
}

// timestampSize adds a tenth to the size that the authority's tokens need.
func timestampSize(ts pki.Timestamper) int {
	n := ts.TokenSize()
	return n + n/10
}
