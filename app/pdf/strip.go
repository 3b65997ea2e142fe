package pdf

import (
	"iter"
	"maps"
	"slices"

	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
	"paraph/app/pdf/redact"
)

// strip removes content of the upload that must not be certified.
func (p *preparation) strip() error {
	if p.signed {
		return nil
	}
	if p.spec.StripJavaScript {
		p.stripActions()
	}
	if p.spec.StripEmbeddedFiles {
		p.stripFiles()
	}
	p.stripFields()
	p.alikeEverywhere()
	for n := range p.f.Pages() {
		if err := p.stripPage(n); err != nil {
			return err
		}
	}
	return p.sameInks()
}

// risky reports whether an action, or one chained to it, runs a script, launches something, or shows
// and hides parts of pages.
func (f *File) risky(v any, depth int) bool {
	d := f.Dict(v)
	if d == nil {
		return false
	}
	switch f.Name(d["S"]) {
	case "JavaScript", "Launch", "ImportData":
		return true
	case "Hide", "SetOCGState": // show something else than what was signed
		return true
	case "Rendition":
		if d["JS"] != nil {
			return true
		}
	}
	if depth > 16 { // legitimate chains are shorter
		return true
	}
	next := f.Resolve(d["Next"])
	if a, ok := next.(array); ok {
		return slices.ContainsFunc(a, func(v any) bool { return f.risky(v, depth+1) })
	}
	return f.risky(next, depth+1)
}

// riskySet reports whether a dictionary of additional actions contains a risky
// one.
func (f *File) riskySet(v any) bool {
	for _, a := range f.Dict(v) {
		if f.risky(a, 0) {
			return true
		}
	}
	return false
}

func (p *preparation) stripActions() {
	if p.f.risky(p.catalog["OpenAction"], 0) {
		delete(p.catalog, "OpenAction")
	}
	if p.f.riskySet(p.catalog["AA"]) {
		delete(p.catalog, "AA")
	}
	p.dropName("JavaScript")
	delete(p.form, "CO")
	p.stripOutlines()
}

// dropName removes a tree from the catalog's names.
func (p *preparation) dropName(key name) {
	names := p.f.Dict(p.catalog["Names"])
	if names[key] == nil {
		return
	}
	names = names.Clone()
	delete(names, key)
	p.catalog["Names"] = names
}

// bare returns d without risky actions and reports whether it had any.
func (p *preparation) bare(d dict) (dict, bool) {
	if !p.spec.StripJavaScript {
		return d, false
	}
	a, aa := p.f.risky(d["A"], 0), p.f.riskySet(d["AA"])
	if !a && !aa {
		return d, false
	}
	d = d.Clone()
	if a {
		delete(d, "A")
	}
	if aa {
		delete(d, "AA")
	}
	return d, true
}

// stripFields processes the fields that are not widgets themselves; widgets are
// processed with their pages.
func (p *preparation) stripFields() {
	seen := map[int]bool{}
	var walk func(kids array, depth int)
	walk = func(kids array, depth int) {
		for _, v := range kids {
			r, ok := v.(ref)
			if !ok || seen[r.Number] || depth > document.FieldDepth {
				continue
			}
			seen[r.Number] = true
			d := p.f.Dict(r)
			b, changed := p.bare(d)
			if changed && b["Subtype"] != nil {
				b, _ = p.f.alike(b) // as with its page
			}
			b, replaced := p.makeRoom(r.Number, b)
			if changed || replaced {
				p.u.put(r, b)
			}
			walk(p.f.Array(d["Kids"]), depth+1)
		}
	}
	walk(p.f.Array(p.form["Fields"]), 0)
}

func (p *preparation) stripOutlines() {
	for r, d := range bookmarks(p.f) {
		if b, changed := p.bare(d); changed {
			p.u.put(r, b)
		}
	}
}

func (p *preparation) stripFiles() {
	p.dropName("EmbeddedFiles")
	delete(p.catalog, "AF")
}

