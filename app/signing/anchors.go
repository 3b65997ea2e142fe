package signing

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"paraph/app/account"
	"paraph/app/convert/merge"
	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/pdf/pdfium"
	"paraph/app/signing/detect"
	"paraph/app/signing/intake"
	"paraph/app/signing/record"
)

// maxAnchors is the maximum number of anchors in one request: each is a search through
// the text of a file.
const maxAnchors = 200

// maxWords is the maximum number of words in the files to which one request anchors fields:
// they are all kept until it is done.
const maxWords = 1_000_000

// anchors finds the places of fields that are anchored to phrases.
type anchors struct {
	where record.Placement
	words func(context.Context, *record.File) ([]pdfium.PageText, error)
	read  map[string]*detect.Phrases // by file
	left  int                        // words that may still be read
}

func newAnchors(texts *fileTexts, who account.Call, d *record.Document, uploads []*intake.Upload) *anchors {
	return &anchors{
		where: record.Placement{Files: d.Files, Invitations: d.Invitations}, read: map[string]*detect.Phrases{},
		words: func(ctx context.Context, f *record.File) ([]pdfium.PageText, error) {
			return texts.words(ctx, who, f, uploads)
		},
		left: maxWords,
	}
}

func (a *anchors) phrases(ctx context.Context, f *record.File) (*detect.Phrases, error) {
	if err := ctx.Err(); err != nil { // many anchors may refer to a long file
		return nil, tooComplex(f, err)
	}
	if p := a.read[f.ID]; p != nil {
		return p, nil
	}
	pages, err := a.words(ctx, f)
	if err != nil {
		return nil, err
	}
	for i := range pages {
		a.left -= len(pages[i].Words)
	}
	if a.left < 0 {
		return nil, tooComplex(f, pdfium.ErrTooLarge)
	}
	a.read[f.ID] = detect.NewPhrases(pages, sizesOf(f))
	return a.read[f.ID], nil
}

