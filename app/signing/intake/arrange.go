package intake

import (
	"cmp"
	"context"
	"errors"
	"io"

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
) (made record.Whole, err error) {
	leave, err := s.converting.Enter(ctx, by)
	if err != nil {
		return made, err
	}
	defer leave()
	whole := file.WholeFile()
	from, err := s.Blobs.Open(whole.Base)
	if err != nil {
		return made, err
	}
	defer func() { err = disk.Closing(err, from.Close) }()
	f, err := pdf.Open(from, whole.BaseSize)
	if err != nil {
		return made, err
	}
	w, err := s.Blobs.Create()
	if err != nil {
		return made, disk.SpaceError(err)
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	chosen := make([]pdf.PageChoice, len(pages))
	for i, p := range pages {
		chosen[i] = pdf.PageChoice{Page: p.Page - 1, Rotate: p.Rotate}
	}
	switch err := pdf.Arrange(ctx, w, f, chosen); {
	case pdf.Refused(err):
		return made, tooComplex(file.Name, err)
	case err != nil:
		return made, disk.SpaceError(err)
	}
	if made, err = arranged(w, w.Size(), file.Name); err != nil {
		return made, err
	}
	ref, err := w.Commit()
	made.Base = ref.Hash
	return made, disk.SpaceError(err)
}

// arranged reads what a PDF of chosen pages is like.
func arranged(r io.ReaderAt, size int64, name string) (record.Whole, error) {
	f, err := pdf.Open(r, size)
	if err != nil {
		return record.Whole{}, tooComplex(name, err)
	}
	in := f.Inspect()
	if err := cmp.Or(in.Err, f.Signable()); err != nil {
		return record.Whole{}, tooComplex(name, err)
	}
	return record.Whole{BaseSize: size, Pages: sizes(f), PDFA: in.PDFA}, nil
}

func tooComplex(name string, why error) error {
	return fault.Invalid("pages", "file_too_complex.upload", fault.Text("file", name)).Because(why)
}
