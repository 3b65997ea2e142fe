package verify

import (
	"maps"
	"paraph/app/pdf/reader"
	"slices"
)

// A comparer compares successive revisions of a file.
type comparer struct {
	file  *file // the newest revision
	graph *graph
	parts *structure
}

func newComparer(f *file) *comparer {
	return &comparer{file: f, graph: newGraph(f), parts: newStructure(f, newPageStructure(f))}
}

// revisions compares values of two successive revisions, and says whether one may have become the other.
type revisions struct {
	old, new *file
	graph    *graph     // of old
	was      *structure // of old
}

// A pair judges two successive revisions and collects the differences.
type pair struct {
	revisions
	is *structure // of new
	// touched lists the objects that the newer revision defines, redefines or
	// frees; changed lists those used by the older revision that now read
	// differently.
	touched      []int
	changed      map[int]bool
	out          []change
	dirty        map[int]bool // numbers of possibly changed fields
	wasReachable map[int]bool // changed objects that were reachable before
}

// compare lists the changes of the next revision. Every redefined object must
// be accounted for in every place that referred to it before, by a rule that
// permits such a change in that place. Added objects must have unused numbers.
// Objects unreachable in both revisions do not count as changes.
func (c *comparer) compare(newer *file) ([]change, error) {
	newer.Inherit(c.file.File.File)
	p := &pair{
		revisions: revisions{old: c.file, new: newer, graph: c.graph, was: c.parts},
		changed:   map[int]bool{}, dirty: map[int]bool{},
	}
	p.find()
	tree := c.parts.tree
	if !tree.holds(p.touched) || newer.Catalog()["Pages"] != p.old.Catalog()["Pages"] {
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
	if err := newer.Fault; err != nil {
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
		for n := b * reader.BlockSize; n < (b+1)*reader.BlockSize; n++ {
			if p.differs(n) || p.graph.unreadable[n] {
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
func (p *revisions) blocks() []int {
	blocks := map[int]bool{}
	for _, f := range []*file{p.old, p.new} {
		for b := range f.Xref.Blocks {
			blocks[b] = true
		}
	}
	return slices.Sorted(maps.Keys(blocks))
}

func (p *revisions) differs(n int) bool {
	a, b := p.old.Xref.Get(n), p.new.Xref.Get(n)
	if a.Kind < reader.EntryPlain && b.Kind < reader.EntryPlain {
		return false
	}
	if a != b {
		return true
	}
	return a.Kind == reader.EntryCompressed && p.old.Xref.Get(int(a.At)) != p.new.Xref.Get(int(a.At))
}

// look classifies what happened to a touched object.
func (p *pair) look(n int) {
	a, b := p.old.Xref.Get(n), p.new.Xref.Get(n)
	same := p.equal(p.old.Object(n), p.new.Object(n))
	switch {
	case a.Kind == reader.EntryPlain && b.Kind == reader.EntryPlain && a.Gen != b.Gen && len(p.graph.holders[n]) > 0:
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
func (p *revisions) signedBytes(e reader.Entry) bool {
	if e.Kind == reader.EntryCompressed {
		e = p.new.Xref.Get(int(e.At))
		return e.Kind == reader.EntryPlain && e.At < p.old.Size
	}
	return e.Kind == reader.EntryPlain && e.At < p.old.Size
}

// ambiguous reports an object that readers may interpret differently.
func (p *pair) ambiguous(n int, e reader.Entry) {
	if e.Kind < reader.EntryPlain {
		return
	}
	o, err := p.new.Load(n)
	if err == nil && (o.Ambiguous || e.Kind == reader.EntryPlain && o.Ref.Generation != int(e.Gen)) {
		p.add(change{kind: ChangeOther, number: n, breaks: RuleAmbiguous})
	}
}

// fresh reports whether the older revision neither used a number nor referred
// to it.
func (p *revisions) fresh(n int) bool {
	return p.old.Xref.Get(n).Kind < reader.EntryPlain && len(p.graph.holders[n]) == 0
}

// added reports whether v is a reference to a previously unused number.
func (p *revisions) added(v any) bool {
	r, ok := v.(ref)
	return ok && p.fresh(r.Number)
}

// moved reports whether one value may replace another: it is direct, has the
// same number, or has a previously unused one.
func (p *revisions) moved(was, is any) bool {
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
		if !p.wasReachable[n] && len(p.was.of(n)) == 0 && after.reaches(n) {
			p.add(change{kind: ChangeOther, number: n, breaks: RuleNumberInUse})
		}
	}
}
