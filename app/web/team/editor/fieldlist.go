package editor

import (
	"fmt"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// fieldList is a form with a table of a document's fields: the graphical editor in
// words and numbers.
type fieldList struct {
	*record.Document
	pen     pen
	Base    string
	Version int64
	Unit    string // mm or percent
	Rows    []fieldRow
	Pages   int
	People  []page.Option
	Files   []page.Option
	Types   []page.Option
	Saved   []editorSaved // by the company
	Why     string
	// Long lists are shown in parts.
	Part, Parts, Total  int
	Previous, Following string
	Overtaken           bool
}

// fieldRow is a field in the table. Its key is part of its inputs' names.
type fieldRow struct {
	Key, ID string // ID is empty for a new one
	N       int
	Hue     string
	Letter  string
	values  url.Values // values of its inputs, by name without the key
	Errors  map[string]string
	Choices map[string][]page.Option // of its selects, by name
}

// Value returns the value of an input of the row.
func (x fieldRow) Value(name string) string { return x.values.Get(name) }

// Checked reports whether a checkbox of the row is checked.
func (x fieldRow) Checked(name string) bool { return x.values.Get(name) == "yes" }

// Error returns the message about an input of the row, "" for none.
func (x fieldRow) Error(name string) string { return x.Errors[name] }

// rowsPerPart is the number of fields shown at a time.
const rowsPerPart = 50

// millimetre is the length of a millimetre in points.
const millimetre = 72 / 25.4

// ShowList serves the fields as a table, which works without scripts.
func (h *Handlers) ShowList(r *page.Request) error {
	d, err := h.editing(r)
	if err != nil {
		return err
	}
	l := h.fieldListOf(r, d, r.Query("unit"), r.Query("part"))
	if l.Saved, err = h.savedFields(r); err != nil {
		return err
	}
	if r.Query("add") != "" && l.Why == "" {
		l.Rows = append(l.Rows, newRow(r, d, l))
		if x, err := h.Drafts.GetSavedField(r.Who.Call, r.Query("saved")); err == nil {
			l.take(r, &x.Field)
		}
	}
	p := page.Page{Title: r.Say("edit.list.title", "title", d.Title)}
	return fieldlistTemplate.Render(r, http.StatusOK, page.With(p, l))
}

// fieldListOf returns the table of a document's stored fields.
func (h *Handlers) fieldListOf(r *page.Request, d *record.Document, unit, part string) *fieldList {
	l := &fieldList{Document: d, pen: h.pen(r), Base: "/app/documents/" + d.ID, Version: d.Version, Unit: "mm", Pages: len(pagesOf(d)), Total: len(d.Fields), Why: whyNot(r, d)}
	if unit == "percent" {
		l.Unit = unit
	}
	for i := range d.Invitations {
		if v := &d.Invitations[i]; v.Signs() {
			l.People = append(l.People, page.Option{Value: v.ID, Label: page.LetterOf(i) + " " + v.DisplayName()})
		}
	}
	for i := range d.Files {
		l.Files = append(l.Files, page.Option{Value: d.Files[i].ID, Label: d.Files[i].Name})
	}
	l.Types = fieldTypes(r, "")
	fields := inReadingOrder(d)
	l.Parts = max(1, (len(fields)+rowsPerPart-1)/rowsPerPart)
	n, err := strconv.Atoi(part)
	if err != nil {
		n = 1
	}
	l.Part = min(max(n, 1), l.Parts)
	l.link()
	indexes := personIndexes(d)
	from := (l.Part - 1) * rowsPerPart
	for i, x := range fields[from:min(from+rowsPerPart, len(fields))] {
		person := indexes[x.Invitation]
		row := fieldRow{
			Key:    x.ID,
			ID:     x.ID,
			N:      from + i + 1,
			Hue:    page.HueOf(person),
			Letter: page.LetterOf(person),
			values: l.valuesOf(x),
		}
		l.choices(r, &row)
		l.Rows = append(l.Rows, row)
	}
	return l
}

func (l *fieldList) link() {
	to := func(n int) string { return fmt.Sprintf("%s/edit/list?unit=%s&part=%d", l.Base, l.Unit, n) }
	if l.Part > 1 {
		l.Previous = to(l.Part - 1)
	}
	if l.Part < l.Parts {
		l.Following = to(l.Part + 1)
	}
}

// inReadingOrder returns all fields by page, and on each page from top to bottom.
func inReadingOrder(d *record.Document) []*record.Field {
	at := map[string]int{}
	for i := range d.Files {
		at[d.Files[i].ID] = i
	}
	out := make([]*record.Field, len(d.Fields))
	for i := range d.Fields {
		out[i] = &d.Fields[i]
	}
	key := func(x *record.Field) []float64 { return []float64{float64(at[x.File]), float64(x.Page), x.Y, x.X} }
	slices.SortStableFunc(out, func(a, b *record.Field) int { return slices.Compare(key(a), key(b)) })
	return out
}

// choices sets the options of a row's selects.
func (l *fieldList) choices(r *page.Request, x *fieldRow) {
	pick := func(from []page.Option, name string) []page.Option {
		out := slices.Clone(from)
		for i := range out {
			out[i].Selected = out[i].Value == x.Value(name)
		}
		return out
	}
	x.Choices = map[string][]page.Option{
		"type": pick(l.Types, "type"), "who": pick(l.People, "who"), "file": pick(l.Files, "file"),
		"signature_types": page.SignatureTypeOptions(r, strings.Fields(x.Value("signature_types"))),
	}
	for _, name := range []string{"align", "font_weight", "vertical_align", "mask"} {
		x.Choices[name] = choicesOf(r, name, x.Value(name))
	}
}

// choicesOf returns the words that a property can have, with the one chosen.
func choicesOf(r *page.Request, name, chosen string) (out []page.Option) {
	for _, v := range append([]string{""}, record.PropertyNamed(name).Choices...) {
		if v != "normal" { // as without one
			out = append(out, page.Option{Value: v, Label: r.Say("edit." + name + "." + v), Selected: v == chosen})
		}
	}
	return out
}

// newRow returns a row for a new field.
func newRow(r *page.Request, d *record.Document, l *fieldList) fieldRow {
	row := fieldRow{Key: "new", N: l.Total + 1, values: url.Values{"type": {"signature"}, "page": {"1"}, "required": {"yes"}}}
	if len(l.Files) > 0 {
		f := &d.Files[0]
		x := &record.Field{File: f.ID, Page: 1, X: .1, Y: .1, Width: min(160/f.Pages[0].Width, .9),
			Height: min(40/f.Pages[0].Height, .9)}
		for name, v := range l.valuesOf(x) {
			if name == "x" || name == "y" || name == "w" || name == "h" || name == "file" {
				row.values[name] = v
			}
		}
	}
	l.choices(r, &row)
	return row
}

// take fills the new row with the settings of a saved field.
func (l *fieldList) take(r *page.Request, x *record.Field) {
	row := &l.Rows[len(l.Rows)-1]
	place := *x
	place.File, place.Page = row.values.Get("file"), 1
	for name, v := range l.valuesOf(&place) {
		if name != "x" && name != "y" && name != "who" {
			row.values[name] = v
		}
	}
	if !x.Required {
		row.values.Del("required")
	}
	l.choices(r, row)
}

// scale returns the factors that convert fractions of a page to the displayed
// unit.
func (l *fieldList) scale(file string, page int) (x, y float64) {
	f := l.File(file)
	if l.Unit != "mm" || f == nil || page < 1 || page > len(f.Pages) {
		return 100, 100
	}
	return f.Pages[page-1].Width / millimetre, f.Pages[page-1].Height / millimetre
}

func number(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) }

