package verify

import (
	"maps"
	"paraph/app/pdf/reader"
	"slices"
)

// A route is one way in which an object is reached: from an entry of the
// trailer or of an object with a role in the structure.
type route struct {
	holder int // 0 is the trailer
	key    name
	child  int // the object the entry refers to
}

// A walker walks from objects up to those that refer to them.
type walker struct {
	graph *graph
	parts *structure
}

// each calls visit with every context of an object until visit returns false.
// It does not walk up through objects that have a role, because those are
// judged in their own contexts.
func (w *walker) each(n int, visit func(route) bool) {
	seen := map[int]bool{n: true}
	queue := []int{n}
	for len(queue) > 0 {
		x := queue[0]
		queue = queue[1:]
		for _, h := range w.graph.holders[x] {
			if h != 0 && len(w.parts.of(h)) == 0 {
				if !seen[h] {
					seen[h] = true
					queue = append(queue, h)
				}
				continue
			}
			for _, k := range w.keysTo(h, x) {
				if !visit(route{holder: h, key: k, child: x}) {
					return
				}
			}
		}
	}
}

// reaches reports whether an object is reachable.
func (w *walker) reaches(n int) bool {
	found := false
	w.each(n, func(route) bool {
		found = true
		return false
	})
	return found
}

// keysTo lists the keys under which an object refers to another one. For an
// array the only key is "".
func (w *walker) keysTo(holder, n int) []name {
	var v any = w.parts.f.Trailer
	if holder != 0 {
		v = w.parts.f.Object(holder)
	}
	if s, ok := v.(*reader.Stream); ok {
		v = s.Dict
	}
	d, ok := v.(dict)
	if !ok {
		return []name{""}
	}
	var out []name
	for k, e := range d {
		if mentions(e, n) {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// contexts checks that every changed object is accounted for in all its
// previous contexts. Contexts that the structure comparison covers are skipped.
func (p *pair) contexts() {
	before := &walker{graph: p.graph, parts: p.was}
	p.wasReachable = map[int]bool{}
	for _, n := range slices.Sorted(maps.Keys(p.changed)) {
		places := p.was.of(n)
		for _, x := range places {
			if x.field != 0 {
				p.dirty[x.field] = true
			}
		}
		before.each(n, func(c route) bool {
			p.wasReachable[n] = true
			found := p.context(n, places, c)
			if found == nil {
				return true
			}
			p.add(*found)
			return found.breaks == "" // one violation is enough
		})
		if p.wasReachable[n] || len(places) > 0 {
			p.retyped(n, places)
		}
	}
}

// context returns the change that an object represents in one of its contexts,
// or nil if the structure comparison covers it.
func (p *pair) context(n int, places []place, c route) *change {
	holders := []place{{}}
	if c.holder != 0 {
		holders = p.was.of(c.holder)
	}
	for _, h := range holders {
		if c.child == n && isEdge(h.kind, c.key, places) || len(places) > 0 && isLink(p.old, n, places, h, c) {
			continue
		}
		if found := p.within(n, h, c); found != nil {
			return found
		}
	}
	return nil
}

// edges maps the entries of the structure to the kinds of objects they refer
// to.
var edges = map[Kind]map[name][]Kind{
	0: {"Root": {KindCatalog}, "Info": {KindInfo}},
	KindCatalog: {
		"Pages": {KindNode}, "Metadata": {KindMetadata}, "Extensions": {KindPlain}, "MarkInfo": {KindPlain},
		// Both may be direct objects in the catalog.
		"AcroForm": {KindForm, KindFields, KindField, KindGroup, KindResources},
		"DSS":      {KindStore, KindVRI, KindEntry, KindList},
	},
	KindNode:       {"Kids": {KindNode, KindPage}, "": {KindNode, KindPage}, "Parent": {KindNode}},
	KindPage:       {"Annots": {KindAnnots, KindAnnotation}, "Parent": {KindNode}},
	KindAnnots:     {"": {KindAnnotation}},
	KindAnnotation: {"Popup": {KindAnnotation}, "Parent": {KindAnnotation, KindField, KindGroup}, "IRT": {KindAnnotation}, "P": {KindPage}},
	KindForm:       {"Fields": {KindFields, KindField, KindGroup}, "CO": {KindField, KindGroup}, "DR": {KindResources}},
	KindFields:     {"": {KindField, KindGroup, KindWidget}},
	KindGroup:      {"Kids": {KindFields, KindField, KindGroup}, "Parent": {KindGroup}},
	KindField:      {"Kids": {KindFields, KindWidget}, "Parent": {KindGroup}, "P": {KindPage}},
	KindWidget:     {"Parent": {KindField}, "P": {KindPage}},
	KindStore:      {"Certs": {KindList}, "CRLs": {KindList}, "OCSPs": {KindList}, "VRI": {KindVRI, KindEntry, KindList}},
	KindEntry:      {"Cert": {KindList}, "CRL": {KindList}, "OCSP": {KindList}},
}

// isEdge reports whether an entry refers to an object in the role recorded in the
// structure.
func isEdge(holder Kind, key name, places []place) bool {
	is := func(kinds ...Kind) bool {
		return slices.ContainsFunc(places, func(x place) bool { return slices.Contains(kinds, x.kind) })
	}
	switch {
	case holder == KindVRI:
		return is(KindEntry, KindList)
	case holder == KindResources || holder == KindForm && key == "DR":
		return is(KindResources)
	}
	return is(edges[holder][key]...)
}

// isLink reports whether a context merely points to an object that has a role.
// What may change in a page or the catalog has a meaning only in its own place;
// the same holds for a field that has only field entries.
func isLink(f *file, n int, places []place, holder place, c route) bool {
	return !slices.ContainsFunc(places, func(x place) bool {
		switch x.kind {
		case KindPage, KindCatalog:
			return false
		case KindField, KindWidget, KindGroup, KindAnnotation:
			tagged := holder.kind == KindCatalog && c.key == "StructTreeRoot"
			return !tagged && !fieldOnly(f.Object(n))
		}
		return true
	})
}

// fieldEntries are the entries of fields and their widgets (ISO 32000-2 §12.5.2,
// §12.5.6.19, §12.7.4).
var fieldEntries = []name{
	"Type", "Subtype", "FT", "T", "TU", "TM", "Ff", "V", "DV", "AA", "A", "DA", "Q", "DS", "RV", "Opt", "TI", "I",
	"MaxLen", "Lock", "SV", "Kids", "Parent", "Rect", "Contents", "P", "NM", "M", "F", "AP", "AS", "Border", "BS",
	"C", "StructParent", "OC", "AF", "ca", "CA", "BM", "Lang", "H", "MK",
}

// fieldOnly reports whether an object can only be a field or a widget.
func fieldOnly(v any) bool {
	d, ok := v.(dict)
	if !ok {
		return false
	}
	for k := range d {
		if !slices.Contains(fieldEntries, k) {
			return false
		}
	}
	return true
}

// within returns the change that a changed object represents below an entry of
// an object with a role.
func (p *pair) within(n int, h place, c route) *change {
	broken := change{number: n, page: h.page, key: c.key, breaks: RuleNone}
	switch h.kind {
	case 0:
		if c.key == "Info" { // direct in the trailer
			return &change{kind: ChangeMetadata, number: n, by: RuleMetadata}
		}
		broken.kind = ChangeOther
	case KindCatalog:
		if c.key == "StructTreeRoot" {
			return p.tags(n)
		}
		broken.kind = ChangeCatalog
	case KindNode:
		broken.kind = ChangePageTree
		if c.key == "Resources" {
			broken.kind = ChangePageContent
		}
	case KindPage:
		broken.kind = ChangePageContent
		if slices.Contains([]name{"AA", "B", "Metadata", "PieceInfo", "Annots", "Parent", "Thumb", "AF", "DPart"}, c.key) {
			broken.kind = ChangePage
		}
	case KindAnnots, KindAnnotation:
		if p.is.plays(c.holder, KindField, KindWidget) || p.was.plays(c.holder, KindField, KindWidget) {
			return nil // decided by its role as a field
		}
		return &change{kind: ChangeAnnotation, number: n, page: h.page, by: RuleAnnotations}
	case KindField, KindWidget:
		return p.withinField(n, h, c)
	case KindGroup, KindFields:
		broken.kind = ChangeField
	case KindForm, KindResources:
		broken.kind = ChangeForm
		if h.kind == KindResources {
			broken.key = "DR"
		}
	case KindStore, KindVRI, KindEntry, KindList:
		broken.kind = ChangeDSS
	case KindInfo, KindMetadata:
		return &change{kind: ChangeMetadata, number: n, by: RuleMetadata}
	default:
		broken.kind = ChangeCatalog
	}
	return &broken
}

// withinField is within for a field or widget. Its appearances, and its value
// unless it is a signature, are compared with the field.
func (p *pair) withinField(n int, h place, c route) *change {
	fd := p.was.field(h.field)
	if c.key == "AP" || c.key == "V" && fd.Kind != "Sig" {
		p.dirty[h.field] = true
		return nil
	}
	out := change{
		kind: ChangeField, number: n, page: p.was.pageOf(c.holder), field: fd.Name, key: c.key, breaks: RuleNone,
	}
	if c.key == "V" {
		out.breaks = RuleSignedField
	}
	return &out
}

// retyped reports an object whose type no longer fits its role: the structure
// comparison only looks at dictionaries and lists.
func (p *pair) retyped(n int, places []place) {
	was, is := shape(p.old.Object(n)), shape(p.new.Object(n))
	for _, x := range places {
		sameType := was == is && (is != 's' || x.kind == KindMetadata)
		if sameType || x.kind == KindAnnotation && x.field == 0 && len(places) == 1 {
			continue
		}
		c := change{kind: ChangeOther, number: n, page: x.page, breaks: RuleTwoRoles}
		if fd := p.was.field(x.field); fd != nil {
			c.kind, c.field = ChangeField, fd.Name
		}
		p.add(c)
		return
	}
}

// shape distinguishes dictionaries, arrays and streams.
func shape(v any) byte {
	switch v.(type) {
	case dict:
		return 'd'
	case array:
		return 'a'
	case *reader.Stream:
		return 's'
	}
	return 0
}
