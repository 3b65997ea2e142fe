package pdf

import (
	"maps"
	"slices"
)

// A comparer compares the revisions of a file one after the other.
type comparer struct {
	file  *File // the last one
	graph *graph
	parts *structure
}

func newComparer(f *File) *comparer {
	return &comparer{file: f, graph: newGraph(f), parts: newStructure(f, newPageStructure(f))}
}

// A pair is two successive revisions and what differs between them.
type pair struct {
	old, new *File
	graph    *graph // of old
	was, is  *structure
	// touched are the objects that the newer revision defines, redefines or
	// frees; changed are those of them that the older one used, and that read
	// differently now.
	touched []int
	changed map[int]bool
	out     []change
	dirty   map[int]bool // numbers of fields of which something was changed
	led     map[int]bool // changed objects that something led to before
}

// compare lists what the next revision changes. Every object that it redefines
// must be accounted for in every place that led to it before, by a rule that
// permits such a change in that place; what it adds must have numbers that were
// not in use. Whatever nothing leads to, in either revision, changes nothing.
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

// find fills touched and changed.
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

// blocks lists the blocks of numbers that either revision has entries in.
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

// look finds out what became of a touched object.
func (p *pair) look(n int) {
	a, b := p.old.xref.get(n), p.new.xref.get(n)
	same := p.equal(p.old.object(n), p.new.object(n))
	switch {
	case a.kind == entryPlain && b.kind == entryPlain && a.gen != b.gen && len(p.graph.holders[n]) > 0:
		// References to the earlier generation are null to some readers.
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

// signedBytes says whether an entry leads into bytes of the older revision. An
// honest revision refers to bytes of its own.
func (p *pair) signedBytes(e entry) bool {
	if e.kind == entryCompressed {
		e = p.new.xref.get(int(e.at))
		return e.kind == entryPlain && e.at < p.old.size
	}
	return e.kind == entryPlain && e.at < p.old.size
}

// ambiguous reports an object that readers may understand differently.
func (p *pair) ambiguous(n int, e entry) {
	if e.kind < entryPlain {
		return
	}
	o, err := p.new.load(n)
	if err == nil && (o.ambiguous || e.kind == entryPlain && o.ref.Generation != int(e.gen)) {
		p.add(change{kind: ChangeOther, number: n, breaks: RuleAmbiguous})
	}
}

// fresh says whether the older revision did not use a number, nor refer to it.
func (p *pair) fresh(n int) bool {
	return p.old.xref.get(n).kind < entryPlain && len(p.graph.holders[n]) == 0
}

// added says whether v is a reference to a number that was not in use.
func (p *pair) added(v any) bool {
	r, ok := v.(ref)
	return ok && p.fresh(r.Number)
}

// moved says whether a value that stands for another one may: it is direct,
// under the same number, or under one that was not in use.
func (p *pair) moved(was, is any) bool {
	r, ok := is.(ref)
	if !ok {
		return true
	}
	s, ok := was.(ref)
	return ok && r == s || p.fresh(r.Number)
}

// reused reports objects that nothing led to before and that are in use now: an
// honest revision takes a new number.
func (p *pair) reused() {
	after := &walker{graph: p.graph, parts: p.is}
	for _, n := range slices.Sorted(maps.Keys(p.changed)) {
		if !p.led[n] && len(p.was.of(n)) == 0 && after.reaches(n) {
			p.add(change{kind: ChangeOther, number: n, breaks: RuleNumberInUse})
		}
	}
}

// inherit takes over what an earlier view of the same file has read.
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

// settled says whether a value reads the same in every revision: where a stream
// ends may be said by another object.
func settled(v any) bool {
	s, ok := v.(*source)
	if !ok {
		return v != nil
	}
	_, direct := s.dict["Length"].(int64)
	return direct
}
