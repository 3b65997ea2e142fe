package verify

import (
	"bytes"
	"io"
	"slices"

	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// An equality compares values of two revisions by meaning. An equal object
// under another number is no difference unless it has a role: pages, fields and
// layers have an identity. Two references to the same number are equal, because
// the object is judged separately; if deep is set, they are followed anyway.
type equality struct {
	both  *revisions
	deep  bool
	seen  map[[2]int]bool // pairs of objects under comparison, which count as equal
	depth int
	left  int
}

// equalSteps bounds the work of one comparison. Values not found equal within
// it count as different.
const (
	equalSteps = 200_000
	equalDepth = 400
	equalPause = 1000 // steps between checks of the context
)

func (p *revisions) equal(a, b any) bool {
	e := equality{both: p, left: equalSteps}
	return e.same(a, b)
}

func (p *revisions) deepEqual(a, b any) bool {
	e := equality{both: p, deep: true, left: equalSteps}
	return e.same(a, b)
}

func (e *equality) same(a, b any) bool {
	if e.left--; e.left < 0 || e.depth > equalDepth {
		return false
	}
	if e.left%equalPause == 0 && e.both.new.Budget != nil && e.both.new.Stop() != nil {
		return false
	}
	e.depth++
	defer func() { e.depth-- }()
	r, isRef := a.(ref)
	s, alsoRef := b.(ref)
	if isRef || alsoRef {
		return e.sameObject(r, s, isRef && alsoRef, a, b)
	}
	switch x := a.(type) {
	case *reader.Stream:
		y, ok := b.(*reader.Stream)
		return ok && e.sameDict(x.Dict, y.Dict, "Length") && e.both.sameData(x, y)
	case dict:
		y, ok := b.(dict)
		return ok && e.sameDict(x, y, "")
	case array:
		y, ok := b.(array)
		return ok && slices.EqualFunc(x, y, e.same)
	}
	return sameScalar(a, b)
}

// sameObject compares two values at least one of which is a reference.
func (e *equality) sameObject(r, s ref, refs bool, a, b any) bool {
	if refs {
		if r.Number == s.Number && (r.Generation != s.Generation || !e.deep) {
			return r.Generation == s.Generation
		}
		if r.Number != s.Number && len(e.both.was.of(r.Number)) > 0 {
			return false
		}
		key := [2]int{r.Number, s.Number}
		if e.seen[key] {
			return true
		}
		if e.seen == nil {
			e.seen = map[[2]int]bool{}
		}
		e.seen[key] = true
	}
	return e.same(e.both.old.Resolve(a), e.both.new.Resolve(b))
}

func sameScalar(a, b any) bool {
	switch x := a.(type) {
	case object.String:
		y, ok := b.(object.String)
		return ok && bytes.Equal(x, y)
	case int64, float64:
		m, ok1 := object.Float(a)
		n, ok2 := object.Float(b)
		return ok1 && ok2 && m == n
	}
	switch b.(type) { // types not comparable with ==
	case dict, array, object.String:
		return false
	}
	return a == b
}

func (e *equality) sameDict(a, b dict, except name) bool {
	for k, v := range a {
		if k != except && !e.same(v, b[k]) {
			return false
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok && k != except {
			return false
		}
	}
	return true
}

// keys returns the sorted keys under which two dictionaries differ.
func (p *revisions) keys(a, b dict) []name {
	var out []name
	for k, v := range a {
		if !p.equal(v, b[k]) {
			out = append(out, k)
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

func (p *revisions) sameData(a, b *reader.Stream) bool {
	if a.Length != b.Length {
		return false
	}
	if a.At == b.At {
		return true
	}
	if p.new.Spend(a.Length) != nil {
		return false
	}
	x, y := p.old.Open(a), p.new.Open(b)
	bx, by := make([]byte, 32<<10), make([]byte, 32<<10)
	for {
		n, err1 := io.ReadFull(x, bx)
		m, err2 := io.ReadFull(y, by)
		if n != m || !bytes.Equal(bx[:n], by[:m]) {
			return false
		}
		if err1 != nil || err2 != nil {
			return err1 == err2
		}
	}
}
