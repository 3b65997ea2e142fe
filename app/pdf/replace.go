package pdf

import (
	"cmp"
	"slices"

	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
)

// A new field that lies where the upload has one takes its place, or both values would be drawn on top of
// each other. The prepared revision hides, locks and empties the old field. Its frame is drawn into the page,
// so that an empty box still looks like one.

// Flags of annotations that keep others from changing them (ISO 32000-2 §12.5.3).
const (
	annotReadOnly = 1 << 6
	annotLocked   = 1 << 7
)

// A replacement lists the objects that make room for new fields, by number.
type replacement struct {
	widgets map[int]bool           // that are hidden
	emptied map[int]document.Field // fields of which no widget shows the value any more
	closed  map[int]document.Field // fields without any other widget
	fields  map[int]document.Field // of the widgets
	byPage  map[int][]document.Rect
}

// replace finds the old fields that new ones cover. A signed upload keeps all of its fields; see HideError.
func (p *preparation) replace() error {
	p.gone = replacement{widgets: map[int]bool{}, emptied: map[int]document.Field{}, closed: map[int]document.Field{},
		fields: map[int]document.Field{}, byPage: map[int][]document.Rect{}}
	if p.signed {
		return nil
	}
	place := func(n int, b document.Box) {
		if n >= 0 && n < len(p.f.Pages()) {
			p.gone.byPage[n] = append(p.gone.byPage[n], p.f.Pages()[n].Rect(b))
		}
	}
	for _, s := range p.spec.Fields {
		if s.Existing == "" && s.Type != FieldStrikethrough { // strikes out what is there
			place(s.Page, s.box())
		}
	}
	for _, s := range p.spec.Signatures {
		place(s.Page, s.box())
	}
	for n := range p.gone.byPage {
		for _, v := range p.f.Array(p.f.Dict(p.f.Pages()[n].Ref)["Annots"]) {
			if r, ok := v.(ref); ok && p.replaced(n, p.f.Dict(r)) {
				p.gone.widgets[r.Number] = true
			}
		}
	}
	for i := range p.old {
		p.vacate(&p.old[i])
	}
	return cmp.Or(p.frames(), p.f.Fault)
}

// replaced reports whether a new field takes the place of an annotation on a page: whether it covers most
// of a form field, and not much else.
func (p *preparation) replaced(page int, annotation dict) bool {
	const ofOld, ofNew = 0.5, 0.25
	r, ok := p.f.Rect(annotation["Rect"])
	if !ok || r.Empty() || p.f.Name(annotation["Subtype"]) != "Widget" {
		return false
	}
	area := func(r document.Rect) float64 {
		w, h := r.Size()
		return w * h
	}
	return slices.ContainsFunc(p.gone.byPage[page], func(field document.Rect) bool {
		shared := r.Intersect(field)
		return !shared.Empty() && area(shared) >= ofOld*area(r) && area(shared) >= ofNew*area(field)
	})
}

// vacate notes whether a field of the upload has no widget left, and whether none of those left shows
// its value.
func (p *preparation) vacate(fd *document.Field) {
	hidden := func(w document.Widget) bool { return p.gone.widgets[w.Ref.Number] }
	if !slices.ContainsFunc(fd.Widgets, hidden) {
		return
	}
	for _, w := range fd.Widgets {
		p.gone.fields[w.Ref.Number] = *fd
	}
	left := slices.DeleteFunc(slices.Clone(fd.Widgets), hidden)
	if len(left) == 0 {
		p.gone.closed[fd.Ref.Number] = *fd
	}
	shows := func(w document.Widget) bool {
		state := p.f.Name(fd.Value)
		return fd.Kind != "Btn" || p.f.OnState(w.Dict) == string(state) || p.f.Name(w.Dict["AS"]) == state
	}
	if !slices.ContainsFunc(left, shows) {
		p.gone.emptied[fd.Ref.Number] = *fd
	}
}

// makeRoom returns a field or widget of the upload as it is once new fields have taken its place, and
// whether any has.
func (p *preparation) makeRoom(number int, d dict) (dict, bool) {
	emptied, isEmptied := p.gone.emptied[number]
	closed, isClosed := p.gone.closed[number]
	if !isEmptied && !isClosed && !p.gone.widgets[number] {
		return d, false
	}
	d = d.Clone()
	if isEmptied && emptied.Kind == "Btn" {
		d["V"] = name("Off")
	} else if isEmptied {
		for _, key := range []name{"RV", "I"} {
			delete(d, key)
		}
		d["V"] = object.TextString("")
	}
	if isClosed {
		d["Ff"] = int(closed.Flags | document.FlagReadOnly)
	}
	if p.gone.widgets[number] {
		p.hide(d)
	}
	return d, true
}

// hide makes a widget invisible. PDF/A has no hidden annotations (ISO 19005-2 §6.3.2), so there it shows
// nothing.
func (p *preparation) hide(d dict) {
	if d["AS"] != nil {
		d["AS"] = name("Off")
	}
	if p.f.pdfA() == "" {
		d["F"] = annotHidden | annotReadOnly | annotLocked
		return
	}
	d["F"] = annotPrint | annotReadOnly | annotLocked
	delete(d, "MK")
	blank := p.u.emptyAppearance()
	if d["AS"] != nil {
		blank = dict{"N": dict{"Off": blank["N"]}}
	}
	d["AP"] = blank
}