// stripPage removes risky actions and attached files from one page. The page is
// rewritten only if it had any.
func (p *preparation) stripPage(n int) error {
	r := p.f.Pages()[n].Ref
	old := p.f.Dict(r)
	var kept array
	changed := false
	for _, v := range p.f.Array(old["Annots"]) {
		keep, direct := p.stripAnnotation(n, v)
		if !keep {
			changed = true
			continue
		}
		changed = changed || direct != nil
		if direct != nil {
			v = direct
		}
		kept = append(kept, v)
	}
	dropAA := p.spec.StripJavaScript && p.f.riskySet(old["AA"])
	if !changed && !dropAA {
		return nil
	}
	_, d, err := p.page(n)
	if err != nil {
		return err
	}
	if dropAA {
		delete(d, "AA")
	}
	p.annots[r.Number] = kept
	return nil
}

// stripAnnotation reports whether to keep an annotation of a page, and returns the
// replacement of one that is a direct object.
func (p *preparation) stripAnnotation(page int, v any) (keep bool, direct any) {
	d := p.f.Dict(v)
	if p.spec.StripEmbeddedFiles && p.f.Name(d["Subtype"]) == "FileAttachment" {
		return false, nil
	}
	b, changed := p.f.alike(d)
	b, risky := p.bare(b)
	r, indirect := v.(ref)
	if !indirect && p.replaced(page, d) {
		b, changed = b.Clone(), true
		p.hide(b)
	}
	b, replaced := p.makeRoom(r.Number, b)
	if !changed && !risky && !replaced {
		return true, nil
	}
	if indirect {
		p.u.put(r, b)
		return true, nil
	}
	return true, b
}

// untag removes the texts that stand for content that was removed from the structure of the document
// (ISO 32000-2 §14.9). If it can't be found there, the revision has no structure.
func (c covering) untag(tags []redact.Tag) {
	elements, ok := elementsOf(c.f, tags)
	if !ok {
		delete(c.catalog, "StructTreeRoot")
		delete(c.catalog, "MarkInfo")
		return
	}
	for _, e := range elements {
		if d, changed := withoutTexts(c.f.Dict(e)); changed {
			c.u.put(e, d)
		}
	}
}

// renameBookmarks removes text tags from the titles of bookmarks.
func (c covering) renameBookmarks() {
	for at, d := range bookmarks(c.f) {
		if title, changed := c.withoutTags(d["Title"]); changed {
			d = d.Clone()
			d["Title"] = title
			c.u.put(at, d)
		}
	}
}

// uncomment removes text tags from the descriptions of a page's annotations, such as that of a link
// over a tag.
func (c covering) uncomment(page document.Page) {
	all := c.annots[page.Ref.Number]
	for i, v := range all {
		d := c.f.Dict(v)
		text, changed := c.withoutTags(d["Contents"])
		if !changed {
			continue
		}
		d = d.Clone()
		d["Contents"] = text
		if at, ok := v.(ref); ok {
			c.u.put(at, d)
		} else {
			all[i] = d
		}
	}
}

// describe removes text tags from what the file says about itself.
func (c covering) describe() {
	info := c.f.Dict(c.f.Trailer["Info"]).Clone()
	renamed := false
	for key, v := range info {
		if text, changed := c.withoutTags(v); changed {
			info[key], renamed = text, true
		}
	}
	if renamed {
		maps.DeleteFunc(info, func(_ name, v any) bool { return compound(c.f.Resolve(v)) })
		c.u.trailer["Info"] = c.u.Add(info)
	}
	s, ok := c.f.Resolve(c.catalog["Metadata"]).(*reader.Stream)
	if !ok || c.spec.WithoutTags == nil {
		return
	}
	data, err := c.f.Decode(s)
	if err != nil {
		return // nobody else can read it either
	}
	if text := c.spec.WithoutTags(string(data)); text != string(data) {
		d := s.Dict.Clone()
		for _, key := range []name{"Filter", "DecodeParms", "Length"} {
			delete(d, key)
		}
		c.catalog["Metadata"] = c.u.Add(&object.Stream{Dict: d, Data: []byte(text)})
	}
}

