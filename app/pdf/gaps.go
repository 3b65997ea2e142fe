package pdf

import (
	"cmp"
	"regexp"
	"slices"
)

// Readers that find a cross-reference section damaged scan the bytes for
// objects and use the last one of each number. So a revision must not contain
// objects that its section does not list, nor list unreadable ones: different
// readers would see different files.

// An extent is a byte range of the file.
type extent struct{ from, to int64 }

// unlisted reports objects in the bytes of the newer revision that are missing
// from its cross-reference section.
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

// extents returns the byte ranges of the objects and sections of the newer
// revision.
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

// end returns where an object ends that begins at the offset at.
func (o found) end(at int64) int64 {
	if s, ok := o.value.(*source); ok {
		return s.at + s.length
	}
	return at + o.cost
}

var objectHeader = regexp.MustCompile(`[0-9]\s+[0-9]+\s+obj`)

// hasObject reports whether an object begins in the bytes between two offsets.
func (f *File) hasObject(from, to int64) bool {
	const most = 1 << 20 // legitimate files leave smaller gaps
	if to-from > most {
		return true
	}
	b, err := f.bytesAt(from, int(to-from))
	return err != nil || objectHeader.Match(b)
}
