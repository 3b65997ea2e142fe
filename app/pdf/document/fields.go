package document

import (
	"paraph/app/pdf/reader"
	"slices"
	"strings"
)

// Field flags (ISO 32000-2 §12.7.4.1 and the tables of each field type).
const (
	FlagReadOnly    = 1 << 0
	FlagRequired    = 1 << 1
	FlagMultiline   = 1 << 12
	FlagComb        = 1 << 24
	FlagPassword    = 1 << 13
	FlagNoToggleOff = 1 << 14
	FlagRadio       = 1 << 15
	FlagUnison      = 1 << 25
	FlagPushbutton  = 1 << 16
	FlagCombo       = 1 << 17
)

// A Field is a terminal field of the form with its widgets.
type Field struct {
	Name    string // full name
	Ref     ref
	Dict    dict
	Kind    name // Tx, Btn, Ch or Sig, inherited
	Flags   int64
	Value   any
	Widgets []Widget
}

// A Widget is one place where a field is shown.
type Widget struct {
	Ref  ref
	Dict dict
}

const FieldDepth = 32

// Fields returns the terminal fields of the form in order. Fields that are not
// indirect objects, or that occur twice, are skipped.
func (f *File) Fields() []Field {
	if f.fieldList == nil {
		w := fieldWalk{f: f, seen: map[int]bool{}, out: []Field{}}
		w.kids(f.Array(f.Form()["Fields"]), Field{}, 0)
		f.fieldList, f.groupList, f.lostFields = w.out, w.groups, w.lost
	}
	return f.fieldList
}

// Groups returns the fields that have child fields.
func (f *File) Groups() []Field {
	f.Fields()
	return f.groupList
}

// Lost returns what the form lists as fields but can't be read; they may be signed.
func (f *File) Lost() []ref {
	f.Fields()
	return f.lostFields
}

type fieldWalk struct {
	f      *File
	seen   map[int]bool
	out    []Field
	groups []Field
	lost   []ref
}

func (w *fieldWalk) kids(kids array, parent Field, depth int) {
	if depth > FieldDepth {
		w.f.Over("fields nested deeper than %d", FieldDepth)
		return
	}
	for _, v := range kids {
		r, ok := v.(ref)
		if !ok || w.seen[r.Number] {
			continue
		}
		w.seen[r.Number] = true
		if d := w.f.Dict(r); d != nil {
			w.node(r, d, parent, depth)
		} else if w.f.Present(r) {
			w.lost = append(w.lost, r)
		}
	}
}

func (w *fieldWalk) node(r ref, d dict, parent Field, depth int) {
	self := Field{Name: parent.Name, Ref: r, Dict: d, Kind: parent.Kind, Flags: parent.Flags, Value: parent.Value}
	if d["T"] != nil {
		self.Name = strings.TrimPrefix(parent.Name+"."+w.f.Text(d["T"]), ".")
	}
	if k := w.f.Name(d["FT"]); k != "" {
		self.Kind = k
	}
	if n, ok := w.f.Int(d["Ff"]); ok {
		self.Flags = n
	}
	if v := d["V"]; v != nil {
		self.Value = v
	}
	kids := w.f.Array(d["Kids"])
	if len(kids) == 0 {
		self.Widgets = []Widget{{r, d}}
		w.out = append(w.out, self)
		return
	}
	if w.named(kids) {
		w.groups = append(w.groups, self)
		w.kids(kids, self, depth+1)
		return
	}
	for _, v := range kids {
		if kr, ok := v.(ref); ok && !w.seen[kr.Number] {
			w.seen[kr.Number] = true
			if kd := w.f.Dict(kr); kd != nil {
				self.Widgets = append(self.Widgets, Widget{kr, kd})
			}
		}
	}
	w.out = append(w.out, self)
}

// named reports whether kids are fields and not widgets of one field.
func (w *fieldWalk) named(kids array) bool {
	return slices.ContainsFunc(kids, func(v any) bool { return w.f.Dict(v)["T"] != nil })
}

// OnState returns the appearance state of a check box or radio button other
// than Off.
func (f *File) OnState(w dict) string {
	states := f.Dict(f.Dict(w["AP"])["N"])
	var on []string
	for k := range states {
		if k != "Off" {
			on = append(on, string(k))
		}
	}
	slices.Sort(on)
	if len(on) == 0 {
		return ""
	}
	return on[0]
}

// Present reports whether v has a value, readable or not; a missing object is
// null.
func (f *File) Present(v any) bool {
	if r, ok := v.(ref); ok {
		return f.Xref.Get(r.Number).Kind >= reader.EntryPlain && !f.isNull(r)
	}
	return v != nil
}

// isNull reports whether an object reads as null.
func (f *File) isNull(r ref) bool {
	o, err := f.Load(r.Number)
	return err == nil && o.Value == nil
}

// Visible reports whether a field occupies more than a point of a page.
func (f *File) Visible(fd *Field) bool {
	return slices.ContainsFunc(fd.Widgets, func(w Widget) bool {
		r, ok := f.Rect(w.Dict["Rect"])
		return ok && !r.Empty()
	})
}
