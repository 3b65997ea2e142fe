package pdf

import (
	"fmt"
	"maps"
	"slices"
)

// classify says of every changed object what it is to the document. One that
// is several things, as attackers arrange it, is what matters most: what pages
// show comes before what may be changed. Whatever nothing leads to, in either
// revision, changes nothing.
func (p *pair) classify() {
	p.catalog()
	p.store()
	p.form()
	p.fields()
	if len(p.changed) == 0 {
		return
	}
	for _, step := range []func(){
		p.readPages, p.content, p.pageTree, p.metadata, p.storeParts, p.formParts, p.annotations, p.appearances, p.rest,
	} {
		step()
	}
}

func (p *pair) add(c change) { p.out = append(p.out, c) }

// take says whether an object is among the changed, and settles it.
func (p *pair) take(n int) bool {
	was := p.changed[n]
	delete(p.changed, n)
	return was
}

// takeDict is take for an object whose entries are compared afterwards. If it
// is a stream, entries are not all there is to it.
func (p *pair) takeDict(n int) bool {
	if !p.take(n) {
		return false
	}
	_, was := p.old.object(n).(*source)
	_, is := p.new.object(n).(*source)
	if was || is {
		p.add(change{kind: ChangeOther, number: n, detail: "a stream in place of a dictionary"})
	}
	return true
}

// harmlessKeys of the catalog follow from signing.
var harmlessKeys = []name{"Extensions", "Version"}

func (p *pair) catalog() {
	n := p.new.rootRef.Number
	p.takeDict(n)
	p.takeDict(p.old.rootRef.Number)
	for _, k := range p.keys(p.old.catalog(), p.new.catalog(), "") {
		c := change{kind: ChangeCatalog, number: n, detail: string(k)}
		switch {
		case k == "DSS":
			c.kind = ChangeDSS
		case k == "Metadata":
			c.kind = ChangeMetadata
		case k == "AcroForm": // its entries are compared
			continue
		case k == "Pages":
			c.kind = ChangePageTree
		case slices.Contains(harmlessKeys, k):
			c.harmless = true
		}
		p.add(c)
	}
}

func (p *pair) metadata() {
	for _, f := range []*File{p.old, p.new} {
		for _, v := range []any{f.trailer["Info"], f.catalog()["Metadata"]} {
			if r, ok := v.(ref); ok && p.take(r.Number) {
				p.add(change{kind: ChangeMetadata, number: r.Number})
			}
		}
	}
}

// store settles the security store where it has only entries of its own, which
// mean nothing elsewhere.
func (p *pair) store() {
	for _, f := range []*File{p.old, p.new} {
		r, ok := f.catalog()["DSS"].(ref)
		if ok && p.changed[r.Number] && storeOnly(p.old.dict(r)) && storeOnly(p.new.dict(r)) && p.takeDict(r.Number) {
			p.add(change{kind: ChangeDSS, number: r.Number})
		}
	}
}

// storeParts settles what belongs to the security store alone.
func (p *pair) storeParts() {
	for _, f := range []*File{p.old, p.new} {
		parts := []any{}
		d := f.dict(f.catalog()["DSS"])
		for _, k := range storeKeys {
			parts = append(parts, d[k])
		}
		for _, v := range f.dict(d["VRI"]) {
			parts = append(parts, v)
		}
		for _, v := range parts {
			if r, ok := v.(ref); ok && p.take(r.Number) {
				p.add(change{kind: ChangeDSS, number: r.Number})
			}
		}
	}
}

// form compares the form dictionaries.
func (p *pair) form() {
	a, b := p.old.form(), p.new.form()
	number := 0
	for _, f := range []*File{p.old, p.new} {
		form := f.catalog()["AcroForm"]
		if r, ok := form.(ref); ok {
			number = r.Number
			p.takeDict(number)
		}
	}
	for _, k := range p.keys(a, b, "Fields") {
		switch {
		case k == "SigFlags", k == "NeedAppearances", a == nil:
		case k == "DR" && p.onlyMore(p.old.dict(a[k]), p.new.dict(b[k]), 2), k == "DA" && a[k] == nil:
		default:
			p.add(change{kind: ChangeForm, number: number, detail: string(k)})
		}
	}
}

// formParts settles the list of fields, which were compared one by one, and
// resources that were only added to.
func (p *pair) formParts() {
	a, b := p.old.form(), p.new.form()
	for _, v := range []any{a["Fields"], b["Fields"]} {
		if r, ok := v.(ref); ok {
			p.take(r.Number)
		}
	}
	if r, ok := b["DR"].(ref); ok && p.changed[r.Number] && p.onlyMore(p.old.dict(a["DR"]), p.new.dict(r), 2) {
		p.take(r.Number)
	}
}

