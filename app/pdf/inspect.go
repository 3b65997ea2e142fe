package pdf

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"

	"paraph/app/pdf/object"
)

// Kinds of XFA forms.
const (
	XFAStatic  = "static"  // pages and fields are also there as PDF
	XFADynamic = "dynamic" // pages are made by a reader that knows XFA
)

// An Inspection is what there is to know of a file before it is sent.
type Inspection struct {
	Version    string   // of the header or catalog, such as 1.7
	Signed     []string // full names of the signed fields
	DocMDP     int      // the strictest level that a signature sets: 1 to 3, or 0
	Locked     bool     // a signature locks whatever fields are added
	HasForm    bool
	XFA        string // "", XFAStatic or XFADynamic
	JavaScript bool
	// LaunchActions are actions that start programs or import data.
	LaunchActions bool
	EmbeddedFiles []string // names
	// FontsNotEmbedded are base names of fonts that readers have to replace.
	FontsNotEmbedded []string
	PDFA             string // what the metadata claims, such as 2B
	Title, Language  string
	FormFields       []FormField
	// Err is set when a limit was met; then the rest is not complete.
	Err error
}

// A FormField is one widget of a field of the upload.
type FormField struct {
	Name                string    // full name
	Type                FieldType // one of the Field constants, or "button"
	Page                int       // from 0; -1 when it is on none
	X, Y, Width, Height float64
	Label, Value        string
	Options             []string
	Export              string // value of a check box or radio button when on
	Required, ReadOnly  bool
	Signed              bool
}

// Inspect looks through everything that can be reached from the catalog.
func (f *File) Inspect() Inspection {
	catalog := f.catalog()
	in := Inspection{
		Version: f.version(), DocMDP: f.strictest(), HasForm: len(f.array(f.form()["Fields"])) > 0,
		XFA: f.xfa(), PDFA: f.pdfA(), FormFields: f.formFields(),
		Title: f.text(f.dict(f.trailer["Info"])["Title"]), Language: f.text(catalog["Lang"]),
	}
	for _, fd := range f.fields() {
		if fd.kind == "Sig" && f.dict(fd.value) != nil {
			in.Signed = append(in.Signed, fd.name)
		}
	}
	in.Locked = slices.ContainsFunc(f.locks(), func(l Lock) bool { return l.Covers(prefix(lastRound(f.fields()) + 1)) })
	f.look(&in)
	in.Err = f.fault
	return in
}

func (f *File) version() string {
	if v := f.name(f.catalog()["Version"]); v != "" {
		return string(v)
	}
	b, err := f.bytesAt(5, 3)
	if err != nil {
		return ""
	}
	return string(b)
}

// look visits every object that the catalog leads to.
func (f *File) look(in *Inspection) {
	fonts, files := map[string]bool{}, map[string]bool{}
	f.reach(f.rootRef, func(d dict) {
		switch f.name(d["S"]) {
		case "JavaScript":
			in.JavaScript = true
		case "Launch", "ImportData":
			in.LaunchActions = true
		case "Rendition":
			in.JavaScript = in.JavaScript || d["JS"] != nil
		}
		switch f.name(d["Type"]) {
		case "Font":
			if s, missing := f.fontMissing(d); missing {
				fonts[s] = true
			}
		case "Filespec", "F":
			if d["EF"] != nil {
				files[f.fileName(d)] = true
			}
		default:
			if f.dict(d["EF"]) != nil { // a file specification without a type
				files[f.fileName(d)] = true
			}
		}
	})
	in.FontsNotEmbedded = slices.Sorted(maps.Keys(fonts))
	in.EmbeddedFiles = slices.Sorted(maps.Keys(files))
}

func (f *File) fileName(d dict) string {
	if s := f.text(d["UF"]); s != "" {
		return s
	}
	return f.text(d["F"])
}

// reach calls visit with every dictionary that can be reached from v. The
// form's default resources do not count: they are mostly not in use.
func (f *File) reach(v any, visit func(dict)) {
	resources := f.form()["DR"]
	skip, _ := resources.(ref)
	seen := map[int]bool{skip.Number: true}
	queue := []any{v}
	var walk func(v any)
	walk = func(v any) {
		switch x := v.(type) {
		case ref:
			if !seen[x.Number] {
				seen[x.Number] = true
				queue = append(queue, x)
			}
		case array:
			for _, e := range x {
				walk(e)
			}
		case *source:
			walk(x.dict)
		case dict:
			visit(x)
			for k, e := range x {
				if _, direct := e.(dict); direct && k == "DR" && x["Fields"] != nil {
					continue
				}
				walk(e)
			}
		}
	}
	for len(queue) > 0 && f.fault == nil {
		next := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if r, ok := next.(ref); ok {
			seen[r.Number] = true
			next = f.object(r.Number)
		}
		walk(next)
	}
}

