package verify

import (
	"paraph/app/pdf/document"
	"slices"
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
