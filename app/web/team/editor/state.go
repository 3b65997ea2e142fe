package editor

import (
	"fmt"
	"html/template"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/signing/detect"
	"paraph/app/signing/record"
	"paraph/app/web/page"
	"paraph/app/web/signer"
)

// editorState is the version of a document that the editor's script works on.
type editorState struct {
	Version int64          `json:"version"`
	Order   string         `json:"order"` // signing order
	Pages   []editorPage   `json:"pages"`
	People  []editorPerson `json:"people"`
	Fields  []editorField  `json:"fields"`

	Problems []editorProblem `json:"problems"`
	Saved    []editorSaved   `json:"saved,omitempty"`
}

// editorPage is one page of a file. Sizes are in points.
type editorPage struct {
	File   string  `json:"file"`
	Number int     `json:"page"` // in its file, from 1
	Width  float64 `json:"w"`
	Height float64 `json:"h"`
}

// editorPerson is a recipient.
type editorPerson struct {
	ID             string `json:"id"`
	Name           string `json:"name"`
	Email          string `json:"email"`
	Role           string `json:"role"`
	Position       int    `json:"position"`
	Authentication string `json:"authentication"`
	Locale         string `json:"locale"`
	Message        string `json:"message"`
	Company        string `json:"company"`
	JobTitle       string `json:"job_title"`
	Group          string `json:"group,omitempty"`
}

// editorField is a field, with the meanings of the API.
type editorField struct {
	ID             string   `json:"id,omitempty"`
	File           string   `json:"file"`
	Invitation     string   `json:"who"`
	Type           string   `json:"type"`
	Name           string   `json:"name,omitempty"`
	Label          string   `json:"label,omitempty"`
	Page           int      `json:"page"`
	X              float64  `json:"x"`
	Y              float64  `json:"y"`
	Width          float64  `json:"w"`
	Height         float64  `json:"h"`
	Required       bool     `json:"required,omitempty"`
	ReadOnly       bool     `json:"readOnly,omitempty"`
	Value          string   `json:"value,omitempty"`
	Options        []string `json:"options,omitempty"`
	Min            string   `json:"min,omitempty"` // a number; of a date, a day
	Max            string   `json:"max,omitempty"`
	Pattern        string   `json:"pattern,omitempty"`
	Format         string   `json:"format,omitempty"`
	PatternMessage string   `json:"patternMessage,omitempty"`
	Help           string   `json:"help,omitempty"`
	Placeholder    string   `json:"placeholder,omitempty"`
	Group          string   `json:"group,omitempty"`
	GroupMin       int      `json:"groupMin,omitempty"`
	GroupMax       int      `json:"groupMax,omitempty"`
	FontSize       float64  `json:"size,omitempty"`
	Align          string   `json:"align,omitempty"`
	Weight         string   `json:"weight,omitempty"`
	Color          string   `json:"color,omitempty"`
	VerticalAlign  string   `json:"valign,omitempty"`
	Cells          int      `json:"cells,omitempty"`
	Mask           string   `json:"mask,omitempty"`
	Marks          string   `json:"marks,omitempty"` // allowed types of signatures, separated by blanks

	Formula   string           `json:"formula,omitempty"`
	Condition *editorCondition `json:"condition,omitempty"`

	Found *editorFound `json:"found,omitempty"` // until the field is stored
}

// editorFound is where a suggested field stood in the file, with the text to cover. The script keeps
// it unread with the field and returns it when the field is saved, wherever that was moved since.
type editorFound struct {
	Page    int
	X, Y    float64
	Width   float64
	Height  float64
	Covered []detect.Area
	Anchor  *detect.Anchor
}

// editorCondition is the condition of a field.
type editorCondition struct {
	Then  string       `json:"then"`
	Match string       `json:"match"`
	When  []editorTest `json:"when"`
}

// editorTest is a comparison of a condition.
type editorTest struct {
	Field string `json:"field"`
	Op    string `json:"op"`
	Value string `json:"value,omitempty"`
}

func editorConditionOf(c *record.Condition) *editorCondition {
	if c == nil {
		return nil
	}
	out := &editorCondition{Then: c.Then, Match: c.Match}
	for _, t := range c.When {
		out.When = append(out.When, editorTest(t))
	}
	return out
}

func (c *editorCondition) input() *record.Condition {
	if c == nil {
		return nil
	}
	out := &record.Condition{Then: c.Then, Match: c.Match}
	for _, t := range c.When {
		out.When = append(out.When, record.Test(t))
	}
	return out
}

// A pen writes values and limits as the reader of the page does, and reads what they typed.
type pen record.Writing

func (h *Handlers) pen(r *page.Request) pen { return pen{r.Words, h.Now()} }

