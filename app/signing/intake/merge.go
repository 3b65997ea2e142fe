package intake

import (
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"paraph/app/account"
	"paraph/app/blob"
	"paraph/app/convert"
	"paraph/app/convert/merge"
	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/signing/detect"
	"paraph/app/signing/disk"
	"paraph/app/signing/record"
)

// answered are the types of fields whose names alone are placeholders in a DOCX: {{name}}
// is filled in by the sender, {{signature}} by a signatory.
var answered = []pdf.FieldType{
	pdf.FieldText, pdf.FieldNumber, pdf.FieldDate, pdf.FieldName, pdf.FieldEmail, pdf.FieldCompany, pdf.FieldJobTitle,
}

// isTag reports whether a text in double braces is a text tag rather than a placeholder.
func isTag(body string) bool {
	x, ok := detect.Tag(body, false)
	name, _, _ := strings.Cut(body, "|")
	return ok && (strings.ContainsAny(name, ";=,") || !slices.Contains(answered, x.Type))
}

// survey records the placeholders of a DOCX. Whether the file as such is accepted is up to
// its conversion.
func (s *Intake) survey(ctx context.Context, u *Upload, file *record.File, raw *blob.Writer) error {
	if u.Names {
		return nil
	}
	found, loose, err := merge.Survey(ctx, raw, raw.Size(), isTag)
	if _, refused := errors.AsType[*convert.Refusal](err); refused {
		file.AddFinding(record.SeverityWarning, "placeholders_unread")
		return nil
	}
	if err != nil {
		return err
	}
	file.Placeholders = found
	if loose {
		file.AddFinding(record.SeverityWarning, "placeholder_unpaired")
	}
	for _, x := range found {
		if !record.KnownFormat(x.Format) {
			file.AddFinding(record.SeverityWarning, "placeholder_format", "name", x.Name, "format", x.Format)
		}
	}
	return nil
}

// FillIn returns an upload of a DOCX that was uploaded before, with its placeholders filled
// in; of an HTML, the DOCX that is made of it. The upload belongs to a series unless that is nil.
// The caller closes it.
func (s *Intake) FillIn(
	ctx context.Context, who account.Call, file *record.File, with merge.Data, in *Series,
) (u *Upload, err error) {
	from, err := s.Blobs.Open(file.Upload)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	w, err := s.Blobs.Create()
	if err != nil {
		return nil, disk.SpaceError(err)
	}
	u = &Upload{Name: file.Name, ContentType: file.ContentType, By: who.Turn(), Series: in, Raw: w}
	fill := func(docx io.ReaderAt, size int64) error {
		return merge.Fill(ctx, docx, size, w, with, func(body string) bool { return !file.Placeholders.Has(body) })
	}
	err = s.inTurn(ctx, u.By, func() error {
		if file.ContentType == typeHTML {
			u.Name, u.ContentType = strings.TrimSuffix(u.Name, path.Ext(u.Name))+".docx", typeDOCX
			return s.throughDOCX(ctx, io.NewSectionReader(from, 0, file.Size), fill)
		}
		return fill(from, file.Size)
	})
	switch {
	case err != nil:
		err = refuseConversion(err, file.Name, "docx_too_large", "docx_unreadable")
	case w.Size() > s.Limits.UploadBytes:
		err = fault.TooLarge("file_too_large", fault.Text("limit", disk.Megabytes(s.Limits.UploadBytes)))
	}
	if err != nil {
		return nil, errors.Join(err, u.Close())
	}
	return u, nil
}

// throughDOCX calls fn with the DOCX that is made of an HTML.
func (s *Intake) throughDOCX(
	ctx context.Context, html io.Reader, fn func(docx io.ReaderAt, size int64) error,
) (err error) {
	made, err := s.Blobs.Create()
	if err != nil {
		return disk.SpaceError(err)
	}
	defer func() { err = errors.Join(err, made.Abort()) }()
	if _, err := convert.HTML(ctx, html, made); err != nil {
		return err
	}
	return fn(made, made.Size())
}