// fontMissing says whether a font has no program in the file.
func (f *File) fontMissing(d dict) (base string, missing bool) {
	switch f.name(d["Subtype"]) {
	case "Type0", "Type3":
		return "", false
	case "Type1", "MMType1", "TrueType", "CIDFontType0", "CIDFontType2":
	default:
		return "", false
	}
	descriptor := f.dict(d["FontDescriptor"])
	for _, key := range []name{"FontFile", "FontFile2", "FontFile3"} {
		if f.dict(descriptor[key]) != nil {
			return "", false
		}
	}
	return string(f.name(d["BaseFont"])), true
}

// xfa says which kind of XFA form the file has. A form that has no fields
// outside of XFA can only be dynamic.
func (f *File) xfa() string {
	form := f.form()
	if form["XFA"] == nil {
		return ""
	}
	if needs, _ := f.resolve(f.catalog()["NeedsRendering"]).(bool); needs || len(f.array(form["Fields"])) == 0 {
		return XFADynamic
	}
	packets := array{form["XFA"]}
	if a := f.array(form["XFA"]); a != nil {
		packets = a
	}
	for _, v := range packets {
		src, ok := f.resolve(v).(*source)
		if !ok {
			continue
		}
		if data, err := f.decode(src); err == nil && dynamicRender.Match(data) {
			return XFADynamic
		}
	}
	return XFAStatic
}

var (
	dynamicRender = regexp.MustCompile(`<dynamicRender>\s*required`)
	pdfaPart      = regexp.MustCompile(`pdfaid:part(?:>|=["'])\s*(\d)`)
	pdfaLevel     = regexp.MustCompile(`pdfaid:conformance(?:>|=["'])\s*([A-Za-z])`)
)

// pdfA reads the claim of the metadata (ISO 19005).
func (f *File) pdfA() string {
	src, ok := f.resolve(f.catalog()["Metadata"]).(*source)
	if !ok {
		return ""
	}
	data, err := f.decode(src)
	if err != nil {
		return ""
	}
	data = bytes.ReplaceAll(data, []byte{0}, nil) // UTF-16 is read as ASCII
	if !bytes.Contains(data, []byte("pdfaid")) {  // much faster than to look for more
		return ""
	}
	part := pdfaPart.FindSubmatch(data)
	if part == nil {
		return ""
	}
	claim := string(part[1])
	if level := pdfaLevel.FindSubmatch(data); level != nil {
		claim += strings.ToUpper(string(level[1]))
	}
	return claim
}

// formFields lists the widgets of the form.
func (f *File) formFields() []FormField {
	fields := f.fields()
	if len(fields) == 0 {
		return nil
	}
	on, numbers := map[int]int{}, map[int]int{}
	for i, p := range f.pages {
		numbers[p.ref.Number] = i
		for _, v := range f.array(f.dict(p.ref)["Annots"]) {
			if r, ok := v.(ref); ok {
				on[r.Number] = i
			}
		}
	}
	var out []FormField
	for _, fd := range fields {
		for _, w := range fd.widgets {
			page, ok := on[w.ref.Number]
			if !ok {
				if r, isRef := w.dict["P"].(ref); isRef {
					page, ok = numbers[r.Number]
				}
			}
			if !ok {
				page = -1
			}
			out = append(out, f.formField(fd, w.dict, page))
		}
	}
	return out
}

func (f *File) formField(fd field, w dict, page int) FormField {
	out := FormField{
		Name: fd.name, Type: fd.formType(), Page: page, Label: f.text(fd.dict["TU"]),
		Required: fd.flags&flagRequired != 0, ReadOnly: fd.flags&flagReadOnly != 0,
		Options: f.options(fd.dict["Opt"]),
	}
	switch v := f.resolve(fd.value).(type) {
	case object.String:
		out.Value = v.Text()
	case name:
		out.Value = string(v)
	case dict:
		out.Signed = fd.kind == "Sig"
	}
	if out.Type == FieldCheckbox || out.Type == FieldRadio {
		out.Export = f.onState(w)
	}
	if r, ok := f.rect(w["Rect"]); ok && page >= 0 {
		b := f.pages[page].Box(r)
		out.X, out.Y, out.Width, out.Height = b.X, b.Y, b.Width, b.Height
	}
	return out
}

func (fd field) formType() FieldType {
	switch {
	case fd.kind == "Sig":
		return FieldSignature
	case fd.kind == "Ch":
		return FieldSelect
	case fd.kind == "Btn" && fd.flags&flagPushbutton != 0:
		return "button"
	case fd.kind == "Btn" && fd.flags&flagRadio != 0:
		return FieldRadio
	case fd.kind == "Btn":
		return FieldCheckbox
	}
	return FieldText
}

// options lists choices; of a pair of value and text, the text.
func (f *File) options(v any) []string {
	var out []string
	for _, o := range f.array(v) {
		if pair := f.array(o); len(pair) == 2 {
			o = pair[1]
		}
		out = append(out, f.text(o))
	}
	return out
}