// withoutTags returns a text without text tags, and whether it had any.
func (c covering) withoutTags(v any) (text object.String, changed bool) {
	s, ok := c.f.Resolve(v).(object.String)
	if !ok || c.spec.WithoutTags == nil {
		return nil, false
	}
	before := s.Text()
	after := c.spec.WithoutTags(before)
	return object.TextString(after), after != before
}

// renameBookmarks replaces the titles of bookmarks that mention what was removed.
func (r *redaction) renameBookmarks() {
	for at, d := range bookmarks(r.f) {
		if r.mentions(r.f.Text(d["Title"])) {
			d = d.Clone()
			d["Title"] = object.TextString("█")
			r.changed[at.Number] = d
		}
	}
}

// untag removes the texts that stand for content that was removed from the structure of the document.
// If it can't be found there, the copy has no structure.
func (r *redaction) untag(tags []redact.Tag) {
	elements, ok := elementsOf(r.f, tags)
	r.bare = !ok
	for _, e := range elements {
		if d, changed := withoutTexts(r.f.Dict(e)); changed {
			r.changed[e.Number] = d
		}
	}
}

// standIns are the entries of an element of the structure with texts, or files, that stand for its content.
var standIns = []name{"ActualText", "Alt", "E", "T", "AF", "PhoneticAlphabet", "Phoneme"}

// withoutTexts returns an element of the structure without what stands for its content.
func withoutTexts(d dict) (bare dict, changed bool) {
	bare = d.Clone()
	maps.DeleteFunc(bare, func(key name, _ any) bool { return slices.Contains(standIns, key) })
	return bare, len(bare) < len(d)
}

// elementsOf returns the elements of the structure that have marked content, and those that these are in.
// If one of them can't be found, ok is false.
func elementsOf(f *File, tags []redact.Tag) (all []ref, ok bool) {
	root := f.Dict(f.Catalog()["StructTreeRoot"])
	if len(tags) == 0 || root == nil {
		return nil, true
	}
	parents := numberTree(f, root["ParentTree"])
	seen := map[int]bool{}
	for _, t := range tags {
		v := parents[t.StructParents]
		if t.MCID >= 0 {
			list := f.Array(v)
			if v = nil; t.MCID < len(list) {
				v = list[t.MCID]
			}
		}
		element, ok := v.(ref)
		if !ok {
			return nil, false
		}
		for ok && !seen[element.Number] {
			seen[element.Number] = true
			all = append(all, element)
			element, ok = f.Dict(element)["P"].(ref)
		}
	}
	return all, true
}

// bookmarks returns every bookmark once.
func bookmarks(f *File) iter.Seq2[ref, dict] {
	return func(yield func(ref, dict) bool) {
		seen := map[int]bool{}
		queue := []any{f.Dict(f.Catalog()["Outlines"])["First"]}
		for len(queue) > 0 {
			at, ok := queue[0].(ref)
			queue = queue[1:]
			if !ok || seen[at.Number] {
				continue
			}
			seen[at.Number] = true
			d := f.Dict(at)
			if !yield(at, d) {
				return
			}
			queue = append(queue, d["First"], d["Next"])
		}
	}
}

// numberTree returns the values of a number tree (ISO 32000-2 §7.9.7).
func numberTree(f *File, v any) map[int]any {
	out := map[int]any{}
	seen := map[int]bool{}
	var walk func(v any, depth int)
	walk = func(v any, depth int) {
		r, ok := v.(ref)
		if ok && seen[r.Number] || depth > document.FieldDepth {
			return
		}
		seen[r.Number] = ok
		d := f.Dict(v)
		for pairs := f.Array(d["Nums"]); len(pairs) >= 2; pairs = pairs[2:] {
			if key, ok := f.Int(pairs[0]); ok && f.Spend(visitCost) == nil {
				out[int(key)] = pairs[1]
			}
		}
		for _, k := range f.Array(d["Kids"]) {
			walk(k, depth+1)
		}
	}
	walk(v, 0)
	return out
}
