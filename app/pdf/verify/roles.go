package verify

import (
	"slices"

	"paraph/app/pdf/document"
	"paraph/app/pdf/reader"
)

// Roles determines the roles of the objects of a file.
type Roles struct {
	f *file
	w *walker
}

// NewRoles reads every object of a file.
func NewRoles(opened *document.File) *Roles {
	f := &file{opened}
	return &Roles{f: f, w: &walker{graph: newGraph(f), parts: newStructure(f, newPageStructure(f))}}
}

// Missing returns the numbers of objects that are referred to but not there.
func (r *Roles) Missing() []int {
	var out []int
	for n := range r.w.graph.holders {
		if r.f.Xref.Get(n).Kind < reader.EntryPlain {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// Alone reports whether an object has only the given roles and is referred to
// only in these roles.
func (r *Roles) Alone(v any, kinds ...Kind) bool {
	at, ok := v.(ref)
	if !ok {
		return false
	}
	places := r.w.parts.of(at.Number)
	if slices.ContainsFunc(places, func(p place) bool { return !slices.Contains(kinds, p.kind) }) {
		return false
	}
	alone := true
	r.w.each(at.Number, func(c route) bool {
		holders := []place{{}}
		if c.holder != 0 {
			holders = r.w.parts.of(c.holder)
		}
		for _, h := range holders {
			alone = alone && (c.child == at.Number && isEdge(h.kind, c.key, places) || isLink(r.f, at.Number, places, h, c))
		}
		return alone
	})
	return alone
}
