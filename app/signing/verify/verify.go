// Package verify verifies the signatures of documents' files and of files sent by
// anyone.
package verify

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"runtime"
	"time"

	"paraph/app/account"
	"paraph/app/blob"
	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/pdf/pdfium"
	"paraph/app/pki"
	"paraph/app/signing/disk"
	"paraph/app/signing/record"
	"paraph/app/signing/report"
	"paraph/app/turns"
	"paraph/kv"
)

// Options are the dependencies of a Verifier.
type Options struct {
	DB          *kv.DB
	Blobs       *blob.Store
	PDFium      *pdfium.Engine // draws changed pages; nil draws none
	Keys        *pki.Authority
	UploadBytes int64           // size of one file
	Members     *turns.Presence // members being served, for whom strangers slow down
	Now         func() time.Time
}

// Verifier verifies files, a few at a time.
type Verifier struct {
	Options
	Queue   *turns.Queue
	scratch *turns.Queue // bytes of the files that are verified without being kept
}

// New returns a verifier.
func New(o Options) *Verifier {
	cores := int64(runtime.GOMAXPROCS(0))
	largest := o.UploadBytes + 1<<20
	return &Verifier{Options: o,
		Queue:   turns.New(turns.Options{Slots: cores + 1, Group: cores, Strangers: max(1, cores/2), Members: o.Members}),
		scratch: turns.New(turns.Options{Slots: 4 * largest, Group: 2 * largest, Stranger: largest, Patience: 5 * time.Second}),
	}
}

// File reports on every signature of a document's file in its current state.
func (s *Verifier) File(ctx context.Context, who account.Call, f *record.File) (found *report.Report, err error) {
	leave, err := s.Queue.Enter(ctx, who.Turn())
	if err != nil {
		return nil, err
	}
	defer leave()
	content, err := s.Blobs.Concat(f.Blobs()...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	ctx, cancel := context.WithTimeout(ctx, report.MaxTime)
	defer cancel()
	roots, err := s.rootsOf(who.CompanyID)
	if err != nil {
		return nil, err
	}
	return report.Verify(ctx, content, content.Size(), report.Options{Roots: roots, Now: s.Now()})
}

// rootsOf returns the roots trusted for a company's files: this installation's and
// those of its former installations.
func (s *Verifier) rootsOf(company string) ([]*x509.Certificate, error) {
	moved, err := s.Keys.MovedRoots(company)
	return append(s.Keys.Roots(), moved...), err
}

// Input holds the options for checking a file.
type Input struct {
	By       turns.Key           // the caller
	Roots    []*x509.Certificate // trusted in addition to our own
	Password string              // of an encrypted file
	Pictures bool                // include pictures of the pages that were changed
}

// Upload reports on a PDF sent by anyone. Its bytes are in a scratch file during
// verification; nothing is kept.
func (s *Verifier) Upload(ctx context.Context, r io.Reader, in Input) (found *report.Report, err error) {
	tmp, err := s.Blobs.Temp()
	if err != nil {
		return nil, disk.SpaceError(err)
	}
	defer func() { err = errors.Join(err, tmp.Close(), disk.Remove(tmp.Name())) }()
	bounded := s.scratch.Writer(ctx, in.By, tmp)
	defer bounded.Close()
	size, err := io.Copy(bounded, io.LimitReader(r, s.UploadBytes+1))
	if err != nil {
		return nil, disk.SpaceError(err)
	}
	if size > s.UploadBytes {
		return nil, fault.TooLarge("file_too_large", fault.Text("limit", disk.Megabytes(s.UploadBytes)))
	}
	// Only after the file has arrived: a slow sender must not keep others waiting.
	leave, err := s.Queue.Enter(ctx, in.By)
	if err != nil {
		return nil, err
	}
	defer leave()
	limited, cancel := context.WithTimeout(ctx, report.MaxTime)
	defer cancel()
	found, err = s.judge(limited, tmp, size, in)
	switch {
	case ctx.Err() != nil: // the client left; the file is not at fault
		return nil, ctx.Err()
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

// judge reports on a file. If it was completed for a company that came from another
// installation, that installation's roots are trusted as well.
func (s *Verifier) judge(ctx context.Context, r io.ReaderAt, size int64, in Input) (*report.Report, error) {
	o := report.Options{Roots: append(in.Roots, s.Keys.Roots()...), Now: s.Now(), Password: in.Password}
	found, err := report.Verify(ctx, r, size, o)
	if err != nil {
		return nil, err
	}
	origin, company, err := s.origin(found.Prefixes)
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
