package intake

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"

	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/signing/disk"
	"paraph/app/signing/record"
	"paraph/app/turns"
)

// Arrange makes a PDF of the chosen pages of an uploaded file, when the turn of by comes. The
// PDF is on disk when Arrange returns.
func (s *Intake) Arrange(
	ctx context.Context, by turns.Key, file *record.File, pages []record.PageChoice,
) (record.Whole, error) {
	chosen := make([]pdf.PageChoice, len(pages))
	for i, p := range pages {
		chosen[i] = pdf.PageChoice{Page: p.Page - 1, Rotate: p.Rotate}
	}
	whole := file.WholeFile()
	tooComplex := func(why error) error { return tooComplex("pages", file.Name, why) }
	return s.remake(ctx, by, tooComplex, func(w io.Writer) error {
		for f, err := range s.opened(whole.Base, whole.BaseSize) {
			if err == nil {
				err = pdf.Arrange(ctx, w, f, chosen)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Merge makes one PDF of the pages of several files, when the turn of by comes. The PDF is on disk
// when Merge returns.
func (s *Intake) Merge(ctx context.Context, by turns.Key, files []*record.File) (record.Whole, error) {
	at := files[0]
	tooComplex := func(why error) error { return tooComplex("files", at.Name, why) }
	return s.remake(ctx, by, tooComplex, func(w io.Writer) error {
		return pdf.Merge(ctx, &bounded{w, s.Limits.UploadBytes}, func(yield func(*pdf.File, error) bool) {
			for _, at = range files {
				for f, err := range s.opened(at.Base, at.BaseSize) {
					if !yield(f, err) {
						return
					}
				}
			}
		})
	})
}

// opened yields a stored PDF.
func (s *Intake) opened(blob string, size int64) iter.Seq2[*pdf.File, error] {
	return func(yield func(*pdf.File, error) bool) {
		from, err := s.Blobs.Open(blob)
		if err != nil {
			yield(nil, err)
			return
		}
		more := yield(pdf.Open(from, size))
		if err := from.Close(); err != nil && more {
			yield(nil, err)
		}
	}
}

// bounded writes no more than a number of bytes.
type bounded struct {
	io.Writer
	left int64
}

var errTooLarge = errors.New("larger than an upload may be")

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, errTooLarge
	}
	return b.Writer.Write(p)
}

// remake stores the PDF that write makes of others.
func (s *Intake) remake(
	ctx context.Context, by turns.Key, tooComplex func(error) error, write func(io.Writer) error,
) (made record.Whole, err error) {
	leave, err := s.converting.Enter(ctx, by)
	if err != nil {
		return made, err
	}
	defer leave()
	w, err := s.Blobs.Create()
	if err != nil {
		return made, disk.SpaceError(err)
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	switch err := write(w); {
	case errors.Is(err, errTooLarge):
		return made, fault.TooLarge("file_too_large", fault.Text("limit", disk.Megabytes(s.Limits.UploadBytes)))
	case pdf.Refused(err):
		return made, tooComplex(err)
	case err != nil:
		return made, disk.SpaceError(err)
	}
	if made, err = remade(w, w.Size()); err != nil {
		return made, tooComplex(err)
	}
	ref, err := w.Commit()
	made.Base = ref.Hash
	return made, disk.SpaceError(err)
}

// remade reads what a PDF that was made of others is like.
func remade(r io.ReaderAt, size int64) (record.Whole, error) {
	f, err := pdf.Open(r, size)
	if err != nil {
		return record.Whole{}, err
	}
	in := f.Inspect()
	if err := cmp.Or(in.Err, f.Signable()); err != nil {
		return record.Whole{}, err
	}
	return record.Whole{BaseSize: size, Pages: sizes(f), PDFA: in.PDFA}, nil
}

func tooComplex(field, name string, why error) error {
	return fault.Invalid(field, "file_too_complex.upload", fault.Text("file", name)).Because(why)
}
