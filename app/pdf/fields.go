package pdf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Field flags (ISO 32000-2 §12.7.4.1 and the tables of each field type).
const (
	flagReadOnly    = 1 << 0
	flagRequired    = 1 << 1
	flagMultiline   = 1 << 12
	flagComb        = 1 << 24
	flagPassword    = 1 << 13
	flagNoToggleOff = 1 << 14
	flagRadio       = 1 << 15
	flagPushbutton  = 1 << 16
	flagCombo       = 1 << 17
)

// A field is a terminal field of the form with its widgets.
type field struct {
	name    string // full name
	ref     ref
	dict    dict
	kind    name // Tx, Btn, Ch or Sig, inherited
	flags   int64
	value   any
	widgets []widget
}

type widget struct {
	ref  ref
	dict dict
}

const fieldDepth = 32

// fields returns the terminal fields of the form in order. Fields that are not
// indirect objects, or that occur twice, are skipped.
func (f *File) fields() []field {
	if f.fieldList == nil {
		w := fieldWalk{f: f, seen: map[int]bool{}, out: []field{}}
		w.kids(f.Array(f.Form()["Fields"]), field{}, 0)
		f.fieldList, f.groupList, f.lostFields = w.out, w.groups, w.lost
	}
	return f.fieldList
}

type fieldWalk struct {
	f      *File
	seen   map[int]bool
	out    []field
	groups []field
	lost   []ref
}

func (w *fieldWalk) kids(kids array, parent field, depth int) {
	if depth > fieldDepth {
		w.f.Over("fields nested deeper than %d", fieldDepth)
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
		} else if w.f.present(r) {
			w.lost = append(w.lost, r)
		}
	}
}

func (w *fieldWalk) node(r ref, d dict, parent field, depth int) {
	self := field{name: parent.name, ref: r, dict: d, kind: parent.kind, flags: parent.flags, value: parent.value}
	if d["T"] != nil {
		self.name = strings.TrimPrefix(parent.name+"."+w.f.Text(d["T"]), ".")
	}
	if k := w.f.Name(d["FT"]); k != "" {
		self.kind = k
	}
	if n, ok := w.f.Int(d["Ff"]); ok {
		self.flags = n
	}
	if v := d["V"]; v != nil {
		self.value = v
	}
	kids := w.f.Array(d["Kids"])
	if len(kids) == 0 {
		self.widgets = []widget{{r, d}}
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
				self.widgets = append(self.widgets, widget{kr, kd})
			}
		}
	}
	w.out = append(w.out, self)
}

// named reports whether kids are fields and not widgets of one field.
func (w *fieldWalk) named(kids array) bool {
	return slices.ContainsFunc(kids, func(v any) bool { return w.f.Dict(v)["T"] != nil })
}

// ours is the prefix of the names of fields made here. A file that was prepared
// here before already has such fields; numbering continues after them.
const ours = "paraph"

func prefix(round int) string {
	if round <= 1 {
		return ours + "_"
	}
	return fmt.Sprintf("%s%d_", ours, round)
}

// lastRound returns the highest round that has fields in the file, or 0.
func lastRound(fields []field) int {
	last := 0
	for i := range fields {
		rest, ok := strings.CutPrefix(fields[i].name, ours)
		if !ok {
			continue
		}
		digits, _, ok := strings.Cut(rest, "_")
		if !ok {
			continue
		}
		if digits == "" {
			last = max(last, 1)
		} else if n, err := strconv.Atoi(digits); err == nil && n < 1e6 {
			last = max(last, n)
		}
	}
	return last
}

// clean makes a caller's name usable as the partial name of a field, in which
// full stops are separators.
func clean(s string) string { return strings.ReplaceAll(s, ".", "_") }

// names finds fields by the names that callers chose.
type names struct {
	prefix string
	byName map[string]*field
	kids   map[string]kid // buttons of radio groups, by their own name
}

type kid struct {
	field  *field
	export string
}

func (f *File) names() names {
	all := f.fields()
	n := names{prefix: prefix(lastRound(all)), byName: make(map[string]*field, len(all)), kids: map[string]kid{}}
	for i := range all {
		fd := &all[i]
		if _, twice := n.byName[fd.name]; !twice {
			n.byName[fd.name] = fd
		}
		if fd.kind == "Btn" && fd.flags&flagRadio != 0 {
			for _, w := range fd.widgets {
				if own := f.Text(w.dict["NM"]); own != "" {
					n.kids[own] = kid{field: fd, export: f.onState(w.dict)}
				}
			}
		}
	}
	return n
}

// find returns the field that Prepare made for a name, or the field of the
// upload with that full name, or nil.
func (n names) find(s string) *field {
	if fd := n.byName[n.prefix+clean(s)]; fd != nil {
		return fd
	}
	return n.byName[s]
}

// onState returns the appearance state of a check box or radio button other
// than Off.
func (f *File) onState(w dict) string {
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
