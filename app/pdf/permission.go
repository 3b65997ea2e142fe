package pdf

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

// level returns the DocMDP level of a signature, or 0 (ISO 32000-2 §12.8.2.2).
func (f *File) level(signature dict) int {
	params := f.transforms(signature, "DocMDP")
	if len(params) == 0 {
		return 0
	}
	if p, ok := f.Int(params[0]["P"]); ok && p >= 1 && p <= 3 {
		return int(p)
	}
	return 2 // the default in the standard
}

// docMDP returns the level of the certification of the file, or 0.
func (f *File) docMDP() int {
	return f.level(f.Dict(f.Dict(f.Catalog()["Perms"])["DocMDP"]))
}

// strictest returns the lowest level set by a signature of the file, through
// its own transform or the lock of its field, or 0 if none sets one.
func (f *File) strictest() int {
	level := f.docMDP()
	for _, fd := range f.fields() {
		if d := f.Dict(fd.value); fd.kind == "Sig" && d != nil {
			var s Signature
			f.restrictions(&s, fd, d)
			if s.level > 0 && (level == 0 || s.level < level) {
				level = s.level
			}
		}
	}
	return level
}

// locks returns the locks of all signatures.
func (f *File) locks() []Lock {
	var out []Lock
	for _, fd := range f.fields() {
		if d := f.Dict(fd.value); fd.kind == "Sig" && d != nil {
			var s Signature
			f.restrictions(&s, fd, d)
			out = append(out, s.locks...)
		}
	}
	return out
}
