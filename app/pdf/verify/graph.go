package verify

import (
	"fmt"
	"maps"
	"paraph/app/pdf/reader"
	"slices"
)

// A graph records which objects of a revision refer to which. The trailer has
// number 0, which no object uses.
type graph struct {
	refs    map[int][]int // the numbers that an object refers to
	holders map[int][]int // the objects that refer to a number
	// unreadable are unreadable objects. They may extend past the end of the file, or
	// lie behind it, and change when something is appended.
	unreadable map[int]bool
	// signatures are possible signatures.
	signatures map[int]bool
}

// newGraph reads every object of a revision.
func newGraph(f *file) *graph {
	g := &graph{refs: map[int][]int{}, holders: map[int][]int{}, unreadable: map[int]bool{}, signatures: map[int]bool{}}
	f.eachObject(func(n int) { g.set(f, n) })
	g.setTrailer(f)
	return g
}

// update brings the graph up to date with a newer revision that redefines the
// touched objects.
func (g *graph) update(f *file, touched []int) {
	for _, n := range touched {
		g.set(f, n)
	}
	g.setTrailer(f)
}

func (g *graph) set(f *file, n int) {
	delete(g.unreadable, n)
	delete(g.signatures, n)
	if f.Xref.Get(n).Kind < reader.EntryPlain {
		g.connect(n, nil)
		return
	}
	o, err := f.Load(n)
	if err != nil {
		g.unreadable[n] = true
		g.connect(n, nil)
		return
	}
	f.Keep(n, o)
	g.connect(n, o.Value)
	if d, ok := o.Value.(dict); ok && d["ByteRange"] != nil && d["Contents"] != nil {
		g.signatures[n] = true
	}
}

// setTrailer adds the references of the trailer. Nonstandard entries count only
// if their target exists: some writers leave numbers there that are later
// assigned to other objects.
func (g *graph) setTrailer(f *file) {
	t := dict{}
	for k, v := range f.Trailer {
		switch {
		case slices.Contains(trailerEntries, k):
			t[k] = v
		case !slices.Contains(sectionEntries, k):
			eachRef(v, func(r ref) {
				if f.Xref.Get(r.Number).Kind >= reader.EntryPlain {
					t[k+name(fmt.Sprint(r.Number))] = r
				}
			})
		}
	}
	g.connect(0, t)
}

// connect replaces the references of an object.
func (g *graph) connect(n int, v any) {
	for _, to := range g.refs[n] {
		g.holders[to] = slices.DeleteFunc(g.holders[to], func(h int) bool { return h == n })
		if len(g.holders[to]) == 0 {
			delete(g.holders, to)
		}
	}
	delete(g.refs, n)
	var out []int
	eachRef(v, func(r ref) { out = append(out, r.Number) })
	if len(out) == 0 {
		return
	}
	slices.Sort(out)
	out = slices.Clip(slices.Compact(out))
	g.refs[n] = out
	for _, to := range out {
		g.holders[to] = append(g.holders[to], n)
	}
}

// eachRef calls visit with every reference in a value.
func eachRef(v any, visit func(ref)) {
	switch x := v.(type) {
	case ref:
		visit(x)
	case array:
		for _, e := range x {
			eachRef(e, visit)
		}
	case dict:
		for _, e := range x {
			eachRef(e, visit)
		}
	case *reader.Stream:
		eachRef(x.Dict, visit)
	}
}

// mentions reports whether a value contains a reference to an object.
func mentions(v any, n int) bool {
	found := false
	eachRef(v, func(r ref) { found = found || r.Number == n })
	return found
}

// eachObject calls visit with the number of every existing object.
func (f *file) eachObject(visit func(n int)) {
	for _, b := range slices.Sorted(maps.Keys(f.Xref.Blocks)) {
		for i, e := range f.Xref.Blocks[b] {
			if e.Kind >= reader.EntryPlain && f.Fault == nil {
				visit(b*reader.BlockSize + i)
			}
		}
	}
}
