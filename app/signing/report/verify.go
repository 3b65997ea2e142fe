package report

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"paraph/app/pdf"
	"paraph/app/pki"
)

// Options configure the verification of a file.
type Options struct {
	Roots    []*x509.Certificate // the trusted ones
	Now      time.Time
	Password string // of an encrypted file
}

// MaxTime bounds the work on one file: 25 signatures take a fraction of a
// second. Signatures not checked by then get no verdict.
const MaxTime = 15 * time.Second

// Verify reports on every signature of a PDF, ours and others'. It keeps nothing of the
// file. Signatures not checked when the context ends get no verdict. The error is one of
// reading the file.
func Verify(ctx context.Context, r io.ReaderAt, size int64, o Options) (*Report, error) {
	f, err := open(ctx, r, size, o)
	if err != nil {
		return nil, err
	}
	signatures, err := f.Signatures()
	if err != nil && (ctx.Err() == nil || len(signatures) == 0) {
		return nil, tooComplex(ctx, err)
	}
	out := &Report{Pages: len(f.Pages())}
	if out.Prefixes, err = prefixes(r, size, signatures); err != nil {
		return nil, err
	}
	out.SHA256 = out.Prefixes[0].SHA256
	return out, out.judge(ctx, f, signatures, o)
}

// judge adds the verdicts on the signatures.
func (out *Report) judge(ctx context.Context, f *pdf.File, signatures []pdf.Signature, o Options) error {
	if f.Encrypted() {
		out.Findings = append(out.Findings, pki.Finding{Code: "encrypted"})
	}
	if f.Recovered() {
		out.Findings = append(out.Findings, pki.Finding{Code: "cross_references"})
	}
	if pages := f.Overlaps(); len(pages) > 0 {
		out.Findings = append(out.Findings, pki.Finding{Code: "overlap", Args: pki.Args{"pages": numbers(pages)}})
	}
	e := examiner{file: f, proven: o.Now, roots: o.Roots}
	if err := e.readStores(signatures); err != nil && ctx.Err() == nil {
		return err
	}
	out.Signatures = e.all(ctx, signatures)
	if ctx.Err() != nil {
		out.Findings = append(out.Findings, pki.Finding{Code: "too_much_work"})
	}
	out.Sound = len(out.Signatures) > 0
	for i := range out.Signatures {
		out.Sound = out.Sound && out.Signatures[i].Sound()
	}
	return nil
}

func open(ctx context.Context, r io.ReaderAt, size int64, o Options) (*pdf.File, error) {
	f, err := pdf.OpenSecret(ctx, r, size, o.Password)
	if errors.Is(err, pdf.ErrDamaged) {
		if mended, failed := pdf.Recover(ctx, r, size, o.Password); failed == nil {
			return mended, nil
		}
	}
	return f, tooComplex(ctx, err)
}

// tooComplex returns the error for a file whose signatures could not be listed in time.
func tooComplex(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return fmt.Errorf("%w: %w", pdf.ErrTooComplex, err)
}

// unchecked returns the verdict on a signature that could not be checked in time.
func unchecked(s *pdf.Signature) SignatureVerdict {
	v := begin(s, "signature")
	if s.Timestamp {
		v.Kind = "timestamp"
	}
	said := pki.Finding{Code: "too_much_work"}
	v.Integrity, v.Identity, v.Later = pki.NotJudged, pki.NoIdentity, NotJudged
	v.Revocation = pki.RevocationUnknown
	v.IntegrityReasons, v.Problems = []pki.Finding{said}, []pki.Finding{said}
	return v
}

// numbers lists the first few numbers as text.
func numbers(all []int) string {
	const most = 20
	var out []string
	for i, n := range all {
		if i == most {
			return strings.Join(append(out, "…"), ", ")
		}
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, ", ")
}

// prefixes hashes the file up to the end of each signature, in one pass.
func prefixes(r io.ReaderAt, size int64, signatures []pdf.Signature) ([]Prefix, error) {
	ends := []int64{size}
	for _, s := range signatures {
		if s.End > 0 && s.End < size {
			ends = append(ends, s.End)
		}
	}
	slices.Sort(ends)
	sum, at := sha256.New(), int64(0)
	var out []Prefix
	for _, end := range slices.Compact(ends) {
		if _, err := io.Copy(sum, io.NewSectionReader(r, at, end-at)); err != nil {
			return nil, err
		}
		at = end
		out = append(out, Prefix{SHA256: hex.EncodeToString(sum.Sum(nil)), Whole: end == size})
	}
	slices.Reverse(out)
	return out, nil
}

