package report

import (
	"context"
	"crypto/x509"
	"slices"
	"time"

	"paraph/app/pdf/document"
	"paraph/app/pdf/verify"
	"paraph/app/pki"
)

// examiner judges the signatures of a file from the last to the first: a document timestamp proves that what it
// covers existed at its time, and an earlier signature is judged at that time.
type examiner struct {
	file  *document.File
	roots []*x509.Certificate
	// stores holds the security stores of the file by revision, each including the data of all earlier revisions, so
	// that data dropped by a later one is not lost. The last is the current one.
	stores map[int]document.DSS
	dss    document.DSS
	extra  []*x509.Certificate // of dss
	proven time.Time
	// untrustedTime is the time of the earliest document timestamp whose authority is not trusted.
	untrustedTime time.Time
	// archived are the later document timestamps, latest first.
	archived []archive
}

// readStores reads the security stores of the signed revisions, before any of their data was dropped, and the current
// one.
func (e *examiner) readStores(signatures []verify.Signature) error {
	e.stores = map[int]document.DSS{}
	for _, revision := range storeRevisions(signatures) {
		d, err := e.file.DSSAt(revision)
		if err != nil {
			return err
		}
		e.dss = e.dss.With(d)
		e.stores[revision] = e.dss
	}
	d, err := e.file.DSS()
	e.dss = e.dss.With(d)
	for _, der := range e.dss.Certs {
		if c, err := pki.ParseCertificate(der); err == nil {
			e.extra = append(e.extra, c)
		}
	}
	return err
}

// storeRevisions lists the revisions whose security stores count, in order.
func storeRevisions(signatures []verify.Signature) []int {
	var out []int
	for _, s := range signatures {
		out = append(out, s.Revision)
		for _, u := range s.Later {
			if slices.ContainsFunc(u.Changes, func(c verify.Change) bool { return c.Rule == verify.RuleReduced }) {
				out = append(out, u.Revision-1)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (e *examiner) all(ctx context.Context, signatures []verify.Signature) []SignatureVerdict {
	out := make([]SignatureVerdict, len(signatures))
	for i, s := range slices.Backward(signatures) {
		if ctx.Err() == nil {
			out[i] = e.one(&s)
		}
		if ctx.Err() != nil { // whatever was not read by now would seem broken
			out[i] = unchecked(&s)
		}
	}
	return out
}

// one judges a signature or a document timestamp. A timestamp serves as proof for those
// judged next.
func (e *examiner) one(s *verify.Signature) SignatureVerdict {
	if !s.Timestamp {
		return e.signature(s)
	}
	v, t := e.timestamp(s)
	if v.Integrity != pki.Intact || s.Mistyped || !t.Believable() {
		return v
	}
	if t.TrustedRoot && t.ChainOK {
		e.proven = t.Time
	} else {
		e.untrustedTime = t.Time
	}
	e.archived = append(e.archived, archive{t, e.stores[s.Revision]})
	return v
}

func (e *examiner) options() pki.VerifyOptions {
	return pki.VerifyOptions{
		Roots: e.roots, Extra: e.extra, CRLs: e.dss.CRLs, OCSPs: e.dss.OCSPs, At: e.proven, Unvouched: e.untrustedTime,
	}
}

func (e *examiner) timestamp(s *verify.Signature) (SignatureVerdict, *pki.TimestampReport) {
	v := begin(s, "timestamp")
	t := pki.VerifyTimestamp(s.CMS, s.WriteSigned, e.options())
	v.Authority = t.Authority
	if !t.Time.IsZero() {
		v.TimestampAt = &t.Time
	}
	v.take(&t.SignatureReport)
	v.structure(s)
	return v, &t
}

func (e *examiner) signature(s *verify.Signature) SignatureVerdict {
	v := begin(s, "signature")
	if s.Certifies > 0 {
		v.Kind = "certification"
	}
	c := pki.VerifyCMS(s.CMS, s.WriteSigned, e.options())
	if !c.SigningTime.IsZero() && v.ClaimedAt == nil {
		v.ClaimedAt = &c.SigningTime
	}
	if t := c.Timestamp; t.Believable() {
		v.TimestampAt, v.Authority = &t.Time, t.Authority
	}
	v.take(&c.SignatureReport)
	v.structure(s)
	if v.Integrity == pki.Intact {
		v.Level = e.level(s, &c)
	}
	return v
}
