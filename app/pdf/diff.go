package pdf

import (
	"bytes"
	"io"
	"maps"
	"slices"

	"paraph/app/pdf/object"
)

// A comparer compares revisions one after the other.
type comparer struct {
	// dangling are the objects that something refers to though they do not
	// exist: adding one changes what refers to it.
	dangling map[int]bool
}

// A pair is two successive revisions and what differs between them.
type pair struct {
	old, new *File
	// changed are the objects that read differently, by number. Those that are
	// new and that nothing old refers to are not among them.
	changed map[int]bool
	out     []change
	pages   [2][]Page // of old and new, once they are needed
}

// compare lists what differs between two revisions.
func (c *comparer) compare(older, newer *File) ([]change, error) {
	if c.dangling == nil {
		c.dangling = map[int]bool{}
		older.eachObject(func(n int) { c.refs(older, older.object(n)) })
		c.settle(older)
	}
	p := &pair{old: older, new: newer, changed: map[int]bool{}}
	touched := p.touched()
	for _, n := range touched {
		p.look(n, c.dangling[n])
	}
	for _, n := range touched {
		c.refs(newer, newer.object(n))
	}
	c.settle(newer)
	p.classify()
	if err := newer.fault; err != nil {
		return nil, err
	}
	return p.out, nil
}

// refs adds what v refers to; settle takes out what exists.
func (c *comparer) refs(f *File, v any) {
	switch x := v.(type) {
	case ref:
		if f.xref.get(x.Number).kind < entryPlain {
			c.dangling[x.Number] = true
		}
	case array:
		for _, e := range x {
			c.refs(f, e)
		}
	case dict:
		for _, e := range x {
			c.refs(f, e)
		}
	case *source:
		c.refs(f, x.dict)
	}
}

func (c *comparer) settle(f *File) {
	maps.DeleteFunc(c.dangling, func(n int, _ bool) bool { return f.xref.get(n).kind >= entryPlain })
}

// eachObject calls visit for the number of every object that exists.
func (f *File) eachObject(visit func(n int)) {
	for _, b := range slices.Sorted(maps.Keys(f.xref.blocks)) {
		for i, e := range f.xref.blocks[b] {
			if e.kind >= entryPlain && f.fault == nil {
				visit(b*blockSize + i)
			}
		}
	}
}

// touched lists the objects whose cross-reference entries differ.
func (p *pair) touched() []int {
	blocks := map[int]bool{}
	for b := range p.old.xref.blocks {
		blocks[b] = true
	}
	for b := range p.new.xref.blocks {
		blocks[b] = true
	}
	var out []int
	for _, b := range slices.Sorted(maps.Keys(blocks)) {
		for n := b * blockSize; n < (b+1)*blockSize; n++ {
			if p.differs(n) {
				out = append(out, n)
			}
		}
	}
	return out
}

func (p *pair) differs(n int) bool {
	a, b := p.old.xref.get(n), p.new.xref.get(n)
	if a.kind < entryPlain && b.kind < entryPlain {
		return false
	}
	if a != b {
		return true
	}
	return a.kind == entryCompressed && p.old.xref.get(int(a.at)) != p.new.xref.get(int(a.at))
}

// look notes an object that reads differently in the newer revision.
func (p *pair) look(n int, awaited bool) {
	a, b := p.old.xref.get(n), p.new.xref.get(n)
	was := p.old.object(n)
	if b.kind == entryPlain && b.at < p.old.size {
		// An honest revision refers to bytes of its own.
		if !p.same(was, p.new.object(n)) {
			p.out = append(p.out, change{kind: ChangeHidden, number: n})
		}
		return
	}
	if a.kind < entryPlain && !awaited {
		return
	}
	if isContainer(was) && a.kind == entryPlain && isContainer(p.new.object(n)) {
		return
	}
	if !p.same(was, p.new.object(n)) {
		p.changed[n] = true
	}
}

// isContainer says whether an object is one that only holds others.
func isContainer(v any) bool {
	s, ok := v.(*source)
	return ok && (s.dict.Name("Type") == "ObjStm" || s.dict.Name("Type") == "XRef")
}

// same says whether two values read the same. References are the same when
// their numbers are: what they refer to is compared by itself.
func (p *pair) same(a, b any) bool {
	switch x := a.(type) {
	case *source:
		y, ok := b.(*source)
		return ok && p.sameDict(x.dict, y.dict, "Length") && p.sameData(x, y)
	case dict:
		y, ok := b.(dict)
		return ok && p.sameDict(x, y, "")
	case array:
		y, ok := b.(array)
		return ok && slices.EqualFunc(x, y, p.same)
	case object.String:
		y, ok := b.(object.String)
		return ok && bytes.Equal(x, y)
	case int64, float64:
		m, ok1 := object.Float(a)
		n, ok2 := object.Float(b)
		return ok1 && ok2 && m == n
	}
	switch b.(type) { // what can't be compared with ==
	case dict, array, object.String:
		return false
	}
	return a == b
}

func (p *pair) sameDict(a, b dict, except name) bool {
	return len(p.keys(a, b, except)) == 0
}

// keys lists the keys under which two dictionaries differ, sorted.
func (p *pair) keys(a, b dict, except name) []name {
	var out []name
	for k, v := range a {
		if k != except && !p.same(v, b[k]) {
			out = append(out, k)
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok && k != except {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

func (p *pair) sameData(a, b *source) bool {
	if a.length != b.length {
		return false
	}
	if a.at == b.at {
		return true
	}
	if p.new.spend(a.length) != nil {
		return false
	}
	x, y := p.old.open(a), p.new.open(b)
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