// valuesOf returns what the inputs of a field's row have.
func (l *fieldList) valuesOf(x *record.Field) url.Values {
	sx, sy := l.scale(x.File, x.Page)
	v := url.Values{
		"who": {x.Invitation}, "file": {x.File}, "page": {strconv.Itoa(x.Page)}, "x": {number(x.X * sx)}, "y": {number(x.Y * sy)},
		"w": {number(x.Width * sx)}, "h": {number(x.Height * sy)}, "formula": {x.Formula},
	}
	for name, text := range l.pen.field(x).properties {
		v.Set(name, text)
	}
	return v
}

// cellData is the component "cell", one input of the table.
type cellData struct {
	ID, Name, Label, Value, Error string
	Options                       []page.Option
}

func newCell(x fieldRow, name, label string) cellData {
	return cellData{
		ID: "i-" + x.Key + "-" + name, Name: "f." + x.Key + "." + name, Label: label, Value: x.Value(name), Error: x.Error(name),
		Options: x.Choices[name],
	}
}

// tabData is the component "tab", the current view of the editor.
type tabData struct{ Base, Tab string }

// typesWith returns the types of fields on which a property has an effect.
func typesWith(property string) string {
	var names []string
	for _, t := range record.PropertyNamed(property).For {
		names = append(names, string(t))
	}
	return strings.Join(names, " ")
}

// propertyNames returns the names of all properties.
func propertyNames() string {
	var names []string
	for _, p := range record.Properties() {
		names = append(names, p.Name)
	}
	return strings.Join(names, " ")
}

// Functions returns the components used only by the editor.
func Functions() template.FuncMap {
	return template.FuncMap{
		"cell": newCell, "tab": func(base, current string) tabData { return tabData{base, current} },
		"types": typesWith, "properties": propertyNames,
	}
}
