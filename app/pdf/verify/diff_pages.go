package verify

import (
	"slices"

	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
)

// pages compares the content and annotations of pages. Content reached through
// a page has been judged in its contexts.
func (p *pair) pages() {
	was, is := p.was.tree, p.is.tree
	p.nodes()
	if is.err != nil || was.err != nil {
		p.add(change{kind: ChangePageTree, breaks: RuleDamaged})
	}
	if !slices.EqualFunc(was.pages, is.pages, func(a, b pageState) bool { return a.Ref == b.Ref }) {
		p.add(change{kind: ChangePageTree, number: p.new.RootRef.Number, breaks: RuleNone})
	} else if was != is {
		for i := range was.pages {
			p.page(i+1, &was.pages[i], &is.pages[i])
		}
	}
	p.annotations()
}

// nodes checks that no page tree node was changed, even in entries that no page
// inherits: readers differ in how they resolve inheritance.
func (p *pair) nodes() {
	for n := range p.changed {
		if p.was.tree.is(n, KindNode) && !p.marked(n) {
			p.add(change{kind: ChangePageTree, number: n, breaks: RuleNone})
		}
	}
}

// marked reports whether the only change to a node is a string under a new key.
// Some writers store their version there, and no standard entry of a page or a
// node is a string.
func (p *revisions) marked(n int) bool {
	a, ok1 := p.old.Object(n).(dict)
	b, ok2 := p.new.Object(n).(dict)
	if !ok1 || !ok2 {
		return false
	}
	for _, k := range p.keys(a, b) {
		if _, text := b[k].(object.String); !text || a[k] != nil {
			return false
		}
	}
	return true
}

// page compares the dictionaries of a page, including inherited entries.
func (p *pair) page(number int, was, is *pageState) {
	a, b := p.old.Dict(was.Ref), p.new.Dict(is.Ref)
	if !p.changed[is.Ref.Number] && was.Ref == is.Ref && p.sameAnnots(a["Annots"]) {
		return
	}
	n := is.Ref.Number
	for _, k := range p.keys(a, b) {
		c := change{kind: ChangePage, number: n, page: number, key: k, breaks: RuleNone}
		switch k {
		case "Annots":
			continue
		case "Contents", "Resources":
			c.kind = ChangePageContent
		case "LastModified": // ISO 32000-2 §14.5
			if _, ok := b[k].(object.String); ok || b[k] == nil {
				c.kind, c.by, c.breaks = ChangeMetadata, RuleMetadata, ""
			}
		case "Tabs": // the tab order of the fields
			if _, ok := b[k].(name); ok && a[k] == nil {
				c.by, c.breaks = RuleSigning, ""
			}
		}
		if p.inheritsSame(k, was.in, is.in) {
			continue
		}
		p.add(c)
	}
	p.annots(number, is, a["Annots"], b["Annots"])
}

func (p *pair) sameAnnots(v any) bool {
	r, ok := v.(ref)
	return !ok || !p.changed[r.Number]
}

// inheritsSame reports whether an inheritable entry is the same, taking the
// nodes above the page into account.
func (p *revisions) inheritsSame(k name, was, is document.Inherited) bool {
	switch k {
	case "Resources":
		return p.equal(was.Resources, is.Resources)
	case "MediaBox":
		return p.equal(was.Media, is.Media)
	case "CropBox":
		return p.equal(was.Crop, is.Crop)
	case "Rotate":
		return p.equal(orZero(was.Rotate), orZero(is.Rotate))
	}
	return false
}

func orZero(v any) any {
	if v == nil {
		return int64(0)
	}
	return v
}

// annots compares the annotations of a page. Existing ones must stay in order,
// because they may cover each other.
func (p *pair) annots(number int, page *pageState, was, is any) {
	before, after := p.old.Array(was), p.new.Array(is)
	if is != nil && !p.equal(was, is) && !p.moved(was, is) {
		p.add(change{kind: ChangePage, number: page.Ref.Number, page: number, key: "Annots", breaks: RuleNumberInUse})
	}
	if is != nil && after == nil && p.new.Resolve(is) != nil {
		p.add(change{kind: ChangePage, number: page.Ref.Number, page: number, key: "Annots", breaks: RuleTwoRoles})
	}
	rest := before
	var more array
	for _, v := range after {
		if i := slices.IndexFunc(rest, func(w any) bool { return p.equal(w, v) }); i >= 0 {
			p.annotsLost(number, after, rest[:i])
			rest = rest[i+1:]
			continue
		}
		more = append(more, v)
	}
	p.annotsLost(number, after, rest)
	for _, v := range more {
		p.annotAdded(number, page, before, v)
	}
}

