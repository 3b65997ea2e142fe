package signing

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"paraph/app/account"
	"paraph/app/blob"
	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/pdf/pdfium"
	"paraph/app/signing/detect"
	"paraph/app/signing/disk"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
)

// Detection suggests fields from forms and lines of a document's files.
type Detection struct {
	store  *store.Store
	blobs  *blob.Store
	drafts *Drafts
	pdfium *pdfium.Engine
	log    *slog.Logger
}

// Suggestion is a field that a draft's file seems to need.
type Suggestion struct {
	detect.Field
	File       string
	Invitation string // of the recipient; "" if there are not that many people
}

// maxSuggestions is the maximum number of suggestions for one document.
const maxSuggestions = 1000

// Detect searches the files of a draft for places that seem to need a field: form fields
// of the upload, text tags and signature lines. Places that already have a field are
// excluded. Nothing is changed.
func (s *Detection) Detect(ctx context.Context, who account.Actor, id string) ([]Suggestion, error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return nil, err
	}
	d, err := s.store.Get(who, id)
	if err != nil {
		return nil, err
	}
	return s.detect(ctx, who, d)
}

func (s *Detection) detect(ctx context.Context, who account.Actor, d *Document) ([]Suggestion, error) {
	people := d.InOrder()
	var out []Suggestion
	for i := range d.Files {
		found, err := s.detectIn(ctx, who, &d.Files[i])
		if err != nil {
			return nil, err
		}
		for _, field := range found {
			x := Suggestion{Field: field, File: d.Files[i].ID}
			if x.Recipient <= len(people) {
				x.Invitation = people[x.Recipient-1].ID
			}
			if !taken(d, &x) && len(out) < maxSuggestions {
				out = append(out, x)
			}
		}
	}
	return out, nil
}

// taken reports whether a place already has a field.
func taken(d *Document, x *Suggestion) bool {
	place := x.field()
	return slices.ContainsFunc(d.Fields, func(o Field) bool {
		return o.File == x.File && o.Page == x.Page && o.Covers(&place)
	})
}

func (x *Suggestion) field() Field {
	return Field{X: x.X, Y: x.Y, Width: x.Width, Height: x.Height}
}

// detectIn searches one file. If its text can't be read, only its form fields are found.
func (s *Detection) detectIn(ctx context.Context, who account.Actor, f *File) ([]detect.Field, error) {
	form, err := s.formOf(f)
	if err != nil {
		return nil, err
	}
	paths, err := s.blobs.Paths(f.Base)
	if err != nil {
		return nil, err
	}
	pages, err := s.pdfium.For(who.Turn()).Text(ctx, pdfium.Source{Paths: paths})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case fault.KindOf(err) == fault.KindUnavailable:
		return nil, err
	case err != nil:
		s.log.Warn("text of file not read to find fields", "file", f.ID, "error", err)
	}
	sizes := make([]detect.Size, len(f.Pages))
	for i, p := range f.Pages {
		sizes[i] = detect.Size{Width: p.Width, Height: p.Height}
	}
	return append(detect.Form(form, len(f.Pages)), detect.Text(pages, sizes)...), nil
}

// formOf returns the fields of the upload's own form.
func (s *Detection) formOf(f *File) (fields []pdf.FormField, err error) {
	file, err := s.blobs.Open(f.Base)
	if err != nil {
		return nil, fmt.Errorf("signing: open %s: %w", f.ID, err)
	}
	defer func() { err = disk.Closing(err, file.Close) }()
	opened, err := pdf.Open(file, file.Size())
	if err != nil {
		return nil, fmt.Errorf("signing: read %s: %w", f.ID, err)
	}
	return opened.Inspect().FormFields, nil
}

// Input returns the suggestion as a field to be added.
func (x *Suggestion) Input() FieldInput {
	kind := string(x.Type)
	in := FieldInput{File: &x.File, Invitation: &x.Invitation, Type: &kind, Name: &x.Name, Label: &x.Label,
		Page: &x.Page, X: &x.X, Y: &x.Y, Width: &x.Width, Height: &x.Height, Required: &x.Required, Value: &x.Value}
	if x.Group != "" {
		in.Group = &x.Group
	}
	if len(x.Options) > 0 {
		in.Options = &x.Options
	}
	return in
}

// AddDetected adds every field that Detect suggests and that has a recipient. It returns
// how many were added, and how many lacked a recipient.
func (s *Detection) AddDetected(
	ctx context.Context, who account.Actor, id string, seen ...int64,
) (d *Document, added, nobody int, err error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return nil, 0, 0, err
	}
	if d, err = s.store.Get(who, id, seen...); err != nil {
		return nil, 0, 0, err
	}
	if err := d.Editable(); err != nil {
		return nil, 0, 0, err
	}
	found, err := s.detect(ctx, who, d)
	if err != nil {
		return nil, 0, 0, err
	}
	var in []FieldInput
	for i := range found {
		if found[i].Invitation == "" {
			nobody++
			continue
		}
		in = append(in, found[i].Input())
	}
	if len(in) == 0 {
		return d, 0, nobody, nil
	}
	version := d.Version
	d, err = s.drafts.redraft(who, id, func(d *Document, f *fault.Fields) ([]Event, error) {
		if err := store.RequireVersion(d, version); err != nil {
			return nil, fault.Conflict("document_changed")
		}
		s.drafts.place(f, d, in)
		return []Event{record.NewEvent(record.EventDocumentFieldsAdded)}, nil
	}, seen...)
	return d, len(in), nobody, err
}
