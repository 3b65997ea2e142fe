package pdf

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// frames draws the frames of the fields that give way on their pages.
func (p *preparation) frames() error {
	inherited, err := pageResources(p.f)
	if err != nil {
		return err
	}
	for _, n := range slices.Sorted(maps.Keys(p.gone.byPage)) {
		at := framing{preparation: p, forms: dict{}}
		page, d, err := p.page(n)
		if err != nil {
			return err
		}
		resources := inherited[page.Ref]
		if own := p.f.Dict(d["Resources"]); own != nil {
			resources = own
		}
		at.forms = p.f.Dict(resources["XObject"]).Clone()
		for _, v := range p.f.Array(p.f.Dict(page.Ref)["Annots"]) {
			r, indirect := v.(ref)
			if w := p.f.Dict(v); p.gone.widgets[r.Number] || !indirect && p.replaced(n, w) {
				at.widget(p.gone.fields[r.Number], w)
			}
		}
		if len(at.content) > 0 {
			resources = resources.Clone()
			resources["XObject"] = at.forms
			d["Resources"] = resources
			at.draw(d)
		}
	}
	return p.f.Fault
}

// framing is the content that is added to one page.
type framing struct {
	*preparation
	content []byte
	forms   dict // form XObjects of the page
}

// draw adds the content to a page.
func (f *framing) draw(page dict) {
	contents := array{f.u.Add(&object.Stream{Dict: dict{}, Data: []byte("q\n")})}
	if old, ok := f.f.Resolve(page["Contents"]).(array); ok {
		contents = append(contents, old...)
	} else if page["Contents"] != nil {
		contents = append(contents, page["Contents"])
	}
	data := slices.Concat([]byte("\nQ\n/Artifact BMC\n"), f.content, []byte("EMC\n"))
	page["Contents"] = append(contents, f.u.Add(&object.Stream{Dict: dict{}, Data: data}))
}

// widget adds the frame of a widget: what a check box or radio button shows while it is off, and what a
// text field shows around its text.
func (f *framing) widget(fd document.Field, w dict) {
	flags, _ := f.f.Int(w["F"])
	r, ok := f.f.Rect(w["Rect"])
	if !ok || w["OC"] != nil || flags&(annotHidden|annotNoView) != 0 {
		return
	}
	kind := fd.Kind
	if kind == "" {
		kind = f.f.Name(w["FT"])
	}
	switch normal := f.f.Resolve(f.f.Dict(w["AP"])["N"]).(type) {
	case dict:
		if off, ok := f.f.Resolve(normal["Off"]).(*reader.Stream); ok && kind == "Btn" {
			f.form(r, off, normal["Off"])
			return
		}
	case *reader.Stream:
		if bare, ok := f.withoutText(normal); ok && (kind == "Tx" || kind == "Ch") {
			f.form(r, normal, f.u.Add(bare))
			return
		}
	}
	if kind != "Sig" && fd.Flags&document.FlagPushbutton == 0 && !f.f.lacksColours() {
		f.border(r, fd, w)
	}
}

// withoutText returns the appearance of a text field without its text, which is marked (ISO 32000-2
// §12.7.4.3). If it isn't, ok is false.
func (f *framing) withoutText(s *reader.Stream) (bare *object.Stream, ok bool) {
	data, err := f.f.Decode(s)
	if err != nil {
		return nil, false
	}
	from, to := bytes.Index(data, []byte("/Tx BMC")), bytes.LastIndex(data, []byte("EMC"))
	if from < 0 || to < from {
		return nil, false
	}
	d := s.Dict.Clone()
	for _, key := range []name{"Filter", "DecodeParms", "Length"} {
		delete(d, key)
	}
	return &object.Stream{Dict: d, Data: slices.Concat(data[:from], data[to+len("EMC"):])}, true
}

