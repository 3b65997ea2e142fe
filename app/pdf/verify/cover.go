package verify

import (
	"slices"
	"unicode"

	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
	"paraph/app/pdf/redact"
)

// covers reports whether an annotation hides something of the older revision that it
// did not hide there: another field or its mark, or text of its page. was is nil if it
// is new.
func (p *pair) covers(number int, was, is dict) bool {
	page := p.is.pageOf(number)
	if page == 0 || page > len(p.was.tree.pages) {
		return false
	}
	areas := p.new.painted(is)
	if was != nil && len(areas) > 0 {
		before := p.old.painted(was)
		areas = slices.DeleteFunc(areas, func(a document.Rect) bool {
			return slices.ContainsFunc(before, func(b document.Rect) bool { return within(a, b) })
		})
		areas = p.withoutMark(areas, was, is)
	}
	if len(areas) == 0 {
		return false
	}
	state := &p.was.tree.pages[page-1]
	return p.coversField(number, state, areas) || p.coversText(state, areas)
}

// within reports whether a rectangle lies in another one.
func within(a, b document.Rect) bool {
	const edge = 0.5
	return a[0] >= b[0]-edge && a[1] >= b[1]-edge && a[2] <= b[2]+edge && a[3] <= b[3]+edge
}

// withoutMark leaves out the mark of a button, which the older revision had as one of
// its states. A large one is no mark.
func (p *pair) withoutMark(areas []document.Rect, was, is dict) []document.Rect {
	const large = 14
	if was["AP"] == nil || !p.deepEqual(was["AP"], is["AP"]) {
		return areas
	}
	return slices.DeleteFunc(areas, func(a document.Rect) bool {
		w, h := a.Size()
		return w < large && h < large
	})
}

// coversField reports whether areas hide the place of another field that is drawn below.
func (p *pair) coversField(number int, page *pageState, areas []document.Rect) bool {
	for _, v := range p.old.Array(p.old.Dict(page.Ref)["Annots"]) {
		r, _ := v.(ref)
		if r.Number == number {
			return false // what follows is drawn above
		}
		d := p.old.Dict(v)
		rect, ok := p.old.Rect(d["Rect"])
		const unseen = 2 | 32 // hidden, not viewed
		flags, _ := p.old.Int(d["F"])
		if !ok || rect.Empty() || flags&unseen != 0 || p.old.Name(d["Subtype"]) == "Popup" || p.sameField(number, r.Number) {
			continue
		}
		if slices.ContainsFunc(areas, func(a document.Rect) bool { return a.Hides(rect) }) {
			return true
		}
	}
	return false
}

// sameField reports whether two objects are places of one field.
func (p *pair) sameField(a, b int) bool {
	return slices.ContainsFunc(p.is.of(a), func(x place) bool {
		return x.field != 0 && slices.ContainsFunc(p.is.of(b), func(y place) bool { return y.field == x.field })
	})
}

// coversText reports whether areas hide text of a page. Lines of underscores or dots
// are there to be written on.
func (p *pair) coversText(page *pageState, areas []document.Rect) bool {
	regions := make([]redact.Rect, len(areas))
	for i, a := range areas {
		regions[i] = redact.Rect(a)
	}
	known := map[any]*letters{}
	found := false
	err := redact.Characters(p.old.File.File, p.old.Dict(page.Ref), page.in.Resources, regions, func(font any, code object.String) {
		key, _ := font.(ref)
		l := known[key]
		if l == nil || key == (ref{}) {
			l = p.old.letters(p.old.Dict(font))
			known[key] = l
		}
		found = found || l.says(code)
	})
	return found || err != nil
}

// says reports whether a code of a font stands for something that is read, as opposed
// to a line to write on.
func (l *letters) says(code object.String) bool {
	all := []rune(l.text(code))
	return slices.ContainsFunc(all, func(r rune) bool {
		return r == unknown || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Sc, r) || r == '%'
	})
}
