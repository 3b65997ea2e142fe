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

	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/web/page"
)

// fieldList is the fields of a document as a table that is a form: what the
// editor does with pointer and keyboard, in words and numbers.
type fieldList struct {
	*signing.Document
	Base    string
	Version int64
	Unit    string // mm or percent
	Rows    []fieldRow
	Pages   int
	People  []page.Option
	Files   []page.Option
	Types   []page.Option
	Why     string
	// Of a long list one part is shown at a time.
	Part, Parts, Total  int
	Previous, Following string
	Overtaken           bool
}

// fieldRow is one field in the table. Its inputs are named by its key.
type fieldRow struct {
	Key, ID string // ID is empty for one that is new
	N       int
	Hue     string
	Letter  string
	values  url.Values // of its inputs, by their names without the key
	Errors  map[string]string
	Types   []page.Option
	People  []page.Option
	Files   []page.Option
	Aligns  []page.Option
}

// Value is what an input of the row holds.
func (x fieldRow) Value(name string) string { return x.values.Get(name) }

// Checked says whether a box of the row is ticked.
func (x fieldRow) Checked(name string) bool { return x.values.Get(name) == "yes" }

// Error is what is wrong with an input of the row; "" if nothing is.
func (x fieldRow) Error(name string) string { return x.Errors[name] }

// rowsPerPart is how many fields are shown at a time.
const rowsPerPart = 50

// millimetre is its length in points.
const millimetre = 72 / 25.4

// ShowList serves the fields as a table, for work without a script.
func (h *Handlers) ShowList(r *page.Request) error {
	d, err := h.editing(r)
	if err != nil {
		return err
	}
	l := fieldListOf(r, d, r.Query("unit"), r.Query("part"))
	if r.Query("add") != "" && l.Why == "" {
		l.Rows = append(l.Rows, newRow(r, d, l))
	}
	return r.Render(http.StatusOK, "fieldlist", page.Page{Title: r.Say("edit.list.title", "title", d.Title), Data: l})
}

