package verify

import (
	"slices"

	"paraph/app/pdf/document"
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
		} else if k == "NeedAppearances" && !p.drawnAlike() {
			broken(k, RuleContradiction)
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

// drawnAlike reports whether every field shows its value already, so that it makes no
// difference whether readers draw it anew.
func (p *pair) drawnAlike() bool {
	return !slices.ContainsFunc(p.was.fields, func(was document.Field) bool {
		is := p.is.field(was.Ref.Number)
		x := fieldComparison{p: p, was: &was, is: &was}
		switch {
		case is == nil || was.Kind == "Sig" || was.Flags&document.FlagPushbutton != 0 && was.Kind == "Btn":
			return false
		case was.Kind == "Btn":
			return x.button() != ""
		}
		return slices.ContainsFunc(was.Widgets, func(w document.Widget) bool {
			if w.Dict["AP"] == nil {
				return p.old.valueText(&was) != "" && p.old.displays(w)
			}
			return !x.showsValue(p.old, w)
		})
	})
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
		if p.was.plays(n, KindGroup) {
			p.group(n)
		}
	}
	newer := map[int]*document.Field{}
	for i := range p.is.fields {
		newer[p.is.fields[i].Ref.Number] = &p.is.fields[i]
	}
	for i := range p.was.fields {
		was := &p.was.fields[i]
		is := newer[was.Ref.Number]
		if is == nil {
			p.add(change{kind: ChangeField, number: was.Ref.Number, field: was.Name, breaks: RuleRemoved})
			continue
		}
		if p.isDirty(was, is) {
			(&fieldComparison{p: p, was: was, is: is}).compare()
		}
		delete(newer, was.Ref.Number)
	}
	for i := range p.is.fields {
		if fd := &p.is.fields[i]; newer[fd.Ref.Number] == fd {
			p.newField(fd)
		}
	}
}

// isDirty reports whether any part of a field may have been changed.
func (p *pair) isDirty(was, is *document.Field) bool {
	return p.dirty[was.Ref.Number] || was.Name != is.Name || was.Kind != is.Kind || was.Flags != is.Flags ||
		len(was.Widgets) != len(is.Widgets) || !p.equal(was.Value, is.Value)
}

// group compares a field that has child fields: only the children may change.
func (p *pair) group(n int) {
	i := slices.IndexFunc(p.was.groups, func(g document.Field) bool { return g.Ref.Number == n })
	g := &p.was.groups[i]
	if d, ok := p.new.Object(n).(dict); ok {
		for _, k := range p.keys(g.Dict, d) {
			p.add(change{kind: ChangeField, number: n, field: g.Name, key: k, breaks: RuleNone})
		}
		return
	}
	p.add(change{kind: ChangeField, number: n, field: g.Name, breaks: RuleRemoved})
}

// newField judges an added field. Only signature fields may be added; invisible
// ones are part of signing. A visible one hides what is below it, so a later
// signature must cover it.
func (p *pair) newField(fd *document.Field) {
	c := change{kind: ChangeField, number: fd.Ref.Number, field: fd.Name, page: p.is.pageWith(fd), by: RuleVouched}
	if fd.Kind == "Sig" {
		c.kind = p.new.signatureKind(fd)
		if !p.new.Visible(fd) {
			c.by = RuleSigning
		}
		if c.kind == ChangeTimestamp && c.by == RuleSigning {
			c.by, c.field = RuleTimestamp, ""
		}
	}
	c.breaks = p.newFieldBreaks(fd)
	p.add(c)
}

func (p *pair) newFieldBreaks(fd *document.Field) string {
	for _, w := range append([]document.Widget{{Ref: fd.Ref, Dict: fd.Dict}}, fd.Widgets...) {
		switch {
		case !p.fresh(w.Ref.Number):
			return RuleNumberInUse
		case w.Dict["A"] != nil || w.Dict["AA"] != nil:
			return RuleNone
		}
	}
	if fd.Kind == "Sig" && fd.Value != nil && !p.added(fd.Value) {
		return RuleNumberInUse
	}
	if slices.ContainsFunc(fd.Widgets, func(w document.Widget) bool { return p.covers(w.Ref.Number, nil, w.Dict) }) {
		return RuleCovers
	}
	for _, list := range [][]document.Field{p.was.fields, p.was.groups, p.is.fields} {
		if slices.ContainsFunc(list, func(o document.Field) bool { return o.Name == fd.Name && o.Ref != fd.Ref }) {
			return RuleAmbiguous
		}
	}
	return ""
}

// pageWith returns the number of the first page that has a widget of the field,
// from 1, or 0.
func (s *structure) pageWith(fd *document.Field) int {
	for _, w := range fd.Widgets {
		if n := s.pageOf(w.Ref.Number); n > 0 {
			return n
		}
	}
	return 0
}

// signatureKind distinguishes signatures from document timestamps.
func (f *file) signatureKind(fd *document.Field) string {
	d := f.Dict(fd.Value)
	if f.Name(d["SubFilter"]) == "ETSI.RFC3161" && (d["Type"] == nil || f.Name(d["Type"]) == "DocTimeStamp") {
		return ChangeTimestamp
	}
	return ChangeSignature
}
