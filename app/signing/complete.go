package signing

import (
	"context"
	"encoding/hex"
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
	lists, err := s.revocationLists(d.Company, now)
	if err != nil {
		return Event{}, err
	}
	for i := range d.Files {
		if err := s.finish(ctx, &d.Files[i], lists, now); err != nil {
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
	certificate, err := s.certify(ctx, d, lists, now)
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

// revocationLists returns the revocation lists of this installation, and those of the one
// that the company moved from.
func (s *Service) revocationLists(company string, now time.Time) ([][]byte, error) {
	lists, err := s.Keys.CRLs(now)
	if err != nil {
		return nil, fmt.Errorf("signing: revocation lists: %w", err)
	}
	moved, err := s.Keys.MovedLists(company)
	if err != nil {
		return nil, fmt.Errorf("signing: revocation lists of the former installation: %w", err)
	}
	return append(lists, moved...), nil
}

// finish appends the validation data and the document timestamp to a file, in one blob.
func (s *Service) finish(ctx context.Context, f *File, lists [][]byte, now time.Time) error {
	base, closeBase, err := s.baseOf(f)
	if err != nil {
		return err
	}
	g, first := growth{file: f, chain: pdf.NewChain(base), now: now}, len(f.Revisions)
	if err := disk.Closing(s.validate(ctx, &g, lists), closeBase); err != nil {
		return err
	}
	ref, err := s.store(g.chain.Appended())
	if err != nil {
		return err
	}
	f.Revisions[first].Blob = ref.Hash
	return nil
}

// validate adds the validation data and the document timestamp.
func (s *Service) validate(ctx context.Context, g *growth, lists [][]byte) error {
	f := g.file
	found := s.collect(ctx, f, lists)
	if err := g.add("validation", func(b pdf.Base) (pdf.Revision, error) {
		certs, crls := slices.Concat(f.Certificates, found.Certificates), slices.Concat(lists, found.CRLs)
		return pdf.AddDSS(b, certs, crls, found.OCSPs)
	}); err != nil {
		return err
	}
	ts := s.timestamper()
	return g.add("timestamp", func(b pdf.Base) (pdf.Revision, error) {
		return pdf.Timestamp(b, timestampField, timestampSize(ts), func(digest []byte) ([]byte, error) {
			token, err := ts.Timestamp(ctx, digest)
			if err != nil {
				return nil, err
			}
			return token, f.AddCertificates(token) // for the data of the next timestamp
		})
	})
}

// growth appends revisions that do not belong to a signatory. They are made in memory and
// stored together.
type growth struct {
	file  *File
	chain *pdf.Chain
	now   time.Time
}

func (g *growth) add(kind string, make func(pdf.Base) (pdf.Revision, error)) error {
	rev, err := make(g.chain.Base())
	if err != nil {
		return fmt.Errorf("signing: %s of %s: %w", kind, g.file.ID, err)
	}
	g.chain.Add(rev)
	g.file.Append(Revision{
		Kind: kind, Size: int64(len(rev.Bytes)),
		SHA256: hex.EncodeToString(rev.SHA256[:]), HashState: rev.HashState, At: g.now,
	})
	return nil
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

// timestampSize adds a tenth to the size that the authority's tokens need.
func timestampSize(ts pki.Timestamper) int {
	n := ts.TokenSize()
	return n + n/10
}