// fieldListOf is the list as it is stored.
func fieldListOf(r *page.Request, d *signing.Document, unit, part string) *fieldList {
	l := &fieldList{Document: d, Base: "/app/documents/" + d.ID, Version: d.Version, Unit: "mm", Pages: len(pagesOf(d)), Total: len(d.Fields), Why: whyNot(r, d)}
	if unit == "percent" {
		l.Unit = unit
	}
	for i := range d.Invitations {
		if v := &d.Invitations[i]; v.Role != signing.Viewer {
			l.People = append(l.People, page.Option{Value: v.ID, Label: page.LetterOf(i) + " " + v.Name})
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
	hands := handsOf(d)
	from := (l.Part - 1) * rowsPerPart
	for i, x := range fields[from:min(from+rowsPerPart, len(fields))] {
		row := fieldRow{Key: x.ID, ID: x.ID, N: from + i + 1, Hue: page.HueOf(hands[x.Invitation]), Letter: page.LetterOf(hands[x.Invitation]), values: l.valuesOf(x)}
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

// inReadingOrder lists all fields by page, and on it from the top down.
func inReadingOrder(d *signing.Document) []*signing.Field {
	at := map[string]int{}
	for i := range d.Files {
		at[d.Files[i].ID] = i
	}
	out := make([]*signing.Field, len(d.Fields))
	for i := range d.Fields {
		out[i] = &d.Fields[i]
	}
	key := func(x *signing.Field) []float64 { return []float64{float64(at[x.File]), float64(x.Page), x.Y, x.X} }
	slices.SortStableFunc(out, func(a, b *signing.Field) int { return slices.Compare(key(a), key(b)) })
	return out
}

// choices fills the selects of a row.
func (l *fieldList) choices(r *page.Request, x *fieldRow) {
	pick := func(from []page.Option, name string) []page.Option {
		out := slices.Clone(from)
		for i := range out {
			out[i].Selected = out[i].Value == x.Value(name)
		}
		return out
	}
	x.Types, x.People, x.Files = pick(l.Types, "type"), pick(l.People, "who"), pick(l.Files, "file")
	for _, a := range []string{"", "left", "center", "right"} {
		x.Aligns = append(x.Aligns, page.Option{Value: a, Label: r.Say("edit.align." + a), Selected: a == x.Value("align")})
	}
}

// newRow is a row for a field that is not there yet.
func newRow(r *page.Request, d *signing.Document, l *fieldList) fieldRow {
	row := fieldRow{Key: "new", N: l.Total + 1, values: url.Values{"type": {"signature"}, "page": {"1"}, "required": {"yes"}}}
	if len(l.Files) > 0 {
		f := &d.Files[0]
		x := &signing.Field{File: f.ID, Page: 1, X: .1, Y: .1, Width: min(160/f.Pages[0].Width, .9), Height: min(40/f.Pages[0].Height, .9)}
		for name, v := range l.valuesOf(x) {
			if name == "x" || name == "y" || name == "w" || name == "h" || name == "file" {
				row.values[name] = v
			}
		}
	}
	l.choices(r, &row)
	return row
}

// scale is what a fraction of a page is multiplied by to be shown.
func (l *fieldList) scale(file string, page int) (x, y float64) {
	f := l.File(file)
	if l.Unit != "mm" || f == nil || page < 1 || page > len(f.Pages) {
		return 100, 100
	}
	return f.Pages[page-1].Width / millimetre, f.Pages[page-1].Height / millimetre
}

func number(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) }

func optionalNumber(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}

func (l *fieldList) valuesOf(x *signing.Field) url.Values {
	sx, sy := l.scale(x.File, x.Page)
	v := url.Values{}
	for name, value := range map[string]string{"type": x.Type, "who": x.Invitation, "file": x.File, "page": strconv.Itoa(x.Page),
		"x": number(x.X * sx), "y": number(x.Y * sy), "w": number(x.Width * sx), "h": number(x.Height * sy), "label": x.Label, "name": x.Name,
		"options": strings.Join(x.Options, "\n"), "value": x.Value, "group": x.Group, "pattern": x.Pattern, "align": x.Align,
		"min": optionalNumber(x.Min), "max": optionalNumber(x.Max)} {
		v.Set(name, value)
	}
	if x.FontSize > 0 {
		v.Set("size", number(x.FontSize))
	}
	for name, on := range map[string]bool{"required": x.Required, "readonly": x.ReadOnly} {
		if on {
			v.Set(name, "yes")
		}
	}
	return v
}

// SaveList takes the table. Fields that are not in it stay as they are.
func (h *Handlers) SaveList(r *page.Request) error {
	d, err := h.editing(r)
	if err != nil {
		return err
	}
	l := fieldListOf(r, d, r.Form.Value("unit"), r.Form.Value("part"))
	who, err := seen(r)
	if err != nil {
		return err
	}
	rows, faults := l.sent(r.Form.Values)
	in, at := l.whole(rows)
	if len(faults) == 0 {
		_, err = h.Signing.ReplaceFields(r.UserContext(), who, d.ID, in)
		if err == nil {
			return listSaved(r, l)
		}
	}
	return h.listAgain(r, err, l, rows, faults, at)
}

func listSaved(r *page.Request, l *fieldList) error {
	r.Flash("ok", "edit.list.saved")
	to := fmt.Sprintf("%s/edit/list?unit=%s&part=%d", l.Base, l.Unit, l.Part)
	if r.Form.Value("do") == "add" {
		to += "&add=1#row-new"
	}
	return r.SeeOther(to)
}

// sentRow is a row as it was sent.
type sentRow struct {
	key    string
	values url.Values
	field  editorField
	remove bool
}

// sent reads the rows of the table. What is no number is told by key and name.
func (l *fieldList) sent(form url.Values) (rows []sentRow, faults map[string]map[string]string) {
	faults = map[string]map[string]string{}
	for _, key := range form["row"] {
		x := sentRow{key: key, values: url.Values{}, remove: form.Get("remove."+key) == "yes"}
		prefix := "f." + key + "."
		for name := range form {
			if rest, ok := strings.CutPrefix(name, prefix); ok {
				x.values.Set(rest, form.Get(name))
			}
		}
		wrong := l.read(&x)
		if len(wrong) > 0 && !x.remove {
			faults[key] = wrong
		}
		rows = append(rows, x)
	}
	return rows, faults
}

// read makes a field of what the inputs of a row hold. It gives the names of
// those that hold no number.
func (l *fieldList) read(x *sentRow) (wrong map[string]string) {
	wrong = map[string]string{}
	v := x.values
	parse := func(name string) (float64, bool) {
		s := strings.Replace(strings.TrimSpace(v.Get(name)), ",", ".", 1)
		if s == "" {
			return 0, false
		}
		n, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			wrong[name] = "number"
			return 0, false
		}
		return n, true
	}
	need := func(name string) float64 {
		n, ok := parse(name)
		if !ok {
			wrong[name] = "number"
		}
		return n
	}
	maybe := func(name string) *float64 {
		if n, ok := parse(name); ok {
			return &n
		}
		return nil
	}
	page := need("page")
	sx, sy := l.scale(v.Get("file"), int(page))
	size, _ := parse("size")
	x.field = editorField{File: v.Get("file"), Invitation: v.Get("who"), Type: v.Get("type"), Name: v.Get("name"), Label: v.Get("label"),
		Page: int(page), X: need("x") / sx, Y: need("y") / sy, Width: need("w") / sx, Height: need("h") / sy,
		Required: v.Get("required") == "yes", ReadOnly: v.Get("readonly") == "yes", Value: v.Get("value"), Min: maybe("min"), Max: maybe("max"),
		Pattern: v.Get("pattern"), Group: v.Get("group"), FontSize: size, Align: v.Get("align")}
	for o := range strings.Lines(v.Get("options")) {
		if o = strings.TrimSpace(o); o != "" {
			x.field.Options = append(x.field.Options, o)
		}
	}
	if known := l.Field(x.key); known != nil {
		x.field.ID, x.field.Format = known.ID, known.Format
		l.keepPlace(x, known)
	}
	return wrong
}

// keepPlace leaves a field where it is when the numbers that were shown come
// back: they are rounded.
func (l *fieldList) keepPlace(x *sentRow, known *signing.Field) {
	shown := l.valuesOf(known)
	same := func(names ...string) bool {
		for _, n := range names {
			if shown.Get(n) != x.values.Get(n) {
				return false
			}
		}
		return true
	}
	if !same("file", "page") {
		return
	}
	for name, to := range map[string][2]*float64{"x": {&x.field.X, &known.X}, "y": {&x.field.Y, &known.Y}, "w": {&x.field.Width, &known.Width}, "h": {&x.field.Height, &known.Height}} {
		if same(name) {
			*to[0] = *to[1]
		}
	}
}

// whole is the complete set of fields: those of the table in the place of those
// that are stored. at gives the key of the row behind each.
func (l *fieldList) whole(rows []sentRow) (in []signing.FieldInput, at []string) {
	sent := map[string]*sentRow{}
	for i := range rows {
		sent[rows[i].key] = &rows[i]
	}
	add := func(f editorField, key string) { in, at = append(in, f.input()), append(at, key) }
	for _, x := range inReadingOrder(l.Document) {
		row := sent[x.ID]
		if row == nil {
			add(editorFieldOf(x), "")
		} else if !row.remove {
			add(row.field, row.key)
		}
	}
	for i := range rows {
		if l.Field(rows[i].key) == nil && !rows[i].remove {
			add(rows[i].field, rows[i].key)
		}
	}
	return in, at
}

// columnOf is the input of the table in which the API's field is entered.
var columnOf = map[string]string{"invitation_id": "who", "file_id": "file", "width": "w", "height": "h", "font_size": "size"}

// listAgain shows the table with what was sent and what is wrong with it.
func (h *Handlers) listAgain(r *page.Request, err error, l *fieldList, rows []sentRow, faults map[string]map[string]string, at []string) error {
	p := page.Page{Title: r.Say("edit.list.title", "title", l.Title), Data: l}
	status := http.StatusUnprocessableEntity
	var kind fault.Kind
	if err != nil {
		kind = fault.KindOf(err)
	}
	switch {
	case err == nil:
	case kind == fault.KindPreconditionFailed:
		by, _, failed := h.lastChange(r, l.ID)
		if failed != nil {
			return failed
		}
		status, p.Fault, l.Overtaken = http.StatusConflict, r.Say("edit.list.overtaken", "name", by), true
	case kind == fault.KindInvalid:
		p.Fault = spread(r.FailureOf(err), faults, at)
	default:
		return err
	}
	l.Rows = nil
	for i := range rows {
		x := fieldRow{Key: rows[i].key, ID: rows[i].field.ID, N: i + 1 + (l.Part-1)*rowsPerPart, values: rows[i].values, Errors: map[string]string{}}
		if rows[i].remove {
			x.values.Set("remove", "yes")
		}
		for name, why := range faults[x.Key] {
			if why == "number" {
				why = r.Say("edit.list.number")
			}
			x.Errors[name] = why
		}
		l.choices(r, &x)
		l.Rows = append(l.Rows, x)
	}
	if p.Fault == "" {
		p.Fault = r.Say("edit.list.faults", "n", len(faults))
	}
	return r.Render(status, "fieldlist", p)
}

// spread gives each row the messages that are its own. What belongs to no row
// comes back as one sentence.
func spread(f page.Failure, faults map[string]map[string]string, at []string) (rest string) {
	for name, messages := range f.Faults {
		parts := strings.SplitN(name, ".", 3)
		n := -1
		if len(parts) == 3 && parts[0] == "fields" {
			if i, err := strconv.Atoi(parts[1]); err == nil && i < len(at) {
				n = i
			}
		}
		if n < 0 || at[n] == "" {
			rest = strings.Join(messages, " ")
			continue
		}
		column := strings.SplitN(parts[2], ".", 2)[0]
		if c, ok := columnOf[column]; ok {
			column = c
		}
		if faults[at[n]] == nil {
			faults[at[n]] = map[string]string{}
		}
		faults[at[n]][column] = strings.Join(messages, " ")
	}
	return rest
}

// cellData is one input of the table.
type cellData struct {
	ID, Name, Label, Value, Error string
	Options                       []page.Option
}

func newCell(x fieldRow, name string, options []page.Option, label string) cellData {
	return cellData{ID: "i-" + x.Key + "-" + name, Name: "f." + x.Key + "." + name, Label: label, Value: x.Value(name), Error: x.Error(name), Options: options}
}

// tabData says which view of the editor is the current one.
type tabData struct{ Base, Tab string }

// Functions are the components that only the editor has.
func Functions() template.FuncMap {
	return template.FuncMap{"cell": newCell, "tab": func(base, current string) tabData { return tabData{base, current} }}
}
