package verify

import (
	"cmp"
	"paraph/app/pdf/reader"
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
	at := p.old.Size
	for _, e := range append(p.extents(), extent{p.new.Size, p.new.Size}) {
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
		e := p.new.Xref.Get(n)
		if e.Kind != reader.EntryPlain || e.At < p.old.Size {
			continue
		}
		o, err := p.new.Indirect(e.At)
		if err != nil {
			p.add(change{kind: ChangeOther, number: n, breaks: RuleDamaged})
			continue
		}
		out = append(out, extent{e.At, o.End(e.At)})
	}
	for _, s := range p.new.Sections {
		if s.At >= p.old.Size {
			out = append(out, extent{s.At, s.End})
		}
	}
	slices.SortFunc(out, func(a, b extent) int { return cmp.Compare(a.from, b.from) })
	return out
}

var objectHeader = regexp.MustCompile(`[0-9]\s+[0-9]+\s+obj`)

// hasObject reports whether an object begins in the bytes between two offsets.
func (f *file) hasObject(from, to int64) bool {
	const most = 1 << 20 // legitimate files leave smaller gaps
	if to-from > most {
		return true
	}
	b, err := f.BytesAt(from, int(to-from))
	return err != nil || objectHeader.Match(b)
}

// twoFiles reports whether old and new readers are shown different files. A
// page that lacks its later annotations in old readers shows the same text:
// some programs sign hybrid files this way.
func (f *file) twoFiles() bool {
	for n, e := range f.Hybrid {
		if e.Kind != reader.EntryPlain {
			return true
		}
		o, err := f.Indirect(e.At)
		older, ok := o.Value.(dict)
		newer, alsoDict := f.Object(n).(dict)
		if err != nil || !ok || !alsoDict || f.Name(newer["Type"]) != "Page" {
			return true
		}
		p := revisions{old: f, new: f, was: &structure{f: f, tree: &pageStructure{}}}
		other := slices.ContainsFunc(p.keys(older, newer), func(k name) bool { return k != "Annots" })
		if other || !p.contains(f.Array(older["Annots"]), f.Array(newer["Annots"])) {
			return true
		}
	}
	return false
}
