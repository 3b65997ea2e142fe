package pdf

import (
	"slices"

	"paraph/app/pdf/object"
)

// form compares the form dictionaries, and the fields one by one.
func (p *pair) form() {
	was, is := p.old.Catalog()["AcroForm"], p.new.Catalog()["AcroForm"]
	a, b := p.old.Dict(was), p.new.Dict(is)
	number := p.new.RootRef.Number
	if r, ok := is.(ref); ok {
		number = r.Number
	}
	broken := func(k name, rule string) {
		p.add(change{kind: ChangeForm, number: number, key: k, breaks: rule})
	}
	if is != nil && !p.equal(was, is) && !p.moved(was, is) {
		broken("AcroForm", RuleNumberInUse)
	}
	if is == nil && was != nil {
		broken("AcroForm", RuleRemoved)
	}
	for _, k := range p.keys(a, b) {
		if !formEntry(k, a, b) {
			broken(k, RuleNone)
		}
	}
	p.resources(number, a["DR"], b["DR"])
	p.roots(number, a["Fields"], b["Fields"])
	p.fields()
}

// formEntry reports whether the change of a form entry is permitted. Fields and
// resources are compared separately.
func formEntry(k name, a, b dict) bool {
	switch k {
	case "Fields", "DR":
		return true
	case "SigFlags": // ISO 32000-2 §12.7.3: bits may be set, never cleared
		n, _ := object.Int(a[k])
		m, ok := object.Int(b[k])
		return ok && m|n == m && m <= 3
	case "NeedAppearances": // readers then derive appearances from the values
		_, ok := b[k].(bool)
		return ok || b[k] == nil
	case "DA":
		_, ok := b[k].(object.String)
		return ok && a[k] == nil
	}
	return false
}

// resources compares the default resources of the form, which may only grow.
func (p *pair) resources(number int, was, is any) {
	if was == nil && (is == nil || p.added(is) || !isRef(is)) {
		return
	}
	if !p.moved(was, is) || !p.onlyMore(p.withoutForms(was, is), is, 1) {
		p.add(change{kind: ChangeForm, number: number, key: "DR", breaks: RuleNone})
	}
}

// withoutForms returns the older resources, without their XObject entry if its
// forms were at most replaced by new objects: writers keep appearances for other
// uses there, and no reader draws them from the form's resources.
func (p *revisions) withoutForms(was, is any) dict {
	a, b := p.old.Dict(was).Clone(), p.new.Dict(is)
	forms := p.new.Dict(b["XObject"])
	for k, v := range p.old.Dict(a["XObject"]) {
		if forms[k] == nil || !p.equal(v, forms[k]) && !p.added(forms[k]) {
			return a
		}
	}
	if p.moved(a["XObject"], b["XObject"]) {
		delete(a, "XObject")
	}
	return a
}

// onlyMore reports whether a dictionary is an older one with added entries,
// down to a fixed depth.
func (p *pair) onlyMore(was, is any, depth int) bool {
	a, b := p.old.Dict(was), p.new.Dict(is)
	if b == nil {
		return a == nil
	}
	for k, v := range a {
		r, isRef := v.(ref)
		if p.equal(v, b[k]) && !(isRef && p.changed[r.Number]) {
			continue
		}
		if depth == 0 || p.old.Dict(v) == nil || !p.moved(v, b[k]) || !p.onlyMore(v, b[k], depth-1) {
			return false
		}
	}
	return true
}

// roots compares the list of fields, which must keep its elements.
func (p *pair) roots(number int, was, is any) {
	before, after := p.old.Array(was), p.new.Array(is)
	if is != nil && !p.equal(was, is) && !p.moved(was, is) {
		p.add(change{kind: ChangeForm, number: number, key: "Fields", breaks: RuleNumberInUse})
	}
	if !p.contains(before, after) {
		p.add(change{kind: ChangeForm, number: number, key: "Fields", breaks: RuleRemoved})
	}
	for _, v := range after {
		if !isRef(v) && !slices.ContainsFunc(before, func(w any) bool { return p.equal(w, v) }) {
			p.add(change{kind: ChangeForm, number: number, key: "Fields", breaks: RuleNone})
		}
	}
}

