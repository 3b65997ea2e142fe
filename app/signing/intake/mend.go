package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/pdf/document"
	"paraph/app/pdf/pdfium"
	"paraph/app/pdf/reader"
	"paraph/app/signing/disk"
	"paraph/app/signing/record"
)

// intakePDF opens the upload with the strict reader. If that fails, if the file is
// encrypted and unsigned, or if other readers would fail, PDFium rewrites it and it is opened again.
func (s *Intake) intakePDF(ctx context.Context, u *Upload, file *record.File) error {
	f, err := pdf.Open(u.Raw, file.Size)
	if errors.Is(err, pdf.ErrTooComplex) {
		return refuse(err, "file_too_complex.upload", fault.Text("file", u.Name))
	}
	if u.Flatten {
		return s.flatten(ctx, u, file, f, err)
	}
	if err == nil {
		file.Base, file.BaseSize = file.SHA256, file.Size
		return s.inspect(ctx, u, f, file)
	}
	return s.repair(ctx, u, file, err)
}

// repair has PDFium rewrite the upload, for a reason of our own reader; nil if only other readers have one.
func (s *Intake) repair(ctx context.Context, u *Upload, file *record.File, why error) error {
	if err := s.rebuild(ctx, u, s.PDFium.For(u.By).Repair, why); err != nil {
		return err
	}
	if errors.Is(why, pdf.ErrEncrypted) {
		file.AddFinding(record.SeverityInfo, "encrypted")
	} else {
		file.AddFinding(record.SeverityWarning, "repaired")
	}
	return s.inspectConverted(ctx, u, file)
}

// rewriteAs writes the upload, or what was made of it, as our own reader reads it, for other readers would
// complain of it or read it in another way. If some objects are not where they should be, all are searched for.
func (s *Intake) rewriteAs(ctx context.Context, u *Upload, file *record.File, f *pdf.File, search bool) error {
	from := cmp.Or(u.Converted, u.Raw)
	if search {
		found, err := document.Recover(ctx, from, from.Size(), "")
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && len(found.Pages()) >= len(f.Pages()):
			f = &pdf.File{File: found}
		}
	}
	w, err := s.Blobs.Create()
	if err != nil {
		return disk.SpaceError(err)
	}
	err = s.inTurn(ctx, u.By, func() error { return pdf.Rewrite(ctx, w, f) })
	switch {
	case errors.Is(err, pdf.ErrTooComplex):
		return errors.Join(refuse(err, "file_too_complex.upload", fault.Text("file", u.Name)), w.Abort())
	case pdf.Refused(err):
		return errors.Join(refuse(err, "file_damaged.pdf", fault.Text("file", u.Name)), w.Abort())
	case err != nil:
		return errors.Join(disk.SpaceError(err), w.Abort())
	}
	if err := abort(u.Converted); err != nil {
		return err
	}
	if u.Converted == nil {
		file.AddFinding(record.SeverityWarning, "repaired")
	}
	u.Converted, u.rewritten = w, true
	return s.inspectConverted(ctx, u, file)
}

// inspectConverted inspects the PDF made from the upload; revisions are appended
// to it instead of the upload.
func (s *Intake) inspectConverted(ctx context.Context, u *Upload, file *record.File) error {
	f, err := pdf.Open(u.Converted, u.Converted.Size())
	if err != nil {
		return refuse(err, "file_damaged", fault.Text("file", u.Name))
	}
	s.appendTo(u, file)
	return s.inspect(ctx, u, f, file)
}

// appendTo makes the converted PDF the one to append to.
func (s *Intake) appendTo(u *Upload, file *record.File) {
	file.Base, file.BaseSize = u.Converted.Hash(), u.Converted.Size()
}

// A rewriting rewrites a file with PDFium, using the given password.
type rewriting func(ctx context.Context, src pdfium.Source, password, out string) error

// rebuild rewrites the upload with PDFium. If PDFium can't read it as it is, a missing
// beginning or end is restored first. why is the error of our own reader, or nil.
func (s *Intake) rebuild(ctx context.Context, u *Upload, how rewriting, why error) error {
	err := s.rewrite(ctx, u, how, u.Raw.Path())
	if errors.Is(err, pdfium.ErrDamaged) {
		err = s.salvage(ctx, u, how, err)
	}
	return s.unreadable(ctx, u, err, why)
}

