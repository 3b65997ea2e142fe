// Package intake turns uploaded files into PDFs that can be signed: it inspects,
// repairs, converts and flattens them, and explains why it refuses one.
package intake

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path"
	"strings"
	"time"

	"paraph/app/blob"
	"paraph/app/convert"
	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/pdf/page"
	"paraph/app/pdf/pdfium"
	"paraph/app/pdf/text"
	"paraph/app/signing/disk"
	"paraph/app/signing/record"
	"paraph/app/signing/report"
	"paraph/app/turns"
)

// Options are the dependencies of an Intake. Office may be nil; then the built-in
// renderer converts DOCX.
type Options struct {
	Blobs  *blob.Store
	PDFium *pdfium.Engine
	Office *convert.Office
	Fonts  *text.Fonts
	Limits record.Limits
	Now    func() time.Time

	Verifying *turns.Queue // for verifying signatures
}

// Intake accepts uploaded files.
type Intake struct {
	Options
	converting *turns.Queue // for conversions to PDF
}

// New returns an intake.
func New(o Options) *Intake {
	return &Intake{Options: o, converting: turns.New(turns.Options{Slots: 2, Group: 1, Patience: 2 * time.Minute})}
}

// Load returns the load of the queue for conversions.
func (s *Intake) Load() turns.Load { return s.converting.Load() }

// Refusal describes why one uploaded file is refused.
type Refusal struct {
	Code  fault.Code
	Args  []fault.Arg
	cause error
}

func (r *Refusal) Error() string {
	if r.cause != nil {
		return string(r.Code) + ": " + r.cause.Error()
	}
	return string(r.Code)
}

func (r *Refusal) Unwrap() error { return r.cause }

func refuse(cause error, code fault.Code, args ...fault.Arg) error {
	return &Refusal{code, args, cause}
}

const (
	typeDOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	typeHTML = "text/html"
)

// accepted lists the accepted types, for the error about other types.
func accepted() fault.Arg { return fault.Term("accepted", "accepted_types") }

// Accept inspects an upload and turns it into a PDF that can be appended to.
func (s *Intake) Accept(ctx context.Context, u *Upload) (record.File, error) {
	size := u.Raw.Size()
	if size == 0 {
		return record.File{}, refuse(nil, "file_empty", fault.Text("file", u.Name))
	}
	head := make([]byte, min(size, 4096))
	if _, err := u.Raw.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return record.File{}, err
	}
	sum := u.Raw.Hash()
	file := record.File{Size: size, SHA256: sum, Upload: sum}
	var err error
	switch kind := convert.Kind(head, u.Name); kind {
	case "pdf":
		file.ContentType = "application/pdf"
		err = s.intakePDF(ctx, u, &file)
	case "png", "jpeg", "gif", "tiff", "webp", "bmp":
		file.ContentType, file.ConvertedBy = "image/"+kind, "image"
		err = s.intakeImage(ctx, u, &file)
	case "docx":
		file.ContentType = typeDOCX
		err = s.intakeDOCX(ctx, u, &file, u.Raw)
	case "html":
		file.ContentType = typeHTML
		err = s.intakeHTML(ctx, u, &file)
	case "":
		if !strings.EqualFold(path.Ext(u.Name), ".pdf") {
			return record.File{}, notAccepted(u.Name)
		}
		file.ContentType = "application/pdf"
		err = s.intakePDF(ctx, u, &file) // the beginning of the file may be missing
	case "heic", "avif":
		err = unsupported("file_type_not_accepted.phone_picture", fault.Text("file", u.Name))
	default:
		err = notConvertible(u)
	}
	if err != nil {
		return record.File{}, err
	}
	if len(file.Pages) > s.Limits.Pages {
		return record.File{}, refuse(nil, "too_many_pages", fault.Text("file", u.Name), fault.Number("pages", len(file.Pages)), fault.Number("limit", s.Limits.Pages))
	}
	return file, nil
}

// notConvertible returns the reason why a file of another type can't be accepted.
func notConvertible(u *Upload) error {
	protected, err := convert.IsProtectedOffice(u.Raw)
	switch {
	case err != nil:
		return err
	case protected:
		return refuse(nil, "docx_protected", fault.Text("file", u.Name))
	}
	return notAccepted(u.Name)
}

func notAccepted(name string) error {
	return unsupported("file_type_not_accepted", fault.Text("file", name), accepted())
}

func unsupported(code fault.Code, args ...fault.Arg) *fault.Error {
	return fault.Unsupported(code, args...)
}