// fields compares the fields by number and checks that none of their ancestors
// was changed.
func (p *pair) fields() {
	for n := range p.changed {
		if p.was.plays(n, kindGroup) {
			p.group(n)
		}
	}
	newer := map[int]*field{}
	for i := range p.is.fields {
		newer[p.is.fields[i].ref.Number] = &p.is.fields[i]
	}
	for i := range p.was.fields {
		was := &p.was.fields[i]
		is := newer[was.ref.Number]
		if is == nil {
			p.add(change{kind: ChangeField, number: was.ref.Number, field: was.name, breaks: RuleRemoved})
			continue
		}
		if p.isDirty(was, is) {
			(&fieldComparison{p: p, was: was, is: is}).compare()
		}
		delete(newer, was.ref.Number)
	}
	for i := range p.is.fields {
		if fd := &p.is.fields[i]; newer[fd.ref.Number] == fd {
			p.newField(fd)
		}
	}
}

// isDirty reports whether any part of a field may have been changed.
func (p *pair) isDirty(was, is *field) bool {
	return p.dirty[was.ref.Number] || was.name != is.name || was.kind != is.kind || was.flags != is.flags ||
		len(was.widgets) != len(is.widgets) || !p.equal(was.value, is.value)
}

// group compares a field that has child fields: only the children may change.
func (p *pair) group(n int) {
	i := slices.IndexFunc(p.was.groups, func(g field) bool { return g.ref.Number == n })
	g := &p.was.groups[i]
	if d, ok := p.new.Object(n).(dict); ok {
		for _, k := range p.keys(g.dict, d) {
			p.add(change{kind: ChangeField, number: n, field: g.name, key: k, breaks: RuleNone})
		}
		return
	}
	p.add(change{kind: ChangeField, number: n, field: g.name, breaks: RuleRemoved})
}

// visible reports whether a field occupies more than a point of a page.
func (f *File) visible(fd *field) bool {
	return slices.ContainsFunc(fd.widgets, func(w widget) bool {
		r, ok := f.rect(w.dict["Rect"])
		return ok && !r.empty()
	})
}

// newField judges an added field. Only signature fields may be added; invisible
// ones are part of signing. A visible one hides what is below it, so a later
// signature must cover it.
func (p *pair) newField(fd *field) {
	c := change{kind: ChangeField, number: fd.ref.Number, field: fd.name, page: p.is.pageWith(fd), by: RuleVouched}
	if fd.kind == "Sig" {
		c.kind = p.new.signatureKind(fd)
		if !p.new.visible(fd) {
			c.by = RuleSigning
		}
		if c.kind == ChangeTimestamp && c.by == RuleSigning {
			c.by, c.field = RuleTimestamp, ""
		}
	}
	c.breaks = p.newFieldBreaks(fd)
	p.add(c)
}

func (p *pair) newFieldBreaks(fd *field) string {
	for _, w := range append([]widget{{fd.ref, fd.dict}}, fd.widgets...) {
		switch {
		case !p.fresh(w.ref.Number):
			return RuleNumberInUse
		case w.dict["A"] != nil || w.dict["AA"] != nil:
			return RuleNone
		}
	}
	if fd.kind == "Sig" && fd.value != nil && !p.added(fd.value) {
		return RuleNumberInUse
	}
	for _, list := range [][]field{p.was.fields, p.was.groups, p.is.fields} {
		if slices.ContainsFunc(list, func(o field) bool { return o.name == fd.name && o.ref != fd.ref }) {
			return RuleAmbiguous
		}
	}
	return ""
}

// pageWith returns the number of the first page that has a widget of the field,
// from 1, or 0.
func (s *structure) pageWith(fd *field) int {
	for _, w := range fd.widgets {
		if n := s.pageOf(w.ref.Number); n > 0 {
			return n
		}
	}
	return 0
}

// signatureKind distinguishes signatures from document timestamps.
func (f *File) signatureKind(fd *field) string {
	d := f.Dict(fd.value)
	if f.Name(d["SubFilter"]) == "ETSI.RFC3161" && (d["Type"] == nil || f.Name(d["Type"]) == "DocTimeStamp") {
		return ChangeTimestamp
	}
	return ChangeSignature
}
