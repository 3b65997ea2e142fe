package pdf

import (
	"cmp"
	"regexp"
	"slices"
)

// Readers that find a cross-reference section damaged look for objects in the
// bytes themselves, and take the last one of each number. So a revision must not
// hold objects that its section does not list, nor list what can't be read: it
// would be two files in one.

// An extent is a part of the file.
type extent struct{ from, to int64 }

// unlisted reports objects in the bytes of the newer revision that its
// cross-reference section does not know.
func (p *pair) unlisted() {
	at := p.old.size
	for _, e := range append(p.extents(), extent{p.new.size, p.new.size}) {
		if e.from > at && p.new.hasObject(at, e.from) {
			p.add(change{kind: ChangeHidden, breaks: RuleHidden})
			return
		}
		at = max(at, e.to)
	}
}

// extents lists where the objects and sections of the newer revision are.
func (p *pair) extents() []extent {
	var out []extent
	for _, n := range p.touched {
		e := p.new.xref.get(n)
		if e.kind != entryPlain || e.at < p.old.size {
			continue
		}
		o, err := p.new.indirect(e.at)
		if err != nil {
			p.add(change{kind: ChangeOther, number: n, breaks: RuleDamaged})
			continue
		}
		out = append(out, extent{e.at, o.end(e.at)})
	}
	for _, s := range p.new.sections {
		if s.at >= p.old.size {
			out = append(out, extent{s.at, s.end})
		}
	}
	slices.SortFunc(out, func(a, b extent) int { return cmp.Compare(a.from, b.from) })
	return out
}

// end is where an object ends that begins at an offset.
func (o found) end(at int64) int64 {
	if s, ok := o.value.(*source); ok {
		return s.at + s.length
	}
	return at + o.cost
}

var objectHeader = regexp.MustCompile(`[0-9]\s+[0-9]+\s+obj`)

// hasObject says whether an object begins within some bytes between others.
func (f *File) hasObject(from, to int64) bool {
	const most = 1 << 20 // nobody leaves so much in good faith
	if to-from > most {
		return true
	}
	b, err := f.bytesAt(from, int(to-from))
	return err != nil || objectHeader.Match(b)
}