func (s *Intake) salvage(ctx context.Context, u *Upload, how rewriting, why error) (err error) {
	head, tail, err := reader.Salvage(u.Raw, u.Raw.Size())
	if err != nil || len(tail) == 0 {
		return errors.Join(why, err)
	}
	paths := []string{u.Raw.Path()}
	for i, piece := range [][]byte{head, tail} {
		tmp, terr := s.Blobs.Temp()
		if terr != nil {
			return disk.SpaceError(terr)
		}
		defer func() { err = errors.Join(err, tmp.Close(), disk.Remove(tmp.Name())) }()
		if _, err := tmp.Write(piece); err != nil {
			return disk.SpaceError(err)
		}
		if i == 0 {
			paths = append([]string{tmp.Name()}, paths...)
		} else {
			paths = append(paths, tmp.Name())
		}
	}
	return s.rewrite(ctx, u, how, paths...)
}

// rewrite writes PDFium's version of the upload, whose bytes are in paths, to disk.
func (s *Intake) rewrite(ctx context.Context, u *Upload, how rewriting, paths ...string) (err error) {
	tmp, err := s.Blobs.Temp()
	if err != nil {
		return disk.SpaceError(err)
	}
	defer func() { err = errors.Join(err, tmp.Close(), disk.Remove(tmp.Name())) }()
	if err := how(ctx, pdfium.Source{Paths: paths}, u.Password, tmp.Name()); err != nil {
		return err
	}
	w, err := s.Blobs.Create()
	if err != nil {
		return disk.SpaceError(err)
	}
	u.Converted = w
	// PDFium replaced our file, so the open handle refers to the old one.
	made, err := os.Open(tmp.Name())
	if err != nil {
		return err
	}
	_, err = io.Copy(w, made)
	return disk.SpaceError(disk.Closing(err, made.Close))
}

// unreadable returns the error for an upload that PDFium could not read.
func (s *Intake) unreadable(ctx context.Context, u *Upload, err, why error) error {
	u.Locked = errors.Is(err, pdfium.ErrPassword)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, pdfium.ErrNotStarted):
		return fault.Unavailable("busy").Because(err)
	case errors.Is(err, pdfium.ErrPassword) && u.Password == "":
		return refuse(err, "password_needed", fault.Text("file", u.Name))
	case errors.Is(err, pdfium.ErrPassword):
		return refuse(err, "password_wrong", fault.Text("file", u.Name))
	case errors.Is(err, pdfium.ErrUnsupported):
		return refuse(err, "protection_unknown", fault.Text("file", u.Name))
	case errors.Is(err, pdfium.ErrTooLarge), errors.Is(err, pdfium.ErrTimeout), errors.Is(err, pdfium.ErrCrashed):
		return refuse(err, "file_too_complex.upload", fault.Text("file", u.Name))
	case !errors.Is(err, pdfium.ErrDamaged):
		return err
	case errors.Is(why, pdf.ErrNotPDF):
		return unsupported("file_type_not_accepted.not_a_pdf", fault.Text("file", u.Name), accepted()).Because(err)
	case errors.Is(why, pdf.ErrNoEnd):
		return refuse(err, "file_cut_short", fault.Text("file", u.Name))
	}
	return refuse(err, "file_damaged.pdf", fault.Text("file", u.Name))
}

// flattenLimit bounds an upload that is attached to its flattened copy:
// attachments are held in memory.
const flattenLimit = 32 << 20

// flatten makes a copy of what the upload's pages show, to be signed instead of a file
// that must not be changed. The upload is attached to the copy when it is sent. f comes
// from our own reader; why is its error if it can't read the file.
func (s *Intake) flatten(ctx context.Context, u *Upload, file *record.File, f *pdf.File, why error) error {
	if file.Size > flattenLimit {
		return refuse(nil, "too_large_to_flatten", fault.Text("file", u.Name), fault.Text("limit", disk.Megabytes(flattenLimit)))
	}
	signatures := 0
	if f != nil {
		in := f.Inspect()
		if in.XFA == pdf.XFADynamic {
			return dynamicXFA(u.Name)
		}
		signatures = len(in.Signed)
	}
	if err := s.rebuild(ctx, u, s.PDFium.For(u.By).Flatten, why); err != nil {
		return err
	}
	file.Flattened = true
	if signatures > 0 {
		file.AddFinding(record.SeverityWarning, "flattened.signed", "count", strconv.Itoa(signatures))
	} else {
		file.AddFinding(record.SeverityWarning, "flattened")
	}
	return s.inspectConverted(ctx, u, file)
}

// Original returns the upload as an attachment of its flattened copy.
func (s *Intake) Original(f *record.File) (pdf.Attachment, error) {
	r, err := s.Blobs.Open(f.Upload)
	if err != nil {
		return pdf.Attachment{}, fmt.Errorf("signing: open %s: %w", f.ID, err)
	}
	data, err := io.ReadAll(r)
	if err := disk.Closing(err, r.Close); err != nil {
		return pdf.Attachment{}, err
	}
	return pdf.Attachment{Name: f.Name, MIME: f.ContentType, Relationship: "Source", Data: data, Modified: f.CreatedAt}, nil
}
