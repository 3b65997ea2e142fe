package report

import (
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
	"paraph/app/pdf/document"
	"paraph/app/pdf/verify"
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
	signatures, err := verify.Signatures(f)
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
func (out *Report) judge(ctx context.Context, f *document.File, signatures []verify.Signature, o Options) error {
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

func open(ctx context.Context, r io.ReaderAt, size int64, o Options) (*document.File, error) {
	f, err := document.OpenSecret(ctx, r, size, o.Password)
	if errors.Is(err, pdf.ErrDamaged) {
		if mended, failed := document.Recover(ctx, r, size, o.Password); failed == nil {
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
func unchecked(s *verify.Signature) SignatureVerdict {
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
func prefixes(r io.ReaderAt, size int64, signatures []verify.Signature) ([]Prefix, error) {
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
