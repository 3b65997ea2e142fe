package pdf

import (
	"slices"

	"paraph/app/pdf/object"
)

// fields compares the fields of the form by number.
func (p *pair) fields() {
	older, newer := p.old.fields(), p.new.fields()
	if len(older) == 0 && len(newer) == 0 {
		return
	}
	known := map[int]*field{}
	for i := range older {
		known[older[i].ref.Number] = &older[i]
	}
	kept := map[int]bool{}
	for i := range newer {
		fd := &newer[i]
		kept[fd.ref.Number] = true
		if was := known[fd.ref.Number]; was != nil {
			p.field(was, fd)
		} else {
			p.newField(fd)
		}
	}
	for _, fd := range older {
		if !kept[fd.ref.Number] {
			p.take(fd.ref.Number)
			p.add(change{kind: ChangeField, number: fd.ref.Number, detail: fd.name + ": removed", field: fd.name})
		}
	}
	p.parents()
}

// newField is a field that was added. Fields for signatures may be, their
// widgets are told with it.
func (p *pair) newField(fd *field) {
	c := change{kind: ChangeField, number: fd.ref.Number, detail: fd.name, field: fd.name, added: true}
	if fd.kind == "Sig" {
		c.kind, c.field = p.new.signatureKind(fd), ""
	}
	for _, w := range fd.widgets {
		p.take(w.ref.Number)
	}
	p.take(fd.ref.Number)
	p.add(c)
}

// field compares one field and its widgets.
func (p *pair) field(a, b *field) {
	if p.contradicts(a, b) {
		p.add(change{kind: ChangeField, number: b.ref.Number, detail: b.name + ": shows something else than its value", field: b.name})
	}
	if p.takeDict(a.ref.Number) {
		p.fieldKeys(a, b, a.dict, b.dict, a.ref.Number)
	}
	for _, w := range b.widgets {
		if w.ref == b.ref || !p.takeDict(w.ref.Number) {
			continue
		}
		p.fieldKeys(a, b, p.old.dict(w.ref), w.dict, w.ref.Number)
	}
	p.signatureValue(a)
}

// fieldKeys compares the entries of a field or widget. Many entries of one
// fill-in are one change.
func (p *pair) fieldKeys(a, b *field, was, is dict, number int) {
	filled := false
	for _, k := range p.keys(was, is, "") {
		if b.kind == "Sig" && k == "V" && was["V"] == nil {
			p.add(change{kind: p.new.signatureKind(b), number: number, detail: b.name, field: b.name})
			continue
		}
		switch {
		case b.kind == "Sig" && k == "V":
			p.add(change{kind: ChangeField, number: number, detail: b.name + ": signature replaced", field: b.name})
		case p.fills(k, was[k], is[k]):
			filled = true
		default:
			p.add(change{kind: ChangeField, number: number, detail: b.name + ": " + string(k), field: b.name})
		}
	}
	if !filled {
		return
	}
	c := change{kind: ChangeFormFill, number: number, detail: b.name, field: b.name}
	if b.kind == "Sig" && a.value == nil && b.value != nil { // the look of a new signature
		c.kind = p.new.signatureKind(b)
	}
	p.add(c)
}

// fillKeys are the entries that change when a field is filled in.
var fillKeys = []name{"V", "AP", "AS", "I", "M", "MK", "RV", "TI", "DA", "Q"}

// fills says whether an entry changed as filling in and signing change it.
func (p *pair) fills(k name, was, is any) bool {
	a, _ := object.Int(was)
	b, _ := object.Int(is)
	switch k {
	case "Ff": // signing makes locked fields read-only
		return b == a|flagReadOnly
	case "F":
		const locked = 4 | 128 | 512 // print, locked, locked contents
		return b|locked == a|locked && b&a == a
	}
	return slices.Contains(fillKeys, k)
}

// signatureValue sees that the dictionary of an old signature is what it was.
func (p *pair) signatureValue(a *field) {
	if r, ok := a.value.(ref); ok && a.kind == "Sig" && p.take(r.Number) {
		p.add(change{kind: ChangeField, number: r.Number, detail: a.name + ": signature replaced", field: a.name})
	}
}

// parents settles changed nodes above fields: only the value of a whole group
// may change there.
func (p *pair) parents() {
	seen := map[int]bool{}
	var walk func(kids array, depth int)
	walk = func(kids array, depth int) {
		for _, v := range kids {
			r, ok := v.(ref)
			if !ok || seen[r.Number] || depth > fieldDepth {
				continue
			}
			seen[r.Number] = true
			is := p.new.dict(r)
			if p.takeDict(r.Number) {
				for _, k := range p.keys(p.old.dict(r), is, "") {
					p.add(change{kind: ChangeField, number: r.Number, detail: p.new.text(is["T"]) + ": " + string(k)})
				}
			}
			walk(p.new.array(is["Kids"]), depth+1)
		}
	}
	walk(p.new.array(p.new.form()["Fields"]), 0)
}
