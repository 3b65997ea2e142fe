package pdf

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
var edges = map[kind]map[name][]kind{
	0: {"Root": {kindCatalog}, "Info": {kindInfo}},
	kindCatalog: {
		"Pages": {kindNode}, "Metadata": {kindMetadata}, "Extensions": {kindPlain}, "MarkInfo": {kindPlain},
		// Both may be direct objects in the catalog.
		"AcroForm": {kindForm, kindFields, kindField, kindGroup, kindResources},
		"DSS":      {kindStore, kindVRI, kindEntry, kindList},
	},
	kindNode:       {"Kids": {kindNode, kindPage}, "": {kindNode, kindPage}, "Parent": {kindNode}},
	kindPage:       {"Annots": {kindAnnots, kindAnnotation}, "Parent": {kindNode}},
	kindAnnots:     {"": {kindAnnotation}},
	kindAnnotation: {"Popup": {kindAnnotation}, "Parent": {kindAnnotation, kindField, kindGroup}, "IRT": {kindAnnotation}, "P": {kindPage}},
	kindForm:       {"Fields": {kindFields, kindField, kindGroup}, "CO": {kindField, kindGroup}, "DR": {kindResources}},
	kindFields:     {"": {kindField, kindGroup, kindWidget}},
	kindGroup:      {"Kids": {kindFields, kindField, kindGroup}, "Parent": {kindGroup}},
	kindField:      {"Kids": {kindFields, kindWidget}, "Parent": {kindGroup}, "P": {kindPage}},
	kindWidget:     {"Parent": {kindField}, "P": {kindPage}},
	kindStore:      {"Certs": {kindList}, "CRLs": {kindList}, "OCSPs": {kindList}, "VRI": {kindVRI, kindEntry, kindList}},
	kindEntry:      {"Cert": {kindList}, "CRL": {kindList}, "OCSP": {kindList}},
}

// isEdge reports whether an entry refers to an object in the role recorded in the
// structure.
func isEdge(holder kind, key name, places []place) bool {
	is := func(kinds ...kind) bool {
		return slices.ContainsFunc(places, func(x place) bool { return slices.Contains(kinds, x.kind) })
	}
	switch {
	case holder == kindVRI:
		return is(kindEntry, kindList)
	case holder == kindResources || holder == kindForm && key == "DR":
		return is(kindResources)
	}
	return is(edges[holder][key]...)
}

// isLink reports whether a context merely points to an object that has a role.
// What may change in a page or the catalog has a meaning only in its own place;
// the same holds for a field that has only field entries.
func isLink(f *File, n int, places []place, holder place, c route) bool {
	return !slices.ContainsFunc(places, func(x place) bool {
		switch x.kind {
		case kindPage, kindCatalog:
			return false
		case kindField, kindWidget, kindGroup, kindAnnotation:
			tagged := holder.kind == kindCatalog && c.key == "StructTreeRoot"
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
	case kindCatalog:
		if c.key == "StructTreeRoot" {
			return p.tags(n)
		}
		broken.kind = ChangeCatalog
	case kindNode:
		broken.kind = ChangePageTree
		if c.key == "Resources" {
			broken.kind = ChangePageContent
		}
	case kindPage:
		broken.kind = ChangePageContent
		if slices.Contains([]name{"AA", "B", "Metadata", "PieceInfo", "Annots", "Parent", "Thumb", "AF", "DPart"}, c.key) {
			broken.kind = ChangePage
		}
	case kindAnnots, kindAnnotation:
		if p.is.plays(c.holder, kindField, kindWidget) || p.was.plays(c.holder, kindField, kindWidget) {
			return nil // decided by its role as a field
		}
		return &change{kind: ChangeAnnotation, number: n, page: h.page, by: RuleAnnotations}
	case kindField, kindWidget:
		return p.withinField(n, h, c)
	case kindGroup, kindFields:
		broken.kind = ChangeField
	case kindForm, kindResources:
		broken.kind = ChangeForm
		if h.kind == kindResources {
			broken.key = "DR"
		}
	case kindStore, kindVRI, kindEntry, kindList:
		broken.kind = ChangeDSS
	case kindInfo, kindMetadata:
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
	if c.key == "AP" || c.key == "V" && fd.kind != "Sig" {
		p.dirty[h.field] = true
		return nil
	}
	out := change{
		kind: ChangeField, number: n, page: p.was.pageOf(c.holder), field: fd.name, key: c.key, breaks: RuleNone,
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
		sameType := was == is && (is != 's' || x.kind == kindMetadata)
		if sameType || x.kind == kindAnnotation && x.field == 0 && len(places) == 1 {
			continue
		}
		c := change{kind: ChangeOther, number: n, page: x.page, breaks: RuleTwoRoles}
		if fd := p.was.field(x.field); fd != nil {
			c.kind, c.field = ChangeField, fd.name
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