// onlyMore says whether b is a with entries added, down to some depth.
func (p *pair) onlyMore(a, b dict, depth int) bool {
	for k, v := range a {
		if p.same(v, b[k]) {
			continue
		}
		x, y := p.old.dict(v), p.new.dict(b[k])
		if depth == 0 || x == nil || y == nil || !p.onlyMore(x, y, depth-1) {
			return false
		}
	}
	return true
}

// readPages lists the pages of both revisions.
func (p *pair) readPages() {
	for i, f := range []*File{p.old, p.new} {
		pages, err := f.readPages()
		if err != nil {
			p.add(change{kind: ChangePageTree, detail: err.Error()})
		}
		p.pages[i] = pages
	}
}

// content settles whatever pages show.
func (p *pair) content() {
	content := map[int]bool{}
	for i, f := range []*File{p.old, p.new} {
		for _, pg := range p.pages[i] {
			d := f.dict(pg.ref).Clone()
			for _, k := range []name{"Annots", "Parent", "B", "AA"} {
				delete(d, k)
			}
			f.mark(d, content)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(p.changed)) {
		if content[n] && p.take(n) {
			p.add(change{kind: ChangePageContent, number: n})
		}
	}
}

func (p *pair) pageTree() {
	if !slices.EqualFunc(p.pages[0], p.pages[1], func(a, b Page) bool { return a.ref == b.ref }) {
		p.add(change{kind: ChangePageTree, detail: fmt.Sprintf("%d pages, then %d", len(p.pages[0]), len(p.pages[1]))})
	}
	isPage := map[int]bool{}
	for _, list := range p.pages {
		for i, pg := range list {
			if isPage[pg.ref.Number] {
				continue
			}
			isPage[pg.ref.Number] = true
			p.page(i, pg)
		}
	}
	for _, f := range []*File{p.old, p.new} {
		for n := range f.treeNodes() {
			if !isPage[n] && p.take(n) {
				p.add(change{kind: ChangePageTree, number: n})
			}
		}
	}
}

// treeNodes gives the numbers of all nodes above pages.
func (f *File) treeNodes() map[int]bool {
	out := map[int]bool{}
	var walk func(v any, depth int)
	walk = func(v any, depth int) {
		r, ok := v.(ref)
		if !ok || out[r.Number] || depth > pageTreeDepth {
			return
		}
		d := f.dict(r)
		kids, isArray := f.resolve(d["Kids"]).(array)
		if !isArray {
			return
		}
		out[r.Number] = true
		if k, ok := d["Kids"].(ref); ok {
			out[k.Number] = true
		}
		for _, k := range kids {
			walk(k, depth+1)
		}
	}
	walk(f.catalog()["Pages"], 0)
	return out
}

// page compares the dictionaries of a page, its annotations by themselves.
func (p *pair) page(i int, pg Page) {
	n := pg.ref.Number
	label := fmt.Sprintf("page %d", i+1)
	a, b := p.old.dict(pg.ref), p.new.dict(pg.ref)
	if p.takeDict(n) {
		for _, k := range p.keys(a, b, "Annots") {
			c := change{kind: ChangePage, number: n, detail: label + ": " + string(k)}
			switch k {
			case "Contents", "Resources":
				c.kind = ChangePageContent
			case "LastModified", "PieceInfo":
				c.kind = ChangeMetadata
			}
			p.add(c)
		}
	}
	for _, v := range []any{a["Annots"], b["Annots"]} {
		if r, ok := v.(ref); ok {
			p.take(r.Number)
		}
	}
	p.annotationList(pg, label, p.old.array(a["Annots"]), p.new.array(b["Annots"]))
}

// annotationList compares which annotations a page has.
func (p *pair) annotationList(pg Page, label string, a, b array) {
	if slices.EqualFunc(a, b, p.same) {
		return
	}
	known, kept := numbers(a), numbers(b)
	for _, n := range slices.Sorted(maps.Keys(known)) {
		if !kept[n] {
			p.add(p.annotation(p.old, n, label+": removed", false))
		}
	}
	for _, v := range b {
		r, ok := v.(ref)
		if !ok {
			if !slices.ContainsFunc(a, func(o any) bool { return p.same(o, v) }) {
				p.add(change{kind: ChangeAnnotation, number: pg.ref.Number, detail: label})
			}
			continue
		}
		if known[r.Number] {
			continue
		}
		p.add(p.annotation(p.new, r.Number, label, true))
		p.overlay(pg, r)
	}
}

func numbers(a array) map[int]bool {
	out := map[int]bool{}
	for _, v := range a {
		if r, ok := v.(ref); ok {
			out[r.Number] = true
		}
	}
	return out
}

// annotation is the change that an annotation was added or removed.
func (p *pair) annotation(f *File, n int, detail string, added bool) change {
	d := f.dict(ref{Number: n})
	c := change{kind: ChangeAnnotation, number: n, detail: detail, added: added}
	if f.name(d["Subtype"]) != "Widget" {
		return c
	}
	c.kind = ChangeField
	if fd := f.fieldOf(n); fd != nil {
		c.field, c.detail = fd.name, detail+": "+fd.name
		if added && fd.kind == "Sig" {
			c.kind, c.field = f.signatureKind(fd), ""
		}
	}
	return c
}

func (f *File) signatureKind(fd *field) string {
	d := f.dict(fd.value)
	if f.name(d["SubFilter"]) == "ETSI.RFC3161" {
		return ChangeTimestamp
	}
	return ChangeSignature
}

// fieldOf finds the field that has a widget.
func (f *File) fieldOf(n int) *field {
	for _, fd := range f.fields() {
		if slices.ContainsFunc(fd.widgets, func(w widget) bool { return w.ref.Number == n }) {
			return &fd
		}
	}
	return nil
}

// overlay notes an annotation that is laid over a large part of a page and
// shows something.
func (p *pair) overlay(pg Page, r ref) {
	d := p.new.dict(r)
	rect, ok := p.new.rect(d["Rect"])
	if !ok || d["AP"] == nil {
		return
	}
	w, h := rect.intersect(pg.box).size()
	if w <= 0 || h <= 0 || w*h < pg.Width*pg.Height/4 {
		return
	}
	p.add(change{kind: ChangeOverlay, number: r.Number, detail: "covers a large part of a page"})
}

// annotations settles changed annotations that are no fields.
func (p *pair) annotations() {
	for i, f := range []*File{p.old, p.new} {
		for at, pg := range p.pages[i] {
			for _, v := range f.array(f.dict(pg.ref)["Annots"]) {
				if r, ok := v.(ref); ok && p.take(r.Number) {
					p.add(change{kind: ChangeAnnotation, number: r.Number, detail: fmt.Sprintf("page %d", at+1)})
				}
			}
		}
	}
}

// appearances settles objects that only the appearances of fields lead to.
func (p *pair) appearances() {
	if len(p.changed) == 0 {
		return
	}
	for _, f := range []*File{p.old, p.new} {
		for _, fd := range f.fields() {
			for _, w := range fd.widgets {
				p.appearance(f, fd, w)
			}
		}
	}
}

func (p *pair) appearance(f *File, fd field, w widget) {
	marked := map[int]bool{}
	f.mark(w.dict["AP"], marked)
	for _, n := range slices.Sorted(maps.Keys(marked)) {
		if p.take(n) {
			p.add(change{kind: ChangeFormFill, number: n, detail: fd.name, field: fd.name})
		}
	}
}

// mark notes the numbers of all objects that v leads to. It ends at pages.
func (f *File) mark(v any, seen map[int]bool) {
	queue := []any{v}
	for len(queue) > 0 && f.fault == nil {
		v := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		switch x := v.(type) {
		case ref:
			if seen[x.Number] {
				continue
			}
			seen[x.Number] = true
			next := f.object(x.Number)
			if d, ok := next.(dict); ok && (d.Name("Type") == "Page" || d.Name("Type") == "Pages") {
				continue
			}
			queue = append(queue, next)
		case array:
			queue = append(queue, x...)
		case *source:
			queue = append(queue, x.dict)
		case dict:
			for k, e := range x {
				if k != "Parent" && k != "P" {
					queue = append(queue, e)
				}
			}
		}
	}
}

// rest reports changed objects that the document leads to but that are
// nothing of the above.
func (p *pair) rest() {
	if len(p.changed) == 0 {
		return
	}
	reached := map[int]bool{}
	for i, f := range []*File{p.old, p.new} {
		f.mark(f.catalog(), reached)
		for _, pg := range p.pages[i] {
			f.mark(f.dict(pg.ref), reached)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(p.changed)) {
		if reached[n] {
			p.add(change{kind: ChangeOther, number: n})
		}
	}
}