// limit writes a limit of a field, which is a number, or a day of a date; "" if there is none.
func (p pen) limit(x *record.Field, number *float64, day string) string {
	if x.Type != pdf.FieldDate {
		if number == nil {
			return ""
		}
		of := record.Field{Type: pdf.FieldNumber}
		return of.InInput(strconv.FormatFloat(*number, 'f', -1, 64), p.Language)
	}
	return x.InInput(day, p.Language)
}

// readLimit reads a limit of a field of some type. What can't be read is given back as a day, which the field refuses.
func (p pen) readLimit(of, typed string) (number *float64, day *string) {
	typed = strings.TrimSpace(typed)
	if typed == "" {
		return nil, nil
	}
	if of == string(pdf.FieldDate) {
		if day := record.DayLimit(typed); day != nil {
			return nil, day
		}
		typed = record.ReadDate(typed, p.Language, p.Today)
		return nil, &typed
	}
	x := record.Field{Type: pdf.FieldNumber}
	if n, err := strconv.ParseFloat(x.Typed(typed, p.Language, p.Today), 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
		return &n, nil
	}
	return nil, &typed
}

func (p pen) field(x *record.Field) editorField {
	return editorField{ID: x.ID, File: x.File, Invitation: x.Invitation, Type: string(x.Type), Name: x.Name,
		Label: x.Label, Page: x.Page,
		X: x.X, Y: x.Y, Width: x.Width, Height: x.Height, Required: x.Required, ReadOnly: x.ReadOnly, Value: x.InInput(x.Value, p.Language),
		Options: x.Options, Min: p.limit(x, x.Min, x.Earliest), Max: p.limit(x, x.Max, x.Latest),
		Pattern: x.Pattern, Format: x.Format, Group: x.Group,
		FontSize: x.FontSize, Align: x.Align, Weight: x.Weight, Color: x.Color, VerticalAlign: x.VerticalAlign,
		Cells: x.Cells, Mask: x.Mask, Marks: strings.Join(x.SignatureTypes, " "), Help: x.Help, Placeholder: x.Placeholder,
		PatternMessage: x.PatternMessage, GroupMin: x.GroupMin, GroupMax: x.GroupMax,
		Formula: x.Formula, Condition: editorConditionOf(x.Condition)}
}

// input returns a change that sets every property of the field and clears empty ones.
func (p pen) input(x *editorField) record.FieldInput {
	in := record.FieldInput{ID: x.ID, File: &x.File, Invitation: &x.Invitation, Type: &x.Type, Name: &x.Name,
		Label: &x.Label,
		Page:  &x.Page, X: &x.X, Y: &x.Y, Width: &x.Width, Height: &x.Height, Required: &x.Required,
		ReadOnly: &x.ReadOnly,
		Options:  &x.Options, Pattern: &x.Pattern, Format: &x.Format, Group: &x.Group,
		LookInput: record.LookInput{FontSize: &x.FontSize, Weight: &x.Weight, Color: &x.Color,
			VerticalAlign: &x.VerticalAlign, Cells: &x.Cells, Mask: &x.Mask},
		SignatureTypes: page.ReadSignatureTypes(x.Marks),
		Help:           &x.Help, Placeholder: &x.Placeholder,
		PatternMessage: &x.PatternMessage, GroupMin: &x.GroupMin, GroupMax: &x.GroupMax, Formula: &x.Formula,
		Condition: x.Condition.input()}
	in.Min, in.Earliest = p.readLimit(x.Type, x.Min)
	in.Max, in.Latest = p.readLimit(x.Type, x.Max)
	if x.Value != "" {
		of := record.Field{Type: pdf.FieldType(x.Type), Format: x.Format}
		in.Value = new(of.Typed(x.Value, p.Language, p.Today))
	}
	if x.Align != "" {
		in.Align = &x.Align
	}
	if x.Found != nil && x.ID == "" {
		in.Covered = &x.Found.Covered
		if in.Anchor = x.Found.Anchor; in.Anchor != nil {
			at := x.Found
			in.Placed = &record.Field{Page: at.Page, X: at.X, Y: at.Y, Width: at.Width, Height: at.Height}
		}
	}
	return in
}

// same reports whether two fields are equal.
func (x editorField) same(y editorField) bool {
	if len(x.Options) == 0 && len(y.Options) == 0 {
		x.Options, y.Options = nil, nil
	}
	return reflect.DeepEqual(x, y)
}

// editorProblem is a problem with the draft.
type editorProblem struct {
	Code       fault.Code `json:"code"`
	Severity   string     `json:"severity"`
	Message    string     `json:"message"`
	File       string     `json:"file,omitempty"`
	Page       int        `json:"page,omitempty"` // from 1
	Invitation string     `json:"invitation,omitempty"`
	Field      string     `json:"field,omitempty"`
}

