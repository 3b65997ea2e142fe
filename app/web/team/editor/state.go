package editor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"time"

	"paraph/app/fault"
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

// editorField is a field as the editor's script has it: where it lies, what it depends on, and its properties as the
// inputs of a form have them, by name. In JSON, all are members of one object.
type editorField struct {
	ID         string           `json:"id,omitempty"`
	File       string           `json:"file"`
	Invitation string           `json:"who"`
	Page       int              `json:"page"`
	X          float64          `json:"x"`
	Y          float64          `json:"y"`
	Width      float64          `json:"w"`
	Height     float64          `json:"h"`
	Formula    string           `json:"formula,omitempty"`
	Condition  *editorCondition `json:"condition,omitempty"`
	Found      *editorFound     `json:"found,omitempty"` // until the field is stored
	properties map[string]string
}

// MarshalJSON adds the properties that are set: flags as true, numbers as numbers, lists as lists.
func (x editorField) MarshalJSON() ([]byte, error) {
	type plain editorField
	b, err := json.Marshal(plain(x))
	if err != nil {
		return nil, err
	}
	b = bytes.TrimSuffix(b, []byte("}"))
	for _, p := range record.Properties() {
		text := x.properties[p.Name]
		if text == "" {
			continue
		}
		var v any = text
		switch p.Kind {
		case record.KindFlag:
			v = text == record.Yes
		case record.KindWhole, record.KindNumber:
			v = json.Number(text)
		case record.KindList:
			v = strings.Split(text, "\n")
		}
		member, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		b = append(append(strconv.AppendQuote(append(b, ','), p.Name), ':'), member...)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads the properties as well.
func (x *editorField) UnmarshalJSON(b []byte) error {
	type plain editorField
	if err := json.Unmarshal(b, (*plain)(x)); err != nil {
		return err
	}
	members := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&members); err != nil {
		return err
	}
	x.properties = map[string]string{}
	for _, p := range record.Properties() {
		switch v := members[p.Name].(type) {
		case string:
			x.properties[p.Name] = v
		case json.Number:
			x.properties[p.Name] = v.String()
		case bool:
			if v {
				x.properties[p.Name] = record.Yes
			}
		case []any:
			lines := make([]string, len(v))
			for i := range v {
				lines[i], _ = v[i].(string)
			}
			x.properties[p.Name] = strings.Join(lines, "\n")
		}
	}
	return nil
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

func (h *Handlers) pen(r *page.Request) pen { return pen{r.Words, h.Now(r.Who.Company.ID)} }

func (p pen) field(x *record.Field) editorField {
	out := editorField{
		ID: x.ID, File: x.File, Invitation: x.Invitation, Page: x.Page, X: x.X, Y: x.Y, Width: x.Width, Height: x.Height,
		Formula: x.Formula, Condition: editorConditionOf(x.Condition), properties: map[string]string{},
	}
	for _, property := range record.Properties() {
		if text := property.Text(x, record.Writing(p)); text != "" {
			out.properties[property.Name] = text
		}
	}
	return out
}

// input returns a change that sets every property of the field and clears empty ones. It returns the names of those
// that are no numbers and should be; limits that are none are refused with the change.
func (p pen) input(x *editorField) (in record.FieldInput, unread []string) {
	in = record.FieldInput{
		ID: x.ID, File: &x.File, Invitation: &x.Invitation, Page: &x.Page, X: &x.X, Y: &x.Y, Width: &x.Width, Height: &x.Height,
		Formula: &x.Formula, Condition: x.Condition.input(),
	}
	for _, property := range record.Properties() {
		if !property.Read(&in, x.properties[property.Name], record.Writing(p)) && property.Kind != record.KindLimit {
			unread = append(unread, property.Name)
		}
	}
	if x.Found != nil && x.ID == "" {
		in.Covered = &x.Found.Covered
		if in.Anchor = x.Found.Anchor; in.Anchor != nil {
			at := x.Found
			in.Placed = &record.Field{Page: at.Page, X: at.X, Y: at.Y, Width: at.Width, Height: at.Height}
		}
	}
	return in, unread
}

// same reports whether two fields are equal.
func (x editorField) same(y editorField) bool {
	unset := func(_, v string) bool { return v == "" }
	maps.DeleteFunc(x.properties, unset)
	maps.DeleteFunc(y.properties, unset)
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
