package pdf

import (
	"maps"
	"slices"
)

// A comparer compares successive revisions of a file.
type comparer struct {
	file  *File // the newest revision
	graph *graph
	parts *structure
}

func newComparer(f *File) *comparer {
	return &comparer{file: f, graph: newGraph(f), parts: newStructure(f, newPageStructure(f))}
}

// A pair holds two successive revisions and their differences.
type pair struct {
	old, new *File
	graph    *graph // of old
	was, is  *structure
	// touched lists the objects that the newer revision defines, redefines or
	// frees; changed lists those of them that the older revision used and that
	// now read differently.
	touched []int
	changed map[int]bool
	out     []change
	dirty   map[int]bool // numbers of possibly changed fields
	led     map[int]bool // changed objects that were reachable before
}

// compare lists the changes of the next revision. Every redefined object must
// be accounted for in every place that referred to it before, by a rule that
// permits such a change in that place. Added objects must have unused numbers.
// Objects unreachable in both revisions do not count as changes.
func (c *comparer) compare(newer *File) ([]change, error) {
	newer.inherit(c.file)
	p := &pair{old: c.file, new: newer, graph: c.graph, was: c.parts, changed: map[int]bool{}, dirty: map[int]bool{}}
	p.find()
	tree := c.parts.tree
	if !tree.holds(p.touched) || newer.catalog()["Pages"] != p.old.catalog()["Pages"] {
		tree = newPageStructure(newer)
	}
	p.is = newStructure(newer, tree)
	p.contexts()
	p.unlisted()
	p.trailer()
	p.catalog()
	p.pages()
	p.form()
	c.graph.update(newer, p.touched)
	p.reused()
	c.file, c.parts = newer, p.is
	if err := newer.fault; err != nil {
		return nil, err
	}
	return p.out, nil
}

func (p *pair) add(c change) {
	if !slices.Contains(p.out, c) {
		p.out = append(p.out, c)
	}
}

// find computes touched and changed.
func (p *pair) find() {
	for _, b := range p.blocks() {
		for n := b * blockSize; n < (b+1)*blockSize; n++ {
			if p.differs(n) || p.graph.loose[n] {
				p.touched = append(p.touched, n)
			}
		}
	}
	for _, n := range p.touched {
		p.look(n)
	}
}

// blocks lists the blocks of object numbers in which either revision has
// entries.
func (p *pair) blocks() []int {
	blocks := map[int]bool{}
	for _, f := range []*File{p.old, p.new} {
		for b := range f.xref.blocks {
			blocks[b] = true
		}
	}
	return slices.Sorted(maps.Keys(blocks))
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

// look classifies what happened to a touched object.
func (p *pair) look(n int) {
	a, b := p.old.xref.get(n), p.new.xref.get(n)
	same := p.equal(p.old.object(n), p.new.object(n))
	switch {
	case a.kind == entryPlain && b.kind == entryPlain && a.gen != b.gen && len(p.graph.holders[n]) > 0:
		// Some readers treat references to the earlier generation as null.
		p.add(change{kind: ChangeOther, number: n, breaks: RuleAmbiguous})
	case same:
	case p.signedBytes(b):
		p.add(change{kind: ChangeHidden, number: n, breaks: RuleHidden})
	case !p.fresh(n):
		p.changed[n] = true
	}
	if a != b {
		p.ambiguous(n, b)
	}
}

// signedBytes reports whether an entry points into the bytes of the older
// revision. A legitimate revision refers to its own bytes.
func (p *pair) signedBytes(e entry) bool {
	if e.kind == entryCompressed {
		e = p.new.xref.get(int(e.at))
		return e.kind == entryPlain && e.at < p.old.size
	}
	return e.kind == entryPlain && e.at < p.old.size
}

// ambiguous reports an object that readers may interpret differently.
func (p *pair) ambiguous(n int, e entry) {
	if e.kind < entryPlain {
		return
	}
	o, err := p.new.load(n)
	if err == nil && (o.ambiguous || e.kind == entryPlain && o.ref.Generation != int(e.gen)) {
		p.add(change{kind: ChangeOther, number: n, breaks: RuleAmbiguous})
	}
}

// fresh reports whether the older revision neither used a number nor referred
// to it.
func (p *pair) fresh(n int) bool {
	return p.old.xref.get(n).kind < entryPlain && len(p.graph.holders[n]) == 0
}

// added reports whether v is a reference to a previously unused number.
func (p *pair) added(v any) bool {
	r, ok := v.(ref)
	return ok && p.fresh(r.Number)
}

// moved reports whether one value may replace another: it is direct, has the
// same number, or has a previously unused one.
func (p *pair) moved(was, is any) bool {
	r, ok := is.(ref)
	if !ok {
		return true
	}
	s, ok := was.(ref)
	return ok && r == s || p.fresh(r.Number)
}

// reused reports objects that were unreachable before and are in use now: a
// legitimate revision takes new numbers.
func (p *pair) reused() {
	after := &walker{graph: p.graph, parts: p.is}
	for _, n := range slices.Sorted(maps.Keys(p.changed)) {
		if !p.led[n] && len(p.was.of(n)) == 0 && after.reaches(n) {
			p.add(change{kind: ChangeOther, number: n, breaks: RuleNumberInUse})
		}
	}
}

// inherit takes over the objects that an earlier view of the same file has
// read.
func (f *File) inherit(older *File) {
	for n, v := range older.cache {
		if older.loading[n] || f.xref.get(n) != older.xref.get(n) {
			continue
		}
		if f.xref.get(n).kind != entryPlain || !settled(v) {
			continue
		}
		f.cache[n] = v
	}
	f.cached = older.cached
}

// settled reports whether a value reads the same in every revision. A stream
// may not, because another object may define its length.
func settled(v any) bool {
	s, ok := v.(*source)
	if !ok {
		return v != nil
	}
	_, direct := s.dict["Length"].(int64)
	return direct
}
