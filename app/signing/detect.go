package signing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/blob"
	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/pdf/pdfium"
	"paraph/app/signing/detect"
	"paraph/app/signing/disk"
	"paraph/app/signing/intake"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/app/turns"
)

// DetectionLoad returns the load of the queue for reading the text of files.
func (s *Drafts) DetectionLoad() turns.Load { return s.texts.queue.Load() }

// Suggestion is a field that a draft's file seems to need.
type Suggestion struct {
	detect.Field
	File       string
	Invitation string         // of the recipient; "" if there are not that many people
	Anchor     *detect.Anchor // at the text tag, if it moves when placeholders are filled in
}

// suggest returns what was found in a file as suggestions.
func suggest(f *record.File, found []detect.Field) []Suggestion {
	out, seen := make([]Suggestion, len(found)), map[string]int{} // occurrences of tags
	for i, x := range found {
		out[i] = Suggestion{Field: x, File: f.ID}
		if x.Source == detect.InTag && len(f.Placeholders) > 0 {
			seen[x.Text]++
			out[i].Anchor = &detect.Anchor{Text: x.Text, Occurrence: seen[x.Text], Position: detect.At, Cover: true}
		}
	}
	return out
}

// maxSuggestions is the maximum number of suggestions for one document.
const maxSuggestions = 1000

// DetectInput restricts what Detect finds.
type DetectInput struct {
	File       string   // "" means every file
	Sources    []string // of those in [detect.Sources]; nil means all
	Confidence float64  // the minimum
}

// Surely is the confidence with which fields are suggested to people and added for them.
const Surely = .8

// Detect searches the files of a draft for places that seem to need a field: form fields
// of the upload, text tags, lines to write on and boxes. Places that already have a field
// are excluded. Nothing is changed.
func (s *Drafts) Detect(
	ctx context.Context, who account.Call, id string, in DetectInput,
) ([]Suggestion, error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return nil, err
	}
	d, err := s.store.Get(who, id)
	if err != nil {
		return nil, err
	}
	if err := in.check(d); err != nil {
		return nil, err
	}
	return s.detect(ctx, who, d, in)
}

func (in *DetectInput) check(d *record.Document) error {
	var f fault.Fields
	if in.File != "" && d.File(in.File) == nil {
		f.Selected("file_id")
	}
	for i, source := range in.Sources {
		if !slices.Contains(detect.Sources(), source) {
			f.OneOf(fmt.Sprintf("sources.%d", i), detect.Sources()...)
		}
	}
	if !(in.Confidence >= 0 && in.Confidence <= 1) {
		f.Between("min_confidence", 0, 1)
	}
	return f.Err()
}

func (in *DetectInput) wants(x *detect.Field) bool {
	wanted := in.Sources == nil || slices.Contains(in.Sources, x.Source)
	return wanted && x.Confidence >= in.Confidence && x.Unsupported == ""
}

// PageEdges are the positions on a page, as fractions of it, that fields are aligned with.
type PageEdges struct {
	File string
	Page int       // from 1
	X, Y []float64 // across and down
}

// Edges returns where the text of a document's pages begins and ends.
func (s *Drafts) Edges(ctx context.Context, who account.Call, id string) (out []PageEdges, err error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return nil, err
	}
	d, err := s.store.Get(who, id)
	if err != nil {
		return nil, err
	}
	err = s.texts.during(ctx, who, func(ctx context.Context) error {
		for i := range d.Files {
			pages, err := s.texts.words(ctx, who, &d.Files[i], nil)
			if err != nil {
				return err
			}
			for n := range min(len(pages), len(d.Files[i].Pages)) {
				e := PageEdges{File: d.Files[i].ID, Page: n + 1}
				e.X, e.Y = detect.Edges(pages[n].Words, sizesOf(&d.Files[i])[n])
				out = append(out, e)
			}
		}
		return nil
	})
	return out, err
}

func (s *Drafts) detect(
	ctx context.Context, who account.Call, d *record.Document, in DetectInput,
) (out []Suggestion, err error) {
	err = s.texts.during(ctx, who, func(ctx context.Context) error {
		out, err = s.searchFields(ctx, who, d, in)
		return err
	})
	return out, err
}

func (s *Drafts) searchFields(
	ctx context.Context, who account.Call, d *record.Document, in DetectInput,
) ([]Suggestion, error) {
	var out []Suggestion
	for i := range d.Files {
		if in.File != "" && d.Files[i].ID != in.File {
			continue
		}
		found, err := s.detectIn(ctx, who, &d.Files[i])
		if err != nil {
			return nil, err
		}
		for _, x := range suggest(&d.Files[i], found) {
			if inv := d.RecipientOf(&x.Field); inv != nil {
				x.Invitation = inv.ID
			}
			if in.wants(&x.Field) && !taken(d, &x) && len(out) < maxSuggestions {
				out = append(out, x)
			}
		}
	}
	return out, nil
}

// taken reports whether a place already has a field.
func taken(d *record.Document, x *Suggestion) bool {
	place := x.field()
	return slices.ContainsFunc(d.Fields, func(o record.Field) bool {
		return o.File == x.File && o.Page == x.Page && o.Covers(&place)
	})
}