// resolve replaces the anchor of an input for a field with the place it stands for.
func (a *anchors) resolve(ctx context.Context, f *fault.Fields, in *record.FieldInput, x *record.Field) error {
	if in.Anchor == nil {
		return nil
	}
	in.CheckAnchor(f)
	if in.Placed != nil {
		return nil
	}
	found := detect.Field{Type: x.Type, Width: x.Width, Height: x.Height, Page: 1}
	if in.Type != nil {
		found.Type = pdf.FieldType(*in.Type)
	}
	if in.Width != nil {
		found.Width = *in.Width
	}
	if in.Height != nil {
		found.Height = *in.Height
	}
	file := a.where.File(cmp.Or(deref(in.File), x.File))
	if file == nil { // reported when the input is applied
		return nil
	}
	phrases, err := a.phrases(ctx, file)
	if err != nil {
		return err
	}
	if !phrases.Place(&found, *in.Anchor) && !f.Has("anchor.text") {
		f.Add("anchor", "anchor_not_found", fault.Text("text", in.Anchor.Text),
			fault.Number("occurrence", in.Anchor.Occurrence), fault.Text("file", file.Name))
	}
	if f.Has("anchor") || f.Has("anchor.text") { // nothing else is missing
		found.Width, found.Height = cmp.Or(found.Width, 1), cmp.Or(found.Height, 1)
	}
	in.Page, in.X, in.Y, in.Width, in.Height = &found.Page, &found.X, &found.Y, &found.Width, &found.Height
	if in.Anchor.Cover {
		in.Covered = &found.Covers
	}
	return nil
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// placeAnchored adds fields to the record, some of which may be anchored to phrases or lie on several pages. It returns
// the inputs of the fields that it added, one for each.
func (s *Drafts) placeAnchored(
	ctx context.Context, who account.Call, f *fault.Fields, d *record.Document, in []record.FieldInput, uploads []*intake.Upload,
) ([]record.FieldInput, error) {
	anchored := 0
	for i := range in {
		if in[i].Anchor != nil {
			anchored++
		}
	}
	if anchored > maxAnchors {
		f.TooMany("anchors", maxAnchors)
		return nil, nil
	}
	all, where := make([]placing, 0, len(in)), s.placement(d)
	for i := range in {
		at := f.At("fields", i)
		for _, one := range in[i].OnPages(at, where) {
			all = append(all, placing{one, at})
		}
		if len(all) > s.limits.Fields { // before a short request becomes millions of fields
			f.TooMany("fields", s.limits.Fields)
			return nil, nil
		}
	}
	if anchored > 0 {
		if err := s.resolveAll(ctx, who, d, all, uploads); err != nil {
			return nil, err
		}
	}
	s.place(f, d, all)
	placed := make([]record.FieldInput, len(all))
	for i := range all {
		placed[i] = all[i].FieldInput
	}
	return placed, nil
}

// placing is the input of a field to be placed, and where its faults are reported.
type placing struct {
	record.FieldInput
	faults *fault.Fields
}

func (s *Drafts) resolveAll(
	ctx context.Context, who account.Call, d *record.Document, in []placing, uploads []*intake.Upload,
) error {
	return s.texts.during(ctx, who, func(ctx context.Context) error {
		all := newAnchors(s.texts, who, d, uploads)
		for i := range in {
			if err := all.resolve(ctx, in[i].faults, &in[i].FieldInput, &record.Field{}); err != nil {
				return err
			}
		}
		return nil
	})
}

// resolve replaces the anchor of an input for a field of a draft, if it has one.
func (s *Drafts) resolve(
	ctx context.Context, who account.Call, f *fault.Fields, d *record.Document, in *record.FieldInput, x *record.Field,
) error {
	if in.Anchor == nil {
		return nil
	}
	return s.texts.during(ctx, who, func(ctx context.Context) error {
		return newAnchors(s.texts, who, d, nil).resolve(ctx, f, in, x)
	})
}

// refit adapts the fields on a replaced file and returns those that don't fit. What was
// covered in the old file is not covered in the new one, unless an anchor covers it again.
func (s *Drafts) refit(
	ctx context.Context, who account.Call, d *record.Document, file *record.File, u *intake.Upload,
) (unfit []string, err error) {
	var anchored []*record.Field
	for i := range d.Fields {
		x := &d.Fields[i]
		if x.File != file.ID {
			continue
		}
		x.Covered = nil
		switch {
		case x.Anchor != nil:
			anchored = append(anchored, x)
		case x.Page > len(file.Pages):
			unfit = append(unfit, x.ID)
		}
	}
	if len(anchored) == 0 {
		return unfit, nil
	}
	err = s.texts.during(ctx, who, func(ctx context.Context) error {
		all := newAnchors(s.texts, who, d, []*intake.Upload{u})
		for _, x := range anchored {
			found, err := all.again(ctx, x)
			if err != nil {
				return err
			}
			if !found {
				unfit = append(unfit, x.ID)
			}
		}
		return nil
	})
	return unfit, err
}

// again moves a field to the place that its anchor has in a new file. If it has none, the
// field stays and is no longer anchored.
func (a *anchors) again(ctx context.Context, x *record.Field) (found bool, err error) {
	var f fault.Fields
	if !x.Anchor.Places() {
		return a.coverAgain(ctx, x)
	}
	in, moved := record.FieldInput{Anchor: x.Anchor}, *x
	if err := a.resolve(ctx, &f, &in, &moved); err != nil {
		return false, err
	}
	in.Apply(&f, &moved, a.where)
	if !f.Empty() {
		x.Anchor = nil
		return false, nil
	}
	*x = moved
	return true, nil
}

// coverAgain covers the phrase that a field was moved away from, which may have been left out of
// the new file, and reports whether the field still has its page.
func (a *anchors) coverAgain(ctx context.Context, x *record.Field) (fits bool, err error) {
	file := a.where.File(x.File)
	phrases, err := a.phrases(ctx, file)
	if err != nil {
		return false, err
	}
	phrase := detect.Field{Type: x.Type, Page: 1}
	if phrases.Place(&phrase, *x.Anchor) {
		x.Covered = phrase.Covers
	}
	return x.Page <= len(file.Pages), nil
}

// fillFiles fills in the placeholders of a new document's files, and moves the fields that
// are anchored in them. They are converted with those of a series unless that is nil. The caller
// closes the uploads, also after an error.
func (s *Drafts) fillFiles(
	ctx context.Context, who account.Call, d *record.Document, with merge.Data, in *intake.Series,
) (uploads []*intake.Upload, err error) {
	var f fault.Fields
	writing := s.writing(d)
	with.Write = func(value, format string) string { return inert(writing.Write(value, format)) }
	for i := range d.Files {
		file := &d.Files[i]
		if len(file.Placeholders) == 0 {
			continue
		}
		u, err := s.intake.FillIn(ctx, who, file, with, in)
		if err := cmp.Or(refused(&f, i, err), f.Err()); err != nil {
			return uploads, err
		}
		uploads = append(uploads, u)
		filled, err := s.accept(ctx, who.CompanyID, &f, i, u)
		if err := cmp.Or(err, f.Err()); err != nil {
			return uploads, err
		}
		optional := file.Placeholders.HasSections()
		filled.ID, filled.Position, filled.Confirmed, filled.Placeholders = file.ID, file.Position, file.Confirmed, nil
		*file = filled
		if err := s.refitFilled(ctx, who, &f, d, file, u, optional); err != nil {
			return uploads, err
		}
	}
	return uploads, f.Err()
}

// inert returns a text that is no text tag. A name or another value that is filled in must not look like
// the tag of a field, which would move to it: whoever fills in a public link chooses their own.
func inert(text string) string {
	var out strings.Builder
	for i := range len(text) {
		if i > 0 && text[i] == text[i-1] && (text[i] == '{' || text[i] == '}') {
			out.WriteByte(' ')
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// refitFilled moves the fields that are anchored in a filled file. One whose phrase is not
// there is left out if parts of the file are optional, and a fault otherwise.
func (s *Drafts) refitFilled(
	ctx context.Context, who account.Call, f *fault.Fields, d *record.Document, file *record.File, u *intake.Upload, optional bool,
) error {
	anchored := map[string]string{} // phrases by field
	for i := range d.Fields {
		if x := &d.Fields[i]; x.File == file.ID && x.Anchor != nil && x.Anchor.Places() {
			anchored[x.ID] = x.Anchor.Text
		}
	}
	unfit, err := s.refit(ctx, who, d, file, u)
	if err != nil {
		return err
	}
	lost := func(x record.Field) bool { return anchored[x.ID] != "" && slices.Contains(unfit, x.ID) }
	if optional {
		d.Fields = slices.DeleteFunc(d.Fields, lost)
		return nil
	}
	for i, x := range d.Fields {
		if lost(x) {
			f.Add("fields."+strconv.Itoa(i)+".anchor", "anchor_not_found", fault.Text("text", anchored[x.ID]),
				fault.Number("occurrence", 1), fault.Text("file", file.Name))
		}
	}
	return nil
}
