package signing

import (
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"paraph/app/blob"
	"paraph/app/pdf"
	"paraph/app/pki"
	"paraph/app/signing/disk"
	"paraph/app/signing/record"
)

// revisions appends to the PDF of a file: signatures, seals and validation data.
type revisions struct {
	blobs       *blob.Store
	keys        *pki.Authority
	timestamper func(company string, sealing bool) pki.Timestamper
	revocations *pki.Collector // nil fetches none
	log         *slog.Logger
}

// sealBy returns a PDF seal made with one of our signers and a timestamp authority, nil for
// none. The certificates included with the signature are recorded in the file, for its
// validation data.
func sealBy(
	ctx context.Context, f *record.File, signer *pki.Signer, ts pki.Timestamper, now time.Time, name, reason string,
) pdf.Seal {
	return pdf.Seal{
		Size: pki.SizeCMS(signer, ts), Name: name, Reason: reason, At: now,
		Sign: func(digest []byte) ([]byte, error) {
			cms, err := pki.SignCMS(ctx, signer, digest, ts)
			if err != nil {
				return nil, err
			}
			return cms, f.AddCertificates(cms)
		},
	}
}

// authority returns the authority whose timestamps a company's files get until they are sealed.
func (s *revisions) authority(company string) pki.Timestamper { return s.timestamper(company, false) }

// sealer returns the authority whose timestamps a company's files get when they are sealed.
func (s *revisions) sealer(company string) pki.Timestamper { return s.timestamper(company, true) }

// baseOf opens the current PDF of a file, to append to.
func (s *revisions) baseOf(f *record.File) (pdf.Base, func() error, error) {
	file, err := s.blobs.Concat(f.Blobs()...)
	if err != nil {
		return pdf.Base{}, nil, fmt.Errorf("signing: open %s: %w", f.ID, err)
	}
	base := pdf.Base{Reader: file, Size: file.Size(), HashState: file.HashState()}
	if n := len(f.Revisions); n > 0 {
		base.HashState = f.Revisions[n-1].HashState
	}
	return base, file.Close, nil
}

// append writes a revision to disk and adds it to the file's record.
func (s *revisions) append(f *record.File, kind, invitation string, rev pdf.Revision, now time.Time) error {
	ref, err := s.store(rev.Bytes)
	if err != nil {
		return err
	}
	f.Append(record.Revision{
		Kind: kind, Invitation: invitation, Blob: ref.Hash, Size: ref.Size,
		SHA256: hex.EncodeToString(rev.SHA256[:]), HashState: rev.HashState, At: now,
	})
	return nil
}

// store writes a blob that consists of the given parts.
func (s *revisions) store(parts ...[]byte) (blob.Ref, error) {
	w, err := s.blobs.Create()
	if err != nil {
		return blob.Ref{}, disk.SpaceError(err)
	}
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return blob.Ref{}, disk.SpaceError(disk.Closing(err, w.Abort))
		}
	}
	ref, err := w.Commit()
	return ref, disk.SpaceError(err)
}

// revocationLists returns the revocation lists of this installation, and those of the one
// that the company moved from.
func (s *revisions) revocationLists(company string, now time.Time) ([][]byte, error) {
	lists, err := s.keys.CRLs(now)
	if err != nil {
		return nil, fmt.Errorf("signing: revocation lists: %w", err)
	}
	moved, err := s.keys.MovedLists(company)
	if err != nil {
		return nil, fmt.Errorf("signing: revocation lists of the former installation: %w", err)
	}
	return append(lists, moved...), nil
}

// finish appends the validation data and the document timestamp to a company's file, in one blob.
func (s *revisions) finish(ctx context.Context, company string, f *record.File, lists [][]byte, now time.Time) error {
	base, closeBase, err := s.baseOf(f)
	if err != nil {
		return err
	}
	g, first := growth{file: f, company: company, chain: pdf.NewChain(base), now: now}, len(f.Revisions)
	if err := disk.Closing(s.validate(ctx, &g, lists), closeBase); err != nil {
		return err
	}
	ref, err := s.store(g.chain.Appended()...)
	if err != nil {
		return err
	}
	f.Revisions[first].Blob = ref.Hash
	return nil
}

// validate adds the validation data and the document timestamp.
func (s *revisions) validate(ctx context.Context, g *growth, lists [][]byte) error {
	f := g.file
	found := s.collect(ctx, f, lists)
	if err := g.add("validation", func(b pdf.Base) (pdf.Revision, error) {
		certs, crls := slices.Concat(f.Certificates, found.Certificates), slices.Concat(lists, found.CRLs)
		return pdf.AddDSS(b, certs, crls, found.OCSPs)
	}); err != nil {
		return err
	}
	ts := s.sealer(g.company)
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
	file    *record.File
	company string
	chain   *pdf.Chain
	now     time.Time
}

func (g *growth) add(kind string, make func(pdf.Base) (pdf.Revision, error)) error {
	rev, err := make(g.chain.Base())
	if err != nil {
		return fmt.Errorf("signing: %s of %s: %w", kind, g.file.ID, err)
	}
	g.chain.Add(rev)
	g.file.Append(record.Revision{
		Kind: kind, Size: int64(len(rev.Bytes)),
		SHA256: hex.EncodeToString(rev.SHA256[:]), HashState: rev.HashState, At: g.now,
	})
	return nil
}

// collect fetches the proof that certificates of other authorities were not revoked.
// Certificates without such proof are recorded in the file, whose signatures then reach
// no higher level than B-T (ETSI EN 319 142-1 §6.3).
func (s *revisions) collect(ctx context.Context, f *record.File, crls [][]byte) pki.Collected {
	if s.revocations == nil {
		return pki.Collected{}
	}
	found := s.revocations.Collect(ctx, f.Certificates, crls)
	f.Unproven = found.Missing
	if len(f.Unproven) > 0 {
		s.log.Warn("no revocation data", "file", f.ID, "certificates", f.Unproven)
	}
	return found
}

// timestampSize adds a tenth to the size that the authority's tokens need.
func timestampSize(ts pki.Timestamper) int {
	n := ts.TokenSize()
	return n + n/10
}