// form draws an appearance where its widget is (ISO 32000-2 §12.5.5).
func (f *framing) form(r document.Rect, s *reader.Stream, at any) {
	box, ok := f.f.Rect(s.Dict["BBox"])
	if !ok || box.Empty() {
		return
	}
	m := [6]float64{1, 0, 0, 1, 0, 0}
	if a := f.f.Array(s.Dict["Matrix"]); len(a) == len(m) {
		for i, v := range a {
			m[i], _ = object.Float(f.f.Resolve(v))
		}
	}
	var bounds document.Rect
	for i, corner := range [][2]float64{{box[0], box[1]}, {box[2], box[1]}, {box[0], box[3]}, {box[2], box[3]}} {
		x, y := m[0]*corner[0]+m[2]*corner[1]+m[4], m[1]*corner[0]+m[3]*corner[1]+m[5]
		if i == 0 {
			bounds = document.Rect{x, y, x, y}
		}
		bounds = document.Rect{min(bounds[0], x), min(bounds[1], y), max(bounds[2], x), max(bounds[3], y)}
	}
	if bounds.Empty() {
		return
	}
	w, h := r.Size()
	bw, bh := bounds.Size()
	sx, sy := w/bw, h/bh
	own := name(fmt.Sprintf("PpFrame%d", len(f.forms)))
	for f.forms[own] != nil {
		own += "x"
	}
	f.forms[own] = at
	f.content = fmt.Appendf(f.content, "q %g 0 0 %g %g %g cm /%s Do Q\n", object.Round(sx), object.Round(sy),
		object.Round(r[0]-bounds[0]*sx), object.Round(r[1]-bounds[1]*sy), own)
}

// border draws the background and the border that a widget without an appearance asks for (ISO 32000-2
// §12.5.6.19), with the lines between the cells of a comb.
func (f *framing) border(r document.Rect, fd document.Field, w dict) {
	look, style := f.f.Dict(w["MK"]), f.f.Dict(w["BS"])
	if fill := f.colour(look["BG"], "g", "rg", "k"); fill != "" {
		x, y := r.Size()
		f.content = fmt.Appendf(f.content, "q %s%g %g %g %g re f Q\n", fill, object.Round(r[0]), object.Round(r[1]), object.Round(x), object.Round(y))
	}
	line := f.colour(look["BC"], "G", "RG", "K")
	width, ok := object.Float(f.f.Resolve(style["W"]))
	if !ok {
		width = 1
	}
	if line == "" || width <= 0 {
		return
	}
	in := document.Rect{r[0] + width/2, r[1] + width/2, r[2] - width/2, r[3] - width/2}
	x, y := in.Size()
	f.content = fmt.Appendf(f.content, "q %s%g w ", line, object.Round(width))
	if f.f.Name(style["S"]) == "U" {
		f.content = fmt.Appendf(f.content, "%g %g m %g %g l ", object.Round(in[0]), object.Round(in[1]), object.Round(in[2]), object.Round(in[1]))
	} else {
		f.content = fmt.Appendf(f.content, "%g %g %g %g re ", object.Round(in[0]), object.Round(in[1]), object.Round(x), object.Round(y))
	}
	turned, _ := f.f.Int(look["R"])
	cells := f.f.cells(&fd, w)
	for i := 1; i < cells; i++ {
		part := float64(i) / float64(cells)
		from, to := [2]float64{r[0] + part*(r[2]-r[0]), in[1]}, [2]float64{r[0] + part*(r[2]-r[0]), in[3]}
		if turned%180 != 0 {
			from, to = [2]float64{in[0], r[1] + part*(r[3]-r[1])}, [2]float64{in[2], r[1] + part*(r[3]-r[1])}
		}
		f.content = fmt.Appendf(f.content, "%g %g m %g %g l ", object.Round(from[0]), object.Round(from[1]), object.Round(to[0]), object.Round(to[1]))
	}
	f.content = append(f.content, "S Q\n"...)
}

// colour returns the operator that sets a colour, "" for none.
func (f *framing) colour(v any, operators ...string) string {
	all := f.f.Array(v)
	var operator string
	switch len(all) {
	case 1:
		operator = operators[0]
	case 3:
		operator = operators[1]
	case 4:
		operator = operators[2]
	default:
		return ""
	}
	out := ""
	for _, c := range all {
		n, _ := object.Float(f.f.Resolve(c))
		out += fmt.Sprintf("%g ", object.Round(n))
	}
	return out + operator + " "
}