// annotsLost reports annotations that are missing or moved in their list.
func (p *pair) annotsLost(number int, after, lost array) {
	for _, v := range lost {
		c := change{kind: ChangeAnnotation, page: number, breaks: RuleRemoved}
		if r, ok := v.(ref); ok {
			c.number = r.Number
		}
		d := p.old.Dict(v)
		switch {
		case d == nil && p.new.Resolve(v) == nil:
			continue
		case p.old.Name(d["Subtype"]) == "Widget":
			c.kind, c.field = ChangeField, fieldName(p.was, c.number)
		case !slices.ContainsFunc(after, func(w any) bool { return p.equal(v, w) }):
			c.by, c.breaks = RuleAnnotations, ""
		}
		p.add(c)
	}
}

func fieldName(s *structure, n int) string {
	for _, x := range s.of(n) {
		if fd := s.field(x.field); fd != nil {
			return fd.Name
		}
	}
	return ""
}

// annotAdded judges a new annotation. Widgets are judged with their fields.
func (p *pair) annotAdded(number int, page *pageState, before array, v any) {
	r, isRef := v.(ref)
	d := p.new.Dict(v)
	if d == nil {
		return
	}
	c := change{kind: ChangeAnnotation, number: r.Number, page: number, by: RuleAnnotations}
	widget := p.new.Name(d["Subtype"]) == "Widget"
	switch {
	case isRef && !p.fresh(r.Number) && !p.bound(r.Number, before):
		c.breaks = RuleNumberInUse
	case widget && !p.is.plays(r.Number, KindField, KindWidget):
		c.kind, c.breaks = ChangeField, RuleNone
	case widget:
		p.overlay(number, page, r, d)
		return
	case !slices.Contains(harmlessAnnotations, p.new.Name(d["Subtype"])):
		c.breaks = RuleCovers
	}
	p.add(c)
	p.overlay(number, page, r, d)
}

// harmlessAnnotations are the subtypes that comment on a page without replacing
// its content. Free text, stamps and redactions can replace it ("Attacks on PDF
// Certification", S&P 2021).
var harmlessAnnotations = []name{
	"Text", "Popup", "Link", "Highlight", "Underline", "Squiggly", "StrikeOut", "Ink", "Line", "Square", "Circle",
	"Polygon", "PolyLine", "Caret",
}

// bound reports whether an object is a signature field without a visible area
// that is signed now and has been put on a page, which some writers do. Nothing
// of it is visible.
func (p *pair) bound(n int, before array) bool {
	fd := p.is.field(n)
	old := p.was.field(n)
	return fd != nil && old != nil && fd.Kind == "Sig" && old.Value == nil && fd.Value != nil &&
		p.was.pageOf(n) == 0 && !p.new.Visible(fd) && !mentions(before, n)
}

// overlay reports a visible annotation that covers a large part of a page, or
// something on it.
func (p *pair) overlay(number int, page *pageState, r ref, d dict) {
	if was := p.old.Dict(r); p.new.Name(d["Subtype"]) != "Widget" && p.covers(r.Number, was, d) {
		p.add(change{kind: ChangeOverlay, number: r.Number, page: number, breaks: RuleCovers})
		return
	}
	rect, ok := p.new.Rect(d["Rect"])
	if !ok || d["AP"] == nil {
		return
	}
	w, h := rect.Intersect(page.Area).Size()
	if w <= 0 || h <= 0 || w*h < page.Width*page.Height/4 {
		return
	}
	p.add(change{kind: ChangeOverlay, number: r.Number, page: number, breaks: RuleCovers})
}

// annotations judges changed annotations other than fields.
func (p *pair) annotations() {
	for n := range p.changed {
		page := p.was.pageOf(n)
		if !p.was.tree.is(n, KindAnnotation) || p.was.plays(n, KindField, KindWidget, KindGroup) {
			continue
		}
		c := change{kind: ChangeAnnotation, number: n, page: page, by: RuleAnnotations}
		a, b := p.old.Dict(ref{Number: n}), p.new.Dict(ref{Number: n})
		if p.old.Name(a["Subtype"]) == "Widget" || p.new.Name(b["Subtype"]) == "Widget" {
			c.kind, c.breaks = ChangeField, RuleNone
		} else if b != nil && !slices.Contains(harmlessAnnotations, p.new.Name(b["Subtype"])) {
			c.breaks = RuleCovers
		}
		p.add(c)
		if i := page - 1; i >= 0 && i < len(p.is.tree.pages) && b != nil {
			p.overlay(page, &p.is.tree.pages[i], ref{Number: n}, b)
		}
	}
}
