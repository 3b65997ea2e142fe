package editor

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// SaveList stores the rows of the table. Fields on its other parts are unchanged.
func (h *Handlers) SaveList(r *page.Request) error {
	d, err := h.editing(r)
	if err != nil {
		return err
	}
	l := h.fieldListOf(r, d, r.Form.Value("unit"), r.Form.Value("part"))
	version, err := seenVersion(r)
	if err != nil {
		return err
	}
	rows, faults := l.sent(r.Form.Values)
	in, at := l.allFields(rows)
	if len(faults) == 0 {
		_, err = h.Drafts.ReplaceFields(r.UserContext(), r.Who.Call.At(version), d.ID, in)
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

// sentRow is a submitted row.
type sentRow struct {
	key    string
	values url.Values
	field  editorField
	remove bool
}

// sent reads the rows of the table. faults holds messages about invalid numbers by
// the key of the row and the name of the input.
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
		invalid := l.read(&x)
		if len(invalid) > 0 && !x.remove {
			faults[key] = invalid
		}
		rows = append(rows, x)
	}
	return rows, faults
}

// read converts the inputs of a row to a field. It returns the names of inputs with
// invalid numbers.
func (l *fieldList) read(x *sentRow) (invalid map[string]string) {
	invalid = map[string]string{}
	v := x.values
	required := func(name string) float64 {
		n, err := strconv.ParseFloat(strings.Replace(strings.TrimSpace(v.Get(name)), ",", ".", 1), 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			invalid[name] = "number"
			return 0
		}
		return n
	}
	page := required("page")
	sx, sy := l.scale(v.Get("file"), int(page))
	x.field = editorField{
		File: v.Get("file"), Invitation: v.Get("who"), Page: int(page), X: required("x") / sx, Y: required("y") / sy,
		Width: required("w") / sx, Height: required("h") / sy, Formula: v.Get("formula"), properties: map[string]string{},
	}
	for _, p := range record.Properties() {
		x.field.properties[p.Name] = v.Get(p.Name)
	}
	_, unread := l.pen.input(&x.field)
	for _, name := range unread {
		invalid[name] = "number"
	}
	if known := l.Field(x.key); known != nil {
		x.field.ID, x.field.Condition = known.ID, editorConditionOf(known.Condition)
		l.keepPlace(x, known)
	}
	return invalid
}

// keepPlace keeps a field's exact position if the displayed numbers, which are
// rounded, come back unchanged.
func (l *fieldList) keepPlace(x *sentRow, known *record.Field) {
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
	for name, to := range map[string][2]*float64{
		"x": {&x.field.X, &known.X},
		"y": {&x.field.Y, &known.Y},
		"w": {&x.field.Width, &known.Width},
		"h": {&x.field.Height, &known.Height},
	} {
		if same(name) {
			*to[0] = *to[1]
		}
	}
}

// allFields returns the complete set of fields: the submitted rows, and the stored
// fields that the table doesn't show. at holds the key of each field's row.
func (l *fieldList) allFields(rows []sentRow) (in []record.FieldInput, at []string) {
	sent := map[string]*sentRow{}
	for i := range rows {
		sent[rows[i].key] = &rows[i]
	}
	add := func(f editorField, key string) {
		x, _ := l.pen.input(&f)
		in, at = append(in, x), append(at, key)
	}
	for _, x := range inReadingOrder(l.Document) {
		row := sent[x.ID]
		if row == nil {
			add(l.pen.field(x), "")
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

// columnOf maps the names that the API has for the place of a field to those of the table's inputs.
var columnOf = map[string]string{"invitation_id": "who", "file_id": "file", "width": "w", "height": "h"}
