package pdf

import (
	"slices"
	"strings"
)

// A Lock says which fields a signature locks (FieldMDP, ISO 32000-2 §12.8.2.4).
type Lock struct {
	Action string   // All, Include or Exclude
	Fields []string // full names
}

// Covers says whether the lock holds for the field of that full name. A name
// stands for all fields below it.
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
	l := &Lock{Action: string(f.name(d["Action"]))}
	for _, v := range f.array(d["Fields"]) {
		l.Fields = append(l.Fields, f.text(v))
	}
	return l
}

// transforms gives the parameters of a signature's transforms of one method.
func (f *File) transforms(signature dict, method name) []dict {
	var out []dict
	for _, v := range f.array(signature["Reference"]) {
		if d := f.dict(v); f.name(d["TransformMethod"]) == method {
			out = append(out, f.dict(d["TransformParams"]))
		}
	}
	return out
}

// level is the DocMDP level of a signature, or 0 (ISO 32000-2 §12.8.2.2).
func (f *File) level(signature dict) int {
	params := f.transforms(signature, "DocMDP")
	if len(params) == 0 {
		return 0
	}
	if p, ok := f.int(params[0]["P"]); ok && p >= 1 && p <= 3 {
		return int(p)
	}
	return 2 // what the standard says when it is missing
}

// docMDP is the level of the certification of the file, or 0.
func (f *File) docMDP() int {
	return f.level(f.dict(f.dict(f.catalog()["Perms"])["DocMDP"]))
}

// strictest is the lowest level that a signature of the file sets, by its own
// transform or the lock of its field; 0 where none does.
func (f *File) strictest() int {
	level := f.docMDP()
	for _, fd := range f.fields() {
		if d := f.dict(fd.value); fd.kind == "Sig" && d != nil {
			var s Signature
			f.restrictions(&s, fd, d)
			if s.level > 0 && (level == 0 || s.level < level) {
				level = s.level
			}
		}
	}
	return level
}

// locks lists the locks of all signatures.
func (f *File) locks() []Lock {
	var out []Lock
	for _, fd := range f.fields() {
		if d := f.dict(fd.value); fd.kind == "Sig" && d != nil {
			var s Signature
			f.restrictions(&s, fd, d)
			out = append(out, s.locks...)
		}
	}
	return out
}
