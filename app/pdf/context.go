package pdf

import (
	"maps"
	"slices"
)

// A route is one way in which an object was reached: from an entry of an
// object that plays a part in the structure, or of the trailer.
type route struct {
	holder int // 0 is the trailer
	key    name
	child  int // the object that the entry refers to
}

// A walker goes up from objects to what leads to them.
type walker struct {
	graph *graph
	parts *structure
}

// each calls visit with every context of an object until it returns false. An
// object that plays a part is not gone through: who holds it matters for itself.
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

// reaches says whether anything leads to an object.
func (w *walker) reaches(n int) bool {
	found := false
	w.each(n, func(route) bool {
		found = true
		return false
	})
	return found
}

// keysTo lists the entries of an object that refer to another one; the only
// one of an array is "".
func (w *walker) keysTo(holder, n int) []name {
	var v any = w.parts.f.trailer
	if holder != 0 {
		v = w.parts.f.object(holder)
	}
	if s, ok := v.(*source); ok {
		v = s.dict
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

// contexts sees that every changed object is accounted for in all contexts
// that it had. What the comparison of the structure goes through by itself is.
func (p *pair) contexts() {
	before := &walker{graph: p.graph, parts: p.was}
	p.led = map[int]bool{}
	for _, n := range slices.Sorted(maps.Keys(p.changed)) {
		places := p.was.of(n)
		for _, x := range places {
			if x.field != 0 {
				p.dirty[x.field] = true
			}
		}
		before.each(n, func(c route) bool {
			p.led[n] = true
			found := p.context(n, places, c)
			if found == nil {
				return true
			}
			p.add(*found)
			return found.breaks == "" // one breach is enough
		})
		if p.led[n] || len(places) > 0 {
			p.parted(n, places)
		}
	}
}

// context is the change that an object means in one of its contexts, or nil
// where it is compared with its structure.
func (p *pair) context(n int, places []place, c route) *change {
	holders := []place{{}}
	if c.holder != 0 {
		holders = p.was.of(c.holder)
	}
	for _, h := range holders {
		if c.child == n && p.edge(h.kind, c.key, places) || len(places) > 0 && p.link(n, places, h, c) {
			continue
		}
		if found := p.within(n, h, c); found != nil {
			return found
		}
	}
	return nil
}

// edges are the entries of the structure, with what they lead to.
var edges = map[kind]map[name][]kind{
	0: {"Root": {kindCatalog}, "Info": {kindInfo}},
	kindCatalog: {
		"Pages": {kindNode}, "Metadata": {kindMetadata}, "Extensions": {kindPlain}, "MarkInfo": {kindPlain},
		// Either may be written out in the catalog itself.
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

// edge says whether an entry leads to an object as the structure has it.
func (p *pair) edge(holder kind, key name, places []place) bool {
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

// link says whether a context only points at an object that plays a part: what
// may change of a page or the catalog means nothing but in its own place, and
// so it is with a field that has no entry besides those of fields.
func (p *pair) link(n int, places []place, holder place, c route) bool {
	return !slices.ContainsFunc(places, func(x place) bool {
		switch x.kind {
		case kindPage, kindCatalog:
			return false
		case kindField, kindWidget, kindGroup, kindAnnotation:
			tagged := holder.kind == kindCatalog && c.key == "StructTreeRoot"
			return !tagged && !fieldOnly(p.old.object(n))
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

// fieldOnly says whether an object can be nothing but a field or a widget.
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

// within is the change that a changed object means below an entry of something
// that plays a part.
func (p *pair) within(n int, h place, c route) *change {
	broken := change{number: n, page: h.page, key: c.key, breaks: RuleNone}
	switch h.kind {
	case 0:
		if c.key == "Info" { // written out in the trailer
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
			return nil // its part as a field decides
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

// withinField is within for a field or widget: its appearances, and the value
// of one that is no signature, are compared with the field.
func (p *pair) withinField(n int, h place, c route) *change {
	fd := p.was.field(h.field)
	if c.key == "AP" || c.key == "V" && fd.kind != "Sig" {
		p.dirty[h.field] = true
		return nil
	}
	out := change{kind: ChangeField, number: n, page: p.was.pageOf(c.holder), field: fd.name, key: c.key, breaks: RuleNone}
	if c.key == "V" {
		out.breaks = RuleSignedField
	}
	return &out
}

// parted reports an object that plays a part and became something that can't:
// the comparison of the structure looks at dictionaries and lists only.
func (p *pair) parted(n int, places []place) {
	was, is := shape(p.old.object(n)), shape(p.new.object(n))
	for _, x := range places {
		if was == is && (is != 's' || x.kind == kindMetadata) || x.kind == kindAnnotation && x.field == 0 && len(places) == 1 {
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

// shape tells dictionaries, arrays and streams apart.
func shape(v any) byte {
	switch v.(type) {
	case dict:
		return 'd'
	case array:
		return 'a'
	case *source:
		return 's'
	}
	return 0
}
