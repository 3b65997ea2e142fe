package document

import (
	"slices"
	"strings"
)

// A Lock describes which fields a signature locks (FieldMDP, ISO 32000-2
// §12.8.2.4).
type Lock struct {
	Action string   // All, Include or Exclude
	Fields []string // full names
}

// Covers reports whether the lock applies to the field with that full name. A
// name also covers all fields below it.
func (l Lock) Covers(field string) bool {
	listed := slices.ContainsFunc(l.Fields, func(s string) bool {
		return field == s || strings.HasPrefix(field, s+".")
	})
	switch l.Action {
	case "Include":
		return listed
	case "Exclude":
		return !listed
	}
	return true
}

func (f *File) lock(d dict) *Lock {
	if d == nil {
		return nil
	}
	l := &Lock{Action: string(f.Name(d["Action"]))}
	for _, v := range f.Array(d["Fields"]) {
		l.Fields = append(l.Fields, f.Text(v))
	}
	return l
}

// transforms returns the parameters of those transforms of a signature that use
// the given method.
func (f *File) transforms(signature dict, method name) []dict {
	var out []dict
	for _, v := range f.Array(signature["Reference"]) {
		if d := f.Dict(v); f.Name(d["TransformMethod"]) == method {
			out = append(out, f.Dict(d["TransformParams"]))
		}
	}
	return out
}

// Level returns the DocMDP level of a signature, or 0 (ISO 32000-2 §12.8.2.2).
func (f *File) Level(signature dict) int {
	params := f.transforms(signature, "DocMDP")
	if len(params) == 0 {
		return 0
	}
	if p, ok := f.Int(params[0]["P"]); ok && p >= 1 && p <= 3 {
		return int(p)
	}
	return 2 // the default in the standard
}

// DocMDP returns the level of the certification of the file, or 0.
func (f *File) DocMDP() int {
	return f.Level(f.Dict(f.Dict(f.Catalog()["Perms"])["DocMDP"]))
}

// Restrictions are what a signature sets for later changes.
type Restrictions struct {
	Level int // DocMDP, or 0
	Locks []Lock
	// own is the lock of its own transform, without that of its field.
	Own *Lock
}

// Restrictions reads what a signature restricts: through its transforms and,
// because some writers omit those, through the lock of its field (ISO 32000-2
// §12.7.5.5).
func (f *File) Restrictions(fd Field, signature dict) Restrictions {
	lock := f.Dict(fd.Dict["Lock"])
	r := Restrictions{Level: f.Level(signature)}
	if p, ok := f.Int(lock["P"]); ok && r.Level == 0 && p >= 1 && p <= 3 {
		r.Level = int(p)
	}
	if lock["Action"] != nil {
		r.Locks = append(r.Locks, *f.lock(lock))
	}
	for _, params := range f.transforms(signature, "FieldMDP") {
		if r.Own = f.lock(params); r.Own != nil {
			r.Locks = append(r.Locks, *r.Own)
		}
	}
	return r
}

// Strictest returns the lowest level set by a signature of the file, through
// its own transform or the lock of its field, or 0 if none sets one.
func (f *File) Strictest() int {
	level := f.DocMDP()
	for _, fd := range f.Fields() {
		if d := f.Dict(fd.Value); fd.Kind == "Sig" && d != nil {
			if l := f.Restrictions(fd, d).Level; l > 0 && (level == 0 || l < level) {
				level = l
			}
		}
	}
	return level
}

// Locks returns the locks of all signatures.
func (f *File) Locks() []Lock {
	var out []Lock
	for _, fd := range f.Fields() {
		if d := f.Dict(fd.Value); fd.Kind == "Sig" && d != nil {
			out = append(out, f.Restrictions(fd, d).Locks...)
		}
	}
	return out
}