// examiner judges the signatures of a file from the last to the first: a document timestamp proves that what it
// covers existed at its time, and an earlier signature is judged at that time.
type examiner struct {
	file  *pdf.File
	roots []*x509.Certificate
	// stores holds the security stores of the file by revision, each including the data of all earlier revisions, so
	// that data dropped by a later one is not lost. The last is the current one.
	stores map[int]pdf.DSS
	dss    pdf.DSS
	extra  []*x509.Certificate // of dss
	proven time.Time
	// untrustedTime is the time of the earliest document timestamp whose authority is not trusted.
	untrustedTime time.Time
	// archived are the later document timestamps, latest first.
	archived []archive
}

// readStores reads the security stores of the signed revisions, before any of their data was dropped, and the current
// one.
func (e *examiner) readStores(signatures []pdf.Signature) error {
	e.stores = map[int]pdf.DSS{}
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
func storeRevisions(signatures []pdf.Signature) []int {
	var out []int
	for _, s := range signatures {
		out = append(out, s.Revision)
		for _, u := range s.Later {
			if slices.ContainsFunc(u.Changes, func(c pdf.Change) bool { return c.Rule == pdf.RuleReduced }) {
				out = append(out, u.Revision-1)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (e *examiner) all(ctx context.Context, signatures []pdf.Signature) []SignatureVerdict {
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
func (e *examiner) one(s *pdf.Signature) SignatureVerdict {
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

func (e *examiner) timestamp(s *pdf.Signature) (SignatureVerdict, *pki.TimestampReport) {
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

func (e *examiner) signature(s *pdf.Signature) SignatureVerdict {
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

func begin(s *pdf.Signature, kind string) SignatureVerdict {
	v := SignatureVerdict{Field: s.Field, Kind: kind, Reason: s.Reason, Revision: s.Revision, End: s.End, CoversAll: s.Whole}
	if !s.At.IsZero() {
		v.ClaimedAt = &s.At
	}
	return v
}

func (v *SignatureVerdict) take(r *pki.SignatureReport) {
	v.Integrity, v.Identity = r.Integrity(), r.Identity()
	v.IntegrityReasons = append(slices.Clone(r.Faults), r.Gaps...)
	v.IdentityReasons = r.IdentityProblems()
	v.Trusted = r.Trusted()
	v.Algorithm, v.Revocation = r.Algorithm, r.Revocation.Status
	v.Problems = append(v.Problems, r.Problems...)
	v.Notes = append(v.Notes, r.Weak...)
	if c := r.Certificate; c != nil {
		v.Signer, v.Issuer = c.Subject.CommonName, c.Issuer.CommonName
		if len(c.EmailAddresses) > 0 {
			v.Email = c.EmailAddresses[0]
		}
	}
	if n := len(r.Chain); n > 0 {
		v.Root = r.Chain[n-1].Subject.CommonName
	}
}

// structure records what the file's structure shows: attacks by name, and every
// later change with whether it was permitted.
func (v *SignatureVerdict) structure(s *pdf.Signature) {
	for _, p := range s.Problems {
		said := pki.Finding{Code: p.Code}
		v.Problems = append(v.Problems, said)
		v.IntegrityReasons = append(v.IntegrityReasons, said)
		v.Integrity = pki.Broken
	}
	v.Later = NoChanges
	if s.Unjudged || len(s.ByteRange) != 4 {
		v.Later = NotJudged
	}
	for _, u := range s.Later {
		for _, c := range u.Changes {
			v.changed(u.Revision, c)
		}
	}
	v.Trusted = v.Trusted && v.Integrity == pki.Intact && v.Later != NotPermitted
}

// changed records one change. A single act may touch several objects; it is reported once.
func (v *SignatureVerdict) changed(revision int, c pdf.Change) {
	said := ChangeVerdict{
		Revision: revision, Kind: c.Kind, Object: c.Object, Page: c.Page, Field: c.Field, Key: c.Key, Rule: c.Rule, Permitted: c.Permitted,
	}
	same := func(x ChangeVerdict) bool {
		x.Object = said.Object
		return x == said
	}
	if i := slices.IndexFunc(v.Changes, same); i >= 0 {
		if v.Changes[i].Object != said.Object {
			v.Changes[i].Object = 0
		}
		return
	}
	v.Changes = append(v.Changes, said)
	switch {
	case !c.Permitted:
		v.Later = NotPermitted
		said := pki.Finding{Code: "forbidden_change", Args: pki.Args{"kind": c.Kind, "at": said.place(), "rule": c.Rule}}
		v.Problems = append(v.Problems, said)
	case v.Later == NoChanges:
		v.Later = Permitted
	}
}

// place returns the field or entry that a change touches, "" for none.
func (c *ChangeVerdict) place() string { return cmp.Or(c.Field, c.Key) }