func (x *Suggestion) field() record.Field {
	return record.Field{X: x.X, Y: x.Y, Width: x.Width, Height: x.Height}
}

// detectIn searches one file. If its text can't be read, only its form fields are found.
func (s *Drafts) detectIn(ctx context.Context, who account.Call, f *record.File) ([]detect.Field, error) {
	form, err := s.formOf(f)
	if err != nil {
		return nil, err
	}
	pages, err := s.texts.words(ctx, who, f, nil)
	if err != nil {
		return nil, err
	}
	found, err := detect.Text(ctx, pages, sizesOf(f), false)
	if err != nil {
		return nil, tooComplex(f, err)
	}
	return append(detect.Form(form, len(f.Pages), f.Presigned), found...), nil
}

// formOf returns the fields of the upload's own form.
func (s *Drafts) formOf(f *record.File) (fields []pdf.FormField, err error) {
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
func (x *Suggestion) Input() record.FieldInput {
	kind := string(x.Type)
	in := record.FieldInput{File: &x.File, Invitation: &x.Invitation, Type: &kind, Name: &x.Name, Label: &x.Label,
		Page: &x.Page, X: &x.X, Y: &x.Y, Width: &x.Width, Height: &x.Height, Required: &x.Required, Value: &x.Value}
	if x.Group != "" {
		in.Group = &x.Group
	}
	if len(x.Options) > 0 {
		in.Options = &x.Options
	}
	if x.Source == detect.InTag || x.Source == detect.InForm {
		in.Covered, in.Anchor = &x.Covers, x.Anchor
	}
	if x.Formula != "" {
		in.Formula = &x.Formula
	}
	for _, p := range record.Properties() {
		if v, ok := x.Settings[p.Name]; ok {
			p.Try(&in, v)
		}
	}
	return in
}

// AsField returns the suggestion as a field that is not stored yet. Whatever keeps it from being stored,
// such as a missing recipient, is reported when it is.
func (x *Suggestion) AsField() record.Field {
	var unsaid fault.Fields
	var out record.Field
	in := x.Input()
	in.Apply(&unsaid, &out, record.Placement{})
	return out
}

// AddDetected adds every field that Detect suggests and that has a recipient. It returns
// how many were added, and how many lacked a recipient.
func (s *Drafts) AddDetected(
	ctx context.Context, who account.Call, id string,
) (d *record.Document, added, nobody int, err error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return nil, 0, 0, err
	}
	if d, err = s.store.Get(who, id); err != nil {
		return nil, 0, 0, err
	}
	if err := d.Editable(); err != nil {
		return nil, 0, 0, err
	}
	found, err := s.detect(ctx, who, d, DetectInput{Confidence: Surely})
	if err != nil {
		return nil, 0, 0, err
	}
	var in []record.FieldInput
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
	d, err = s.redraft(who, id, func(d *record.Document, f *fault.Fields) ([]record.Event, error) {
		if err := store.RequireVersion(d, version); err != nil {
			return nil, fault.Conflict("document_changed")
		}
		placings := make([]placing, len(in))
		for i := range in {
			placings[i] = placing{in[i], f.At("fields", i)}
		}
		s.place(f, d, placings)
		return []record.Event{record.NewEvent(record.EventDocumentFieldsAdded)}, nil
	})
	return d, len(in), nobody, err
}

// fileTexts reads the text of files, with its places on the pages.
type fileTexts struct {
	blobs  *blob.Store
	pdfium *pdfium.Engine
	queue  *turns.Queue
	log    *slog.Logger
}

func newFileTexts(o Options) *fileTexts {
	cores := int64(runtime.GOMAXPROCS(0))
	return &fileTexts{blobs: o.Blobs, pdfium: o.PDFium, log: o.Log,
		queue: turns.New(turns.Options{Slots: cores + 1, Group: cores})}
}

// maxReading is how long one request may read and search the text of its files.
const maxReading = 30 * time.Second

// during runs a function that reads texts when it is the caller's turn, with a deadline.
func (s *fileTexts) during(ctx context.Context, who account.Call, do func(ctx context.Context) error) error {
	leave, err := s.queue.Enter(ctx, who.Turn())
	if err != nil {
		return err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, maxReading)
	defer cancel()
	return do(ctx)
}

// tooComplex refuses a file that takes too long, unless the caller has left.
func tooComplex(f *record.File, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fault.Invalid("files", "file_too_complex.upload", fault.Text("file", f.Name)).Because(err)
}

