package signing

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"os"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/signing/report"
	"paraph/app/turns"
)

// VerifyFile reports on every signature of a file of a document as it stands.
func (s *Service) VerifyFile(ctx context.Context, who account.Actor, id, file string) (found *report.Report, err error) {
	if err := who.Require(account.ScopeRead); err != nil {
		return nil, err
	}
	d, err := s.see(who, id)
	if err != nil {
		return nil, err
	}
	f := d.File(file)
	if f == nil {
		return nil, fault.NotFound("file")
	}
	leave, err := s.verifying.Enter(ctx, who.Turn())
	if err != nil {
		return nil, err
	}
	defer leave()
	content, err := s.Blobs.Concat(f.Blobs()...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	ctx, cancel := context.WithTimeout(ctx, verifyTime)
	defer cancel()
	roots, err := s.rootsOf(who.CompanyID)
	if err != nil {
		return nil, err
	}
	return report.Verify(ctx, content, content.Size(), report.Options{Roots: roots, Now: s.Now()})
}

// rootsOf returns the roots that a company's files may lead to: this
// installation's, and those of its former ones.
func (s *Service) rootsOf(company string) ([]*x509.Certificate, error) {
	moved, err := s.Keys.MovedRoots(company)
	return append(s.Keys.Roots(), moved...), err
}

// verifyTime bounds the work on one file: 25 signatures take a fraction of a
// second. Signatures not checked by then get no verdict.
const verifyTime = 15 * time.Second

// VerifyInput holds the options for checking a file.
type VerifyInput struct {
	By       turns.Key           // who waits for it
	Roots    []*x509.Certificate // trusted beside our own
	Password string              // of an encrypted file
	Pictures bool                // include pictures of the pages that were changed
}

// VerifyUpload reports on a PDF that anybody sends. Its bytes are in a scratch
// file during verification; nothing is kept.
func (s *Service) VerifyUpload(ctx context.Context, r io.Reader, in VerifyInput) (found *report.Report, err error) {
	tmp, err := s.Blobs.Temp()
	if err != nil {
		return nil, spaceError(err)
	}
	defer func() { err = errors.Join(err, tmp.Close(), removeFile(tmp.Name())) }()
	bounded := s.scratch.Writer(ctx, in.By, tmp)
	defer bounded.Close()
	size, err := io.Copy(bounded, io.LimitReader(r, s.Limits.UploadBytes+1))
	if err != nil {
		return nil, spaceError(err)
	}
	if size > s.Limits.UploadBytes {
		return nil, fault.TooLarge("file_too_large", fault.Text("limit", megabytes(s.Limits.UploadBytes)))
	}
	// Only after the file has arrived: a slow sender must not keep others waiting.
	leave, err := s.verifying.Enter(ctx, in.By)
	if err != nil {
		return nil, err
	}
	defer leave()
	limited, cancel := context.WithTimeout(ctx, verifyTime)
	defer cancel()
	found, err = s.judge(limited, tmp, size, in)
	switch {
	case errors.Is(err, pdf.ErrPassword):
		return nil, fault.Invalid("password", "file_protected")
	case errors.Is(err, pdf.ErrEncrypted):
		return nil, fault.Invalid("file", "file_encrypted")
	case errors.Is(err, pdf.ErrTooComplex):
		return nil, fault.Invalid("file", "file_too_complex")
	case errors.Is(err, pdf.ErrNotPDF), errors.Is(err, pdf.ErrDamaged):
		return nil, fault.Invalid("file", "not_a_readable_pdf")
	}
	if err != nil {
		return nil, err
	}
	if in.Pictures {
		if err := s.compare(ctx, in.By, tmp, size, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// judge reports on a file. One that was completed here for a company that came
// from another installation is judged by the roots of that one, too.
func (s *Service) judge(ctx context.Context, r io.ReaderAt, size int64, in VerifyInput) (*report.Report, error) {
	o := report.Options{Roots: append(in.Roots, s.Keys.Roots()...), Now: s.Now(), Password: in.Password}
	found, err := report.Verify(ctx, r, size, o)
	if err != nil {
		return nil, err
	}
	origin, company, err := s.origin(found.Beginnings)
	if err != nil || origin == nil {
		return found, err
	}
	moved, err := s.Keys.MovedRoots(company)
	if err != nil {
		return nil, err
	}
	if len(moved) > 0 {
		o.Roots = append(o.Roots, moved...)
		if found, err = report.Verify(ctx, r, size, o); err != nil {
			return nil, err
		}
	}
	found.Origin = origin
	return found, nil
}

// removeFile removes a scratch file that may already be gone.
func removeFile(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
