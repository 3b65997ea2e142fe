package pdf

import "slices"

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
	if p.spec.StripJavaScript || p.spec.StripEmbeddedFiles {
		for n := range p.f.pages {
			if err := p.stripPage(n); err != nil {
				return err
			}
		}
	}
	return p.f.Fault
}

// risky reports whether an action, or one chained to it, runs a script or
// launches something.
func (f *File) risky(v any, depth int) bool {
	d := f.Dict(v)
	if d == nil {
		return false
	}
	switch f.Name(d["S"]) {
	case "JavaScript", "Launch", "ImportData":
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
	p.stripFields()
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
			if !ok || seen[r.Number] || depth > fieldDepth {
				continue
			}
			seen[r.Number] = true
			d := p.f.Dict(r)
			if b, changed := p.bare(d); changed {
				p.u.put(r, b)
			}
			walk(p.f.Array(d["Kids"]), depth+1)
		}
	}
	walk(p.f.Array(p.form["Fields"]), 0)
}

func (p *preparation) stripOutlines() {
	seen := map[int]bool{}
	queue := []any{p.f.Dict(p.catalog["Outlines"])["First"]}
	for len(queue) > 0 {
		r, ok := queue[0].(ref)
		queue = queue[1:]
		if !ok || seen[r.Number] {
			continue
		}
		seen[r.Number] = true
		d := p.f.Dict(r)
		if b, changed := p.bare(d); changed {
			p.u.put(r, b)
		}
		queue = append(queue, d["First"], d["Next"])
	}
}

func (p *preparation) stripFiles() {
	p.dropName("EmbeddedFiles")
	delete(p.catalog, "AF")
	delete(p.catalog, "Collection")
}

// stripPage removes risky actions and attached files from one page. The page is
// rewritten only if it had any.
func (p *preparation) stripPage(n int) error {
	r := p.f.pages[n].ref
	old := p.f.Dict(r)
	var kept array
	changed := false
	for _, v := range p.f.Array(old["Annots"]) {
		keep, direct := p.stripAnnotation(v)
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

// stripAnnotation reports whether to keep an annotation, and returns the
// replacement of one that is a direct object.
func (p *preparation) stripAnnotation(v any) (keep bool, direct any) {
	d := p.f.Dict(v)
	if p.spec.StripEmbeddedFiles && p.f.Name(d["Subtype"]) == "FileAttachment" {
		return false, nil
	}
	if !p.spec.StripJavaScript {
		return true, nil
	}
	b, changed := p.bare(d)
	if !changed {
		return true, nil
	}
	if r, ok := v.(ref); ok {
		p.u.put(r, b)
		return true, nil
	}
	return true, b
}