// inspect records pages and findings, and refuses a file that can't be signed.
func (s *Intake) inspect(ctx context.Context, u *Upload, f *pdf.File, file *record.File) error {
	file.Pages = sizes(f)
	if len(file.Pages) == 0 {
		return refuse(nil, "file_without_pages", fault.Text("file", u.Name))
	}
	in := f.Inspect()
	if in.Err != nil {
		return refuse(in.Err, "file_too_complex.upload", fault.Text("file", u.Name))
	}
	if in.XFA == pdf.XFADynamic {
		return dynamicXFA(u.Name)
	}
	file.Presigned, file.PDFA = len(in.Signed) > 0, in.PDFA
	if (in.Unfound || in.Tolerated || in.Unread) && !file.Presigned && !u.rewritten {
		return s.rewriteAs(ctx, u, file, f, in.Unread)
	}
	u.Fixed = file.Presigned && (u.Converted != nil || in.Unfound || in.DocMDP == 1 || in.Locked || in.PaperOnly)
	if in.Unfound || file.Presigned && u.Converted != nil {
		if !file.Presigned {
			return refuse(nil, "file_damaged.pdf", fault.Text("file", u.Name))
		}
		return refuse(nil, "signed_and_damaged", fault.Text("file", u.Name))
	}
	if file.Presigned && in.DocMDP == 1 {
		return refuse(nil, "certified", fault.Text("file", u.Name))
	}
	if file.Presigned && in.Locked {
		return refuse(nil, "locked", fault.Text("file", u.Name))
	}
	// Nobody would have seen what they sign.
	switch {
	case in.PaperParts:
		return refuse(nil, "paper_images", fault.Text("file", u.Name))
	case file.Presigned && in.PaperOnly:
		return refuse(nil, "paper_differs", fault.Text("file", u.Name))
	}
	if err := f.Signable(); err != nil {
		return refuse(err, "unsignable", fault.Text("file", u.Name))
	}
	broken := 0
	if file.Presigned {
		var err error
		if broken, err = s.broken(ctx, u); err != nil {
			return err
		}
	}
	file.AddFindings(in, broken)
	return nil
}

// broken counts the signatures of an upload that don't hold. They are verified when its
// sender's turn comes.
func (s *Intake) broken(ctx context.Context, u *Upload) (n int, err error) {
	leave, err := s.Verifying.Enter(ctx, u.By)
	if err != nil {
		return 0, err
	}
	defer leave()
	limited, cancel := context.WithTimeout(ctx, report.MaxTime)
	defer cancel()
	found, err := report.Verify(limited, u.Raw, u.Raw.Size(), report.Options{Now: s.Now()})
	switch err = cmp.Or(err, limited.Err()); {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case err != nil:
		return 0, refuse(err, "signatures_too_complex", fault.Text("file", u.Name))
	}
	for i := range found.Signatures {
		if !found.Signatures[i].Sound() {
			n++
		}
	}
	return n, nil
}

// sizes returns the sizes of the pages of a PDF.
func sizes(f *pdf.File) []record.Size {
	var out []record.Size
	for _, p := range f.Pages() {
		out = append(out, record.Size{Width: p.Width, Height: p.Height, Rotate: p.Rotate})
	}
	return out
}

func dynamicXFA(name string) error {
	return refuse(nil, "dynamic_xfa", fault.Text("file", name))
}

func (s *Intake) intakeImage(ctx context.Context, u *Upload, file *record.File) error {
	w, err := s.Blobs.Create()
	if err != nil {
		return disk.SpaceError(err)
	}
	u.Converted = w
	err = s.inTurn(ctx, u.By, func() error {
		return convert.Image(ctx, u.Raw, file.Size, w, convert.ImageLimits{})
	})
	if err != nil {
		return refusePicture(err, u.Name)
	}
	return s.measure(u, file)
}

// refusePicture returns why a picture can't be shown.
func refusePicture(err error, name string) error {
	if r, ok := errors.AsType[*convert.Refusal](err); ok && r.Kind == convert.ErrUnsupported && r.Why.Name != "" {
		return refuse(err, "image_unsupported", fault.Text("file", name), r.Why)
	}
	return refuseConversion(err, name, "image_too_large", "image_unreadable")
}

// inTurn converts a file when its sender's turn comes. Every conversion has its own
// time limit.
func (s *Intake) inTurn(ctx context.Context, by turns.Key, convert func() error) error {
	leave, err := s.converting.Enter(ctx, by)
	if err != nil {
		return err
	}
	defer leave()
	return convert()
}

// maxPhoto is the largest size in pixels of a picture in a field. It fills the width of a page at
// nearly 300 dpi.
const maxPhoto = 2000

// Photo prepares a picture for being drawn in a field, in its sender's turn. The kind of the result is
// "jpeg" or "png".
func (s *Intake) Photo(
	ctx context.Context, by turns.Key, name string, r io.ReaderAt, size int64,
) (picture []byte, kind string, err error) {
	err = s.inTurn(ctx, by, func() error {
		picture, kind, err = convert.Photo(ctx, r, size, maxPhoto, convert.ImageLimits{})
		return err
	})
	if err == nil {
		return picture, kind, nil
	}
	switch uploaded, other := convert.KindOf(r, size, ""); {
	case other != nil:
		return nil, "", other
	case uploaded == "heic" || uploaded == "avif":
		return nil, "", refuse(err, "file_type_not_accepted.phone_picture", fault.Text("file", name))
	}
	return nil, "", refusePicture(err, name)
}

