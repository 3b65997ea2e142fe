package pdf

import (
	"fmt"
	"maps"
	"paraph/app/pdf/document"
	"paraph/app/pdf/reader"
	"slices"
	"strings"
)

// Shown describes everything that a reader of a file is shown, independently of
// the code that judges later changes: what pages draw and where, the values and
// appearances of fields, and what the catalog makes viewers do. It omits what
// may be appended to a signed file without changing it.
func (f *File) Shown() string {
	s := describer{f: f, named: map[int]string{}}
	s.named[f.RootRef.Number] = "catalog"
	for i, p := range f.Pages() {
		s.named[p.Ref.Number] = fmt.Sprintf("page %d", i)
	}
	for _, fd := range f.Fields() {
		s.named[fd.Ref.Number] = "field " + fd.Name
	}
	_ = f.EachPage(func(r ref, d dict, in document.Inherited) error {
		s.page(d, in)
		return nil
	})
	for k, v := range sorted(f.Catalog()) {
		switch k {
		case "AcroForm", "DSS", "Extensions", "Version", "Metadata", "MarkInfo", "StructTreeRoot", "Pages":
		default:
			s.entry(k, v)
		}
	}
	for _, fd := range f.Fields() {
		if fd.Kind != "Sig" || fd.Value != nil || f.Visible(&fd) {
			s.field(fd)
		}
	}
	return s.out.String()
}

type describer struct {
	f     *File
	out   strings.Builder
	named map[int]string
	seen  map[int]int
}

func sorted(d dict) func(func(name, any) bool) {
	return func(yield func(name, any) bool) {
		for _, k := range slices.Sorted(maps.Keys(d)) {
			if !yield(k, d[k]) {
				return
			}
		}
	}
}

func (s *describer) entry(k name, v any) {
	s.seen = map[int]int{}
	fmt.Fprintf(&s.out, "%s: ", k)
	s.value(v)
	s.out.WriteByte('\n')
}

func (s *describer) page(d dict, in document.Inherited) {
	s.out.WriteString("PAGE\n")
	d = d.Clone()
	d["MediaBox"], d["CropBox"], d["Rotate"], d["Resources"] = in.Media, in.Crop, in.Rotate, in.Resources
	for k, v := range sorted(d) {
		switch k {
		case "Parent", "Annots", "Tabs", "LastModified":
		default:
			if v != nil {
				s.entry(k, v)
			}
		}
	}
	for _, v := range s.f.Array(d["Annots"]) {
		a := s.f.Dict(v)
		if r, ok := s.f.Rect(a["Rect"]); (!ok || r.Empty()) && s.f.Name(a["Subtype"]) == "Widget" {
			continue
		}
		for _, k := range []name{"Subtype", "Rect", "AP", "AS", "OC", "A", "AA"} {
			s.entry(k, a[k])
		}
	}
}

func (s *describer) field(fd document.Field) {
	fmt.Fprintf(&s.out, "FIELD %s %s\n", fd.Name, fd.Kind)
	s.entry("V", fd.Value)
	for _, w := range fd.Widgets {
		s.entry("AP", w.Dict["AP"])
		s.entry("AS", w.Dict["AS"])
		s.entry("Rect", w.Dict["Rect"])
	}
}

func (s *describer) value(v any) {
	switch x := v.(type) {
	case ref:
		if n := s.named[x.Number]; n != "" {
			s.out.WriteString(n)
			return
		}
		if at, ok := s.seen[x.Number]; ok {
			fmt.Fprintf(&s.out, "^%d", at)
			return
		}
		s.seen[x.Number] = len(s.seen)
		s.value(s.f.Object(x.Number))
	case array:
		s.out.WriteByte('[')
		for _, e := range x {
			s.value(e)
			s.out.WriteByte(' ')
		}
		s.out.WriteByte(']')
	case dict:
		s.out.WriteString("<<")
		for k, e := range sorted(x) {
			fmt.Fprintf(&s.out, "/%s ", k)
			s.value(e)
		}
		s.out.WriteString(">>")
	case *reader.Stream:
		d := x.Dict.Clone()
		delete(d, "Length")
		s.value(d)
		b, _ := s.f.Raw(x)
		fmt.Fprintf(&s.out, "stream %x", b)
	default:
		fmt.Fprintf(&s.out, "%v", v)
	}
}

// Len returns how many rehearsals are remembered.
func (r *Rehearsals) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.known)
}
