package pdf

import "slices"

// A kind is a role that an object can have in the structure of a document.
type kind uint8

const (
	kindCatalog    kind = iota + 1
	kindNode            // a node of the page tree, or the list of its kids
	kindPage            //
	kindAnnots          // the list of a page's annotations
	kindAnnotation      // widgets included
	kindForm            // the form dictionary
	kindFields          // a list of fields or widgets
	kindField           // a terminal field
	kindWidget          // a widget that is not the field itself
	kindGroup           // a field with child fields
	kindResources       // default resources of the form
	kindStore           // the document security store
	kindVRI             // its dictionary of entries by signature
	kindEntry           // one of them
	kindList            // a list of streams in one of these
	kindInfo            //
	kindMetadata        //
	kindLayer           // an optional-content group
	kindPlain           // extensions and mark information: contain no references
)

// A place is one role of an object.
type place struct {
	kind kind
	page int // from 1, for roles that belong to a page
	// field is the number of the terminal field that a field, a widget or a list
	// of widgets belongs to.
	field int
}

// A structure records the roles of the objects of a revision. Objects without a
// role are reached through one that has a role.
type structure struct {
	f      *File
	tree   *pageStructure
	places map[int][]place // in addition to those of the tree
	fields []field
	groups []field
}

func newStructure(f *File, tree *pageStructure) *structure {
	s := &structure{f: f, tree: tree, places: map[int][]place{}}
	s.put(f.RootRef, place{kind: kindCatalog})
	s.put(f.Trailer["Info"], place{kind: kindInfo})
	catalog := f.Catalog()
	s.put(catalog["Metadata"], place{kind: kindMetadata})
	s.put(catalog["Extensions"], place{kind: kindPlain})
	s.put(catalog["MarkInfo"], place{kind: kindPlain})
	for _, v := range f.Array(f.Dict(catalog["OCProperties"])["OCGs"]) {
		s.put(v, place{kind: kindLayer})
	}
	s.form(catalog["AcroForm"])
	s.store(catalog["DSS"])
	return s
}

// put records a role of the object that v refers to.
func (s *structure) put(v any, p place) {
	r, ok := v.(ref)
	if !ok || slices.Contains(s.places[r.Number], p) {
		return
	}
	s.places[r.Number] = append(s.places[r.Number], p)
}

// of returns the roles of an object.
func (s *structure) of(n int) []place {
	tree := s.tree.places[n]
	if len(tree) == 0 {
		return s.places[n]
	}
	return append(slices.Clone(tree), s.places[n]...)
}

func (s *structure) plays(n int, kinds ...kind) bool {
	return slices.ContainsFunc(s.of(n), func(p place) bool { return slices.Contains(kinds, p.kind) })
}

// pageOf returns the page on which an object is an annotation, from 1, or 0.
func (s *structure) pageOf(n int) int {
	for _, p := range s.tree.places[n] {
		if p.page > 0 {
			return p.page
		}
	}
	return 0
}

func (s *structure) form(v any) {
	f := s.f
	s.put(v, place{kind: kindForm})
	form := f.Dict(v)
	s.put(form["Fields"], place{kind: kindFields})
	s.put(form["DR"], place{kind: kindResources})
	for _, v := range f.Dict(form["DR"]) {
		s.put(v, place{kind: kindResources})
	}
	s.fields = f.fields()
	s.groups = f.groupList
	for i := range s.groups {
		s.put(s.groups[i].ref, place{kind: kindGroup})
		s.put(s.groups[i].dict["Kids"], place{kind: kindFields})
	}
	for i := range s.fields {
		fd := &s.fields[i]
		n := fd.ref.Number
		s.put(fd.ref, place{kind: kindField, field: n})
		s.put(fd.dict["Kids"], place{kind: kindFields, field: n})
		for _, w := range fd.widgets {
			if w.ref != fd.ref {
				s.put(w.ref, place{kind: kindWidget, field: n})
			}
		}
	}
}

func (s *structure) store(v any) {
	f := s.f
	s.put(v, place{kind: kindStore})
	store := f.Dict(v)
	for _, k := range storeLists {
		s.put(store[k], place{kind: kindList})
	}
	s.put(store["VRI"], place{kind: kindVRI})
	for _, e := range f.Dict(store["VRI"]) {
		s.put(e, place{kind: kindEntry})
		for _, k := range entryLists {
			s.put(f.Dict(e)[k], place{kind: kindList})
		}
	}
}

// field returns the terminal field with the given number.
func (s *structure) field(n int) *field {
	for i := range s.fields {
		if s.fields[i].ref.Number == n {
			return &s.fields[i]
		}
	}
	return nil
}

// A pageStructure is the part of a structure that belongs to pages.
type pageStructure struct {
	pages  []pageState
	places map[int][]place
	err    error // the tree can't be read completely
}

type pageState struct {
	Page
	in inherited
}

func newPageStructure(f *File) *pageStructure {
	s := &pageStructure{places: map[int][]place{}}
	s.err = f.eachPage(func(r ref, d dict, in inherited) error {
		if len(s.pages) >= f.Limits.Pages {
			return f.Over("more than %d pages", f.Limits.Pages)
		}
		s.pages = append(s.pages, pageState{f.page(r, in), in})
		number := len(s.pages)
		s.put(r, place{kind: kindPage, page: number})
		s.put(d["Annots"], place{kind: kindAnnots, page: number})
		for _, v := range f.Array(d["Annots"]) {
			s.put(v, place{kind: kindAnnotation, page: number})
		}
		return nil
	})
	s.nodes(f)
	return s
}

func (s *pageStructure) put(v any, p place) {
	r, ok := v.(ref)
	if !ok || slices.Contains(s.places[r.Number], p) {
		return
	}
	s.places[r.Number] = append(s.places[r.Number], p)
}

// nodes records everything above the pages.
func (s *pageStructure) nodes(f *File) {
	seen := map[int]bool{}
	var walk func(v any, depth int)
	walk = func(v any, depth int) {
		r, ok := v.(ref)
		if !ok || seen[r.Number] || depth > pageTreeDepth || s.is(r.Number, kindPage) {
			return
		}
		seen[r.Number] = true
		d := f.Dict(r)
		s.put(r, place{kind: kindNode})
		s.put(d["Kids"], place{kind: kindNode})
		for _, k := range f.Array(d["Kids"]) {
			walk(k, depth+1)
		}
	}
	walk(f.Catalog()["Pages"], 0)
}

func (s *pageStructure) is(n int, k kind) bool {
	return slices.ContainsFunc(s.places[n], func(p place) bool { return p.kind == k })
}

// holds reports whether the structure of the pages is unaffected by redefining
// these objects: none of them has a role in it other than annotation.
func (s *pageStructure) holds(touched []int) bool {
	return s.err == nil && !slices.ContainsFunc(touched, func(n int) bool {
		return slices.ContainsFunc(s.places[n], func(p place) bool { return p.kind != kindAnnotation })
	})
}