// measure opens the PDF that was made from the upload.
func (s *Intake) measure(u *Upload, file *record.File) error {
	f, err := pdf.Open(u.Converted, u.Converted.Size())
	if err != nil {
		return refuse(err, "file_not_converted", fault.Text("file", u.Name))
	}
	file.Pages = sizes(f)
	s.appendTo(u, file)
	return nil
}

// intakeHTML makes a DOCX of an upload, and then a PDF of that.
func (s *Intake) intakeHTML(ctx context.Context, u *Upload, file *record.File) (err error) {
	w, err := s.Blobs.Create()
	if err != nil {
		return disk.SpaceError(err)
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	var left []convert.HTMLFinding
	err = s.inTurn(ctx, u.By, func() error {
		left, err = convert.HTML(ctx, io.NewSectionReader(u.Raw, 0, file.Size), w)
		return err
	})
	if err != nil {
		return refuseConversion(err, u.Name, "docx_too_large", "html_unreadable")
	}
	for _, f := range left {
		file.AddFinding(record.SeverityWarning, fault.Code(f.Code), "names", strings.Join(f.Names, ", "))
	}
	return s.intakeDOCX(ctx, u, file, w)
}

// intakeDOCX converts a DOCX: the upload, or what was made of it.
func (s *Intake) intakeDOCX(ctx context.Context, u *Upload, file *record.File, raw *blob.Writer) error {
	w, err := s.Blobs.Create()
	if err != nil {
		return disk.SpaceError(err)
	}
	u.Converted = w
	file.ConvertedBy = "libreoffice"
	if s.Office == nil {
		file.ConvertedBy = "builtin"
	}
	if err := s.convertDOCX(ctx, u, file, raw, w); err != nil {
		return refuseConversion(err, u.Name, "docx_too_large", "docx_unreadable")
	}
	if err := s.measure(u, file); err != nil || s.Office == nil {
		return err
	}
	return s.findBoxes(u, file)
}

// findBoxes records that LibreOffice had no font for a character. The text of the PDF is right all the same.
func (s *Intake) findBoxes(u *Upload, file *record.File) error {
	f, err := pdf.Open(u.Converted, u.Converted.Size())
	if err != nil {
		return err
	}
	boxes, err := f.ShowsBoxes()
	if boxes {
		file.AddFinding(record.SeverityWarning, "characters_missing")
	}
	return err
}

// convertDOCX makes a PDF of a DOCX, in its sender's turn.
func (s *Intake) convertDOCX(
	ctx context.Context, u *Upload, file *record.File, raw *blob.Writer, w io.Writer,
) (err error) {
	var job *convert.OfficeJob
	err = s.inTurn(ctx, u.By, func() error {
		if err := s.survey(ctx, u, file, raw); err != nil {
			return err
		}
		from := io.NewSectionReader(raw, 0, raw.Size())
		switch {
		case s.Office == nil:
			return s.renderDOCX(ctx, u, file, raw, w)
		case u.Series == nil:
			changed, err := s.Office.Convert(ctx, from, u.Name, w)
			findChanges(file, changed)
			return err
		}
		if job, err = s.Office.Prepare(ctx, from, u.Name); err == nil {
			findChanges(file, job.Changed)
		}
		return err
	})
	if err != nil || job == nil {
		return err
	}
	defer func() { err = errors.Join(err, job.Close()) }()
	return s.convertInSeries(ctx, u, job, w)
}

// findChanges records that a file referred to something outside of it or to days that were not saved, which its PDF
// lacks.
func findChanges(file *record.File, changed convert.Changed) {
	if changed.Removed > 0 {
		file.AddFinding(record.SeverityWarning, "references_removed")
	}
	if changed.Undated > 0 {
		file.AddFinding(record.SeverityWarning, "day_unsaved")
	}
}

// renderDOCX uses the built-in renderer and records what it left out.
func (s *Intake) renderDOCX(ctx context.Context, u *Upload, file *record.File, raw *blob.Writer, w io.Writer) error {
	b := page.New(s.Fonts, page.Info{})
	left, err := convert.RenderDOCX(ctx, raw, raw.Size(), u.Name, b)
	if err != nil {
		return err
	}
	file.AddFinding(record.SeverityWarning, "converted_builtin")
	for _, f := range left {
		file.AddFinding(record.SeverityWarning, fault.Code(f.Code))
	}
	if b.Lacking() {
		file.AddFinding(record.SeverityWarning, "characters_missing")
	}
	_, err = b.Write(w)
	return err
}

// refuseConversion refuses a file that could not be converted. Any other error is one of the disk.
func refuseConversion(err error, name string, tooLarge, unreadable fault.Code) error {
	r, ok := errors.AsType[*convert.Refusal](err)
	switch {
	case !ok:
		return disk.SpaceError(err)
	case r.Kind == convert.ErrTooLarge:
		return refuse(err, tooLarge, fault.Text("file", name), r.Why)
	}
	return refuse(err, unreadable, fault.Text("file", name))
}
