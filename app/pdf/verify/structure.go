package verify

import (
	"paraph/app/pdf/document"
	"slices"
)

// A Kind is a role that an object can have in the structure of a document.
type Kind uint8

const (
	KindCatalog    Kind = iota + 1 // the root of the document
	KindNode                       // a node of the page tree, or the list of its kids
	KindPage                       //
	KindAnnots                     // the list of a page's annotations
	KindAnnotation                 // widgets included
	KindForm                       // the form dictionary
	KindFields                     // a list of fields or widgets
	KindField                      // a terminal field
	KindWidget                     // a widget that is not the field itself
	KindGroup                      // a field with child fields
	KindResources                  // default resources of the form
	KindStore                      // the document security store
	KindVRI                        // its dictionary of entries by signature
	KindEntry                      // one of them
	KindList                       // a list of streams in one of these
	KindInfo                       //
	KindMetadata                   //
	KindLayer                      // an optional-content group
	KindPlain                      // extensions and mark information: contain no references
)

// A place is one role of an object.
type place struct {
	kind Kind
	page int // from 1, for roles that belong to a page
	// field is the number of the terminal field that a field, a widget or a list
	// of widgets belongs to.
	field int
}

// A structure records the roles of the objects of a revision. Objects without a
// role are reached through one that has a role.
type structure struct {
	f      *file
	tree   *pageStructure
	places map[int][]place // in addition to those of the tree
	fields []document.Field
	groups []document.Field
}

func newStructure(f *file, tree *pageStructure) *structure {
	s := &structure{f: f, tree: tree, places: map[int][]place{}}
	s.put(f.RootRef, place{kind: KindCatalog})
	s.put(f.Trailer["Info"], place{kind: KindInfo})
	catalog := f.Catalog()
	s.put(catalog["Metadata"], place{kind: KindMetadata})
	s.put(catalog["Extensions"], place{kind: KindPlain})
	s.put(catalog["MarkInfo"], place{kind: KindPlain})
	for _, v := range f.Array(f.Dict(catalog["OCProperties"])["OCGs"]) {
		s.put(v, place{kind: KindLayer})
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

func (s *structure) plays(n int, kinds ...Kind) bool {
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
	s.put(v, place{kind: KindForm})
	form := f.Dict(v)
	s.put(form["Fields"], place{kind: KindFields})
	s.put(form["DR"], place{kind: KindResources})
	for _, v := range f.Dict(form["DR"]) {
		s.put(v, place{kind: KindResources})
	}
	s.fields = f.Fields()
	s.groups = f.Groups()
	for i := range s.groups {
		s.put(s.groups[i].Ref, place{kind: KindGroup})
		s.put(s.groups[i].Dict["Kids"], place{kind: KindFields})
	}
	for i := range s.fields {
		fd := &s.fields[i]
		n := fd.Ref.Number
		s.put(fd.Ref, place{kind: KindField, field: n})
		s.put(fd.Dict["Kids"], place{kind: KindFields, field: n})
		for _, w := range fd.Widgets {
			if w.Ref != fd.Ref {
				s.put(w.Ref, place{kind: KindWidget, field: n})
			}
		}
	}
}

func (s *structure) store(v any) {
	f := s.f
	s.put(v, place{kind: KindStore})
	store := f.Dict(v)
	for _, k := range storeLists {
		s.put(store[k], place{kind: KindList})
	}
	s.put(store["VRI"], place{kind: KindVRI})
	for _, e := range f.Dict(store["VRI"]) {
		s.put(e, place{kind: KindEntry})
		for _, k := range entryLists {
			s.put(f.Dict(e)[k], place{kind: KindList})
		}
	}
}

// field returns the terminal field with the given number.
func (s *structure) field(n int) *document.Field {
	for i := range s.fields {
		if s.fields[i].Ref.Number == n {
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
	document.Page
	in document.Inherited
}

func newPageStructure(f *file) *pageStructure {
	s := &pageStructure{places: map[int][]place{}}
	s.err = f.EachPage(func(r ref, d dict, in document.Inherited) error {
		if len(s.pages) >= f.Limits.Pages {
			return f.Over("more than %d pages", f.Limits.Pages)
		}
		s.pages = append(s.pages, pageState{f.PageOf(r, in), in})
		number := len(s.pages)
		s.put(r, place{kind: KindPage, page: number})
		s.put(d["Annots"], place{kind: KindAnnots, page: number})
		for _, v := range f.Array(d["Annots"]) {
			s.put(v, place{kind: KindAnnotation, page: number})
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
func (s *pageStructure) nodes(f *file) {
	seen := map[int]bool{}
	var walk func(v any, depth int)
	walk = func(v any, depth int) {
		r, ok := v.(ref)
		if !ok || seen[r.Number] || depth > document.PageTreeDepth || s.is(r.Number, KindPage) {
			return
		}
		seen[r.Number] = true
		d := f.Dict(r)
		s.put(r, place{kind: KindNode})
		s.put(d["Kids"], place{kind: KindNode})
		for _, k := range f.Array(d["Kids"]) {
			walk(k, depth+1)
		}
	}
	walk(f.Catalog()["Pages"], 0)
}

func (s *pageStructure) is(n int, k Kind) bool {
	return slices.ContainsFunc(s.places[n], func(p place) bool { return p.kind == k })
}

// holds reports whether the structure of the pages is unaffected by redefining
// these objects: none of them has a role in it other than annotation.
func (s *pageStructure) holds(touched []int) bool {
	return s.err == nil && !slices.ContainsFunc(touched, func(n int) bool {
		return slices.ContainsFunc(s.places[n], func(p place) bool { return p.kind != KindAnnotation })
	})
}