// words returns the words on the pages of a file, which may be one of the uploads that
// are not committed yet. A damaged file, of which the text can't be read, has none.
func (s *fileTexts) words(
	ctx context.Context, who account.Call, f *record.File, uploads []*intake.Upload,
) ([]pdfium.PageText, error) {
	paths, err := s.pathsOf(f, uploads)
	if err != nil {
		return nil, err
	}
	pages, err := s.pdfium.For(who.Turn()).Text(ctx, pdfium.Source{Paths: paths})
	switch {
	case ctx.Err() != nil:
		return nil, tooComplex(f, ctx.Err())
	case fault.KindOf(err) == fault.KindUnavailable:
		return nil, err
	case errors.Is(err, pdfium.ErrNotStarted):
		return nil, fault.Unavailable("busy").Because(err)
	case errors.Is(err, pdfium.ErrTooLarge), errors.Is(err, pdfium.ErrTimeout), errors.Is(err, pdfium.ErrCrashed):
		return nil, tooComplex(f, err)
	case err != nil:
		s.log.Warn("text of file not read to find fields", "file", f.ID, "error", err)
		return nil, nil
	}
	return pages, nil
}

func (s *fileTexts) pathsOf(f *record.File, uploads []*intake.Upload) ([]string, error) {
	for _, u := range uploads {
		if u.Raw.Hash() == f.Base {
			return []string{u.Raw.Path()}, nil
		}
		if u.Converted != nil && u.Converted.Hash() == f.Base {
			return []string{u.Converted.Path()}, nil
		}
	}
	return s.blobs.Paths(f.Base)
}

func sizesOf(f *record.File) []detect.Size {
	sizes := make([]detect.Size, len(f.Pages))
	for i, p := range f.Pages {
		sizes[i] = detect.Size{Width: p.Width, Height: p.Height}
	}
	return sizes
}

// placeTags makes fields of the text tags in the files from an index on. In a template,
// roles that only tags name are added.
func (s *Drafts) placeTags(
	ctx context.Context, who account.Call, f *fault.Fields, d *record.Document, from int, uploads []*intake.Upload,
) error {
	var found []Suggestion
	err := s.texts.during(ctx, who, func(ctx context.Context) error {
		for i := range d.Files[from:] {
			file := &d.Files[from+i]
			tags, err := s.texts.tags(ctx, who, file, uploads)
			if err != nil {
				return err
			}
			tags = slices.DeleteFunc(tags, func(x Suggestion) bool {
				return file.Placeholders.Has(strings.Trim(x.Text, "{}"))
			})
			found = append(found, tags...)
			if file.Presigned && len(tags) > 0 {
				f.Add("text_tags", "tags_in_signed_file", fault.Text("file", file.Name))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(d.Fields)+len(found) > s.limits.Fields {
		f.TooMany("fields", s.limits.Fields)
		return nil
	}
	if d.Template {
		s.addTagged(f, d, found)
	}
	before := len(d.Fields)
	for i := range found {
		s.placeTag(f.At("text_tags", i), d, &found[i])
	}
	d.Separate(d.Fields[before:])
	return nil
}

// tags returns the text tags of a file.
func (s *fileTexts) tags(
	ctx context.Context, who account.Call, f *record.File, uploads []*intake.Upload,
) ([]Suggestion, error) {
	pages, err := s.words(ctx, who, f, uploads)
	if err != nil {
		return nil, err
	}
	found, err := detect.Text(ctx, pages, sizesOf(f), true)
	if err != nil {
		return nil, tooComplex(f, err)
	}
	notTag := func(x Suggestion) bool { return x.Source != detect.InTag }
	return slices.DeleteFunc(suggest(f, found), notTag), nil
}

// placeTag makes a field of a text tag.
func (s *Drafts) placeTag(f *fault.Fields, d *record.Document, tag *Suggestion) {
	where := []fault.Arg{
		fault.Text("tag", tag.Text), fault.Number("page", tag.Page), fault.Text("file", d.File(tag.File).Name),
	}
	if tag.Unsupported != "" {
		f.Add("type", "tag_type_unsupported", where...)
		return
	}
	inv := d.RecipientOf(&tag.Field)
	if inv == nil {
		f.Add("role", "tag_without_recipient", where...)
		return
	}
	tag.Invitation = inv.ID
	in, x := tag.Input(), record.Field{}
	in.Apply(f, &x, s.placement(d))
	x.ID = s.id()
	d.Fields = append(d.Fields, x)
}

// addTagged adds the roles that only tags name to a template, in the order of their
// numbers, or else of the tags.
func (s *Drafts) addTagged(f *fault.Fields, d *record.Document, found []Suggestion) {
	var names []string
	known := map[string]bool{}
	for i := range found {
		x := &found[i].Field
		if x.Role != "" && !known[record.Squeeze(x.Role)] && d.RecipientOf(x) == nil {
			names = append(names, x.Role)
			known[record.Squeeze(x.Role)] = true
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(cmp.Or(record.Ordinal(a), math.MaxInt), cmp.Or(record.Ordinal(b), math.MaxInt))
	})
	numbered := 0
	for i := range found {
		if found[i].Role == "" && found[i].Unsupported == "" {
			numbered = max(numbered, found[i].Recipient)
		}
	}
	for n := len(d.InOrder()) + len(names); n < min(numbered, s.limits.Invitations); n++ {
		names = append(names, "Signer "+strconv.Itoa(n+1))
	}
	in := make([]record.InvitationInput, len(names))
	for i := range names {
		in[i].RoleName = &names[i]
	}
	s.invite(f, d, in, s.now(d.Company))
}