func (h *Handlers) problemsOf(r *page.Request, d *record.Document) []editorProblem {
	var out []editorProblem
	for _, p := range h.Drafts.Problems(d) {
		out = append(out, editorProblem{p.Code, p.Severity, r.Problem(p), p.File, p.Page, p.Invitation, p.Field})
	}
	return out
}

func (h *Handlers) stateOf(r *page.Request, d *record.Document) editorState {
	s := editorState{
		Version:  d.Version,
		Order:    d.SigningOrder,
		Pages:    pagesOf(d),
		People:   []editorPerson{},
		Fields:   []editorField{},
		Problems: h.problemsOf(r, d),
	}
	for i := range d.Invitations {
		v := &d.Invitations[i]
		s.People = append(s.People, editorPerson{v.ID, v.DisplayName(), v.Email, v.Role, v.Position, v.Authentication,
			v.Locale, v.Message, v.Company, v.JobTitle, v.Group})
	}
	for i := range d.Fields {
		s.Fields = append(s.Fields, onSomePage(d, h.pen(r).field(&d.Fields[i])))
	}
	return s
}

// onSomePage moves a field whose page a new file doesn't have to the file's last page, so
// that it can be seen and moved. It is stored there with the next change.
func onSomePage(d *record.Document, x editorField) editorField {
	if f := d.File(x.File); f != nil {
		x.Page = min(x.Page, len(f.Pages))
	}
	return x
}

func pagesOf(d *record.Document) []editorPage {
	pages := []editorPage{}
	for i := range d.Files {
		for n, size := range d.Files[i].Pages {
			pages = append(pages, editorPage{d.Files[i].ID, n + 1, size.Width, size.Height})
		}
	}
	return pages
}

// editorSheet is one page as shown before any script runs.
type editorSheet struct {
	editorPage
	ID, Label, Src, Thumb string
	FileName              string // on the first page of each of several files
	PixelHeight           int    // of a picture of the default width
	Lazy                  bool
	Fields                []drawnField
}

// drawnField is a field drawn on the picture of its page, in points.
type drawnField struct {
	X, Y, Width, Height float64
	Hue, Text           string
}

// sheetsOf lists the pages of a document with the fields on them.
func sheetsOf(r *page.Request, d *record.Document) []editorSheet {
	base := "/app/documents/" + d.ID + "/pages/"
	var out []editorSheet
	at := map[string]int{} // index of each file's first page
	total := len(pagesOf(d))
	for i := range d.Files {
		f := &d.Files[i]
		at[f.ID] = len(out)
		for n, size := range f.Pages {
			k := len(out) + 1
			src := fmt.Sprintf("%s%s/%d.png?v=%.8s", base, f.ID, n+1, f.Current())
			x := editorSheet{editorPage: editorPage{f.ID, n + 1, size.Width, size.Height}, ID: fmt.Sprintf("p%d", k), Lazy: k > 1,
				Label: r.Say("sign.page", "n", k, "total", total), Src: src, Thumb: src + "&w=160",
				PixelHeight: max(1, int(signer.DefaultWidth*size.Height/max(size.Width, 1)+.5))}
			if n == 0 && len(d.Files) > 1 {
				x.FileName = f.Name
			}
			out = append(out, x)
		}
	}
	indexes := personIndexes(d)
	for i := range d.Fields {
		x := &d.Fields[i]
		if k, ok := at[x.File]; ok && x.Page >= 1 && k+x.Page <= len(out) {
			on := &out[k+x.Page-1]
			person := indexes[x.Invitation]
			on.Fields = append(on.Fields, drawnField{
				X:      x.X * on.Width,
				Y:      x.Y * on.Height,
				Width:  x.Width * on.Width,
				Height: x.Height * on.Height,
				Hue:    page.HueOf(person),
				Text:   page.LetterOf(person) + " " + r.Say("edit.type."+string(x.Type)),
			})
		}
	}
	return out
}

// sheetSizes returns the styles with the sizes of the pages, so that the pictures of pages
// have theirs before any script runs.
func sheetSizes(sheets []editorSheet) template.CSS {
	var b strings.Builder
	widest := 1.0
	for i := range sheets {
		widest = max(widest, sheets[i].Width)
	}
	fmt.Fprintf(&b, ".pages{--widest:%g}", widest)
	for i := range sheets {
		fmt.Fprintf(&b, "#%s{--w:%g;--h:%g}", sheets[i].ID, max(sheets[i].Width, 1), max(sheets[i].Height, 1))
	}
	return template.CSS(b.String())
}

// personIndexes returns the index of every recipient by the ID of their invitation.
func personIndexes(d *record.Document) map[string]int {
	out := map[string]int{}
	for i := range d.Invitations {
		out[d.Invitations[i].ID] = i
	}
	return out
}

// formatTime formats a time for the script.
func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }
