package pdf

import (
	"bytes"
	"errors"
	"slices"

	"paraph/app/pdf/object"
)

// Kinds of cross-reference entries.
const (
	entryAbsent = iota
	entryFree
	entryPlain      // at is an offset
	entryCompressed // at is the number of an object stream, gen the index in it
)

type entry struct {
	at   int64
	gen  uint32
	kind uint8
}

// A table holds cross-reference entries in blocks, so that a hostile file with
// a single high number costs only one block.
type table struct {
	blocks map[int]*[blockSize]entry
	top    int // highest number with an entry, plus one
	count  int
}

const (
	blockSize = 128
	// maxNumber is the highest object number (ISO 32000-1 Annex C).
	maxNumber = 8_388_607
)

func (t *table) get(n int) entry {
	if n < 0 {
		return entry{}
	}
	if b := t.blocks[n/blockSize]; b != nil {
		return b[n%blockSize]
	}
	return entry{}
}

// add keeps the first entry for a number, because sections are read newest
// first. If unhide is set, an entry replaces a free one: that is how a hybrid
// file hides objects from old readers (ISO 32000-2 §7.5.8.4). It returns the
// previous entry, which is kept unless it was free and has been replaced.
func (t *table) add(n int, e entry, unhide bool) (before entry) {
	if t.blocks == nil {
		t.blocks = map[int]*[blockSize]entry{}
	}
	b := t.blocks[n/blockSize]
	if b == nil {
		b = new([blockSize]entry)
		t.blocks[n/blockSize] = b
	}
	p := &b[n%blockSize]
	before = *p
	if p.kind == entryAbsent {
		t.count++
	} else if !unhide || p.kind != entryFree {
		return before
	}
	*p = e
	t.top = max(t.top, n+1)
	return before
}

func (t *table) clone() table {
	c := table{blocks: make(map[int]*[blockSize]entry, len(t.blocks)), top: t.top, count: t.count}
	for n, b := range t.blocks {
		block := *b
		c.blocks[n] = &block
	}
	return c
}

// readSections reads the chain of cross-reference sections, newest first.
func (f *File) readSections(at int64) error {
	seen := map[int64]bool{}
	for !seen[at] {
		seen[at] = true
		if len(f.sections) >= f.limits.Sections {
			return f.over("more than %d cross-reference sections", f.limits.Sections)
		}
		s, err := f.section(at, false)
		if err != nil {
			return err
		}
		if f.trailer == nil {
			f.trailer = s.trailer
		}
		f.sections = append(f.sections, s)
		prev, ok := object.Int(s.trailer["Prev"])
		if hidden, ok := s.trailer.Int("XRefStm"); ok && !s.isStream {
			if err := f.hybridSection(at, hidden, prev); err != nil {
				return err
			}
		}
		if !ok {
			return nil
		}
		if prev <= 0 || prev >= f.size {
			return damaged("Prev points outside of the file")
		}
		at = prev
	}
	return damaged("cross-reference sections run in a circle")
}

// A keptSection caches a section with its entries: the view of each revision
// reads all sections before it.
type keptSection struct {
	section
	entries []numbered
}

type numbered struct {
	n int
	entry
}

type sectionKey struct {
	at     int64
	hybrid bool
}

// maxKept bounds the entries of kept sections. Files with many revisions have
// short sections.
const maxKept = 200_000

// section reads a section or takes it from the cache.
func (f *File) section(at int64, hybrid bool) (section, error) {
	key := sectionKey{at, hybrid}
	if k, ok := f.kept[key]; ok && k.end <= f.size {
		for _, x := range k.entries {
			if err := f.addEntry(x.n, x.entry, hybrid); err != nil {
				return section{}, err
			}
		}
		return k.section, nil
	}
	f.recorded = []numbered{}
	s, err := f.readSection(at, hybrid)
	entries := f.recorded
	f.recorded = nil
	if _, direct := s.trailer["Length"].(int64); err != nil || s.isStream && !direct || f.keptEntries+len(entries) >= maxKept {
		return s, err
	}
	if f.kept == nil {
		f.kept = map[sectionKey]keptSection{}
	}
	f.keptEntries += len(entries)
	f.kept[key] = keptSection{s, entries}
	return s, nil
}

func (f *File) readSection(at int64, hybrid bool) (section, error) {
	if at <= 0 || at >= f.size {
		return section{}, damaged("cross-reference section at %d", at)
	}
	isTable := false
	body, err := f.window(at, func(l *object.Lexer) error {
		isTable = l.Has("xref")
		return nil
	})
	if err != nil {
		return section{}, err
	}
	if isTable && !hybrid {
		s, err := f.tableSection(body)
		s.at = at
		return s, err
	}
	return f.streamSection(at, hybrid)
}

// tableSection reads a section, starting after its keyword.
func (f *File) tableSection(at int64) (section, error) {
	in := scan{f: f, at: at}
	for {
		if err := in.ensure(64); err != nil {
			return section{}, err
		}
		if in.lexer.Has("trailer") {
			break
		}
		first, ok1 := in.lexer.Int()
		count, ok2 := in.lexer.Int()
		if !ok1 || !ok2 || first < 0 || count < 0 || first > maxNumber || count > maxNumber-first+1 {
			return section{}, damaged("cross-reference subsection")
		}
		if err := f.tableEntries(&in, int(first), int(count)); err != nil {
			return section{}, err
		}
	}
	s := section{}
	end, err := f.window(in.pos(), func(l *object.Lexer) error {
		v, err := l.Next()
		s.trailer, _ = v.(dict)
		return err
	})
	if err == nil && s.trailer == nil {
		err = damaged("no trailer dictionary")
	}
	s.end = end
	return s, err
}

func (f *File) tableEntries(in *scan, first, count int) error {
	for n := first; n < first+count; n++ {
		if err := in.ensure(64); err != nil {
			return err
		}
		at, ok1 := in.lexer.Int()
		gen, ok2 := in.lexer.Int()
		if !ok1 || !ok2 || at < 0 || gen < 0 {
			return damaged("cross-reference entry of object %d", n)
		}
		e := entry{at: at, kind: entryPlain}
		switch {
		case in.lexer.Has("n") && gen <= 65535:
			e.gen = uint32(gen)
			if at == 0 { // some writers mark unused numbers this way
				e.kind = entryFree
			}
		case in.lexer.Has("f"): // many write 65536 as the generation of object 0
			e.kind = entryFree
		default:
			return damaged("cross-reference entry of object %d", n)
		}
		if err := f.addEntry(n, e, false); err != nil {
			return err
		}
	}
	return nil
}

func (f *File) addEntry(n int, e entry, hybrid bool) error {
	if n > maxNumber {
		return damaged("object number %d", n)
	}
	if f.recorded != nil && len(f.recorded) < maxKept {
		f.recorded = append(f.recorded, numbered{n, e})
	}
	before := f.xref.add(n, e, hybrid)
	if masked, ok := f.masked[n]; ok && !hybrid && e.kind >= entryPlain && (masked || e != before) {
		if masked {
			e = entry{}
		}
		f.twofold(n, e)
	}
	if f.xref.count > f.limits.Objects {
		return f.over("more than %d objects", f.limits.Objects)
	}
	return nil
}

// hybridSection reads the stream of a section that is also a table. Readers
// without support for cross-reference streams skip it. Legitimate writers use
// it to hide objects from them; showing them different objects instead would
// make the file ambiguous. Some writers copy the entry of an earlier section,
// whose stream then does not apply to the objects of this table.
func (f *File) hybridSection(table, hidden, prev int64) error {
	stale := hidden < prev
	newer := f.xref.clone()
	if _, err := f.section(hidden, true); err != nil {
		return err
	}
	plain := &File{r: f.r, size: f.size, limits: f.limits, budget: f.budget}
	extra := &File{r: f.r, size: f.size, limits: f.limits, budget: f.budget}
	if _, err := plain.section(table, false); err != nil {
		return err
	}
	if _, err := extra.section(hidden, true); err != nil {
		return err
	}
	if f.masked == nil {
		f.masked = map[int]bool{}
	}
	extra.eachEntry(func(n int, e entry) {
		old := plain.xref.get(n)
		switch {
		case old.kind >= entryPlain && old != e && !stale:
			f.twofold(n, old)
		case old.kind < entryPlain && (newer.get(n).kind < entryPlain):
			f.masked[n] = old.kind == entryFree
		}
	})
	return nil
}

func (f *File) twofold(n int, older entry) {
	if f.hybrid == nil {
		f.hybrid = map[int]entry{}
	}
	f.hybrid[n] = older
}

// twoFiles reports whether old and new readers are shown different files. A
// page that lacks its later annotations in old readers shows the same text:
// some programs sign hybrid files this way.
func (f *File) twoFiles() bool {
	for n, e := range f.hybrid {
		if e.kind != entryPlain {
			return true
		}
		o, err := f.indirect(e.at)
		older, ok := o.value.(dict)
		newer, alsoDict := f.object(n).(dict)
		if err != nil || !ok || !alsoDict || f.name(newer["Type"]) != "Page" {
			return true
		}
		p := pair{old: f, new: f, was: &structure{f: f, tree: &pageStructure{}}}
		other := slices.ContainsFunc(p.keys(older, newer), func(k name) bool { return k != "Annots" })
		if other || !p.contains(f.array(older["Annots"]), f.array(newer["Annots"])) {
			return true
		}
	}
	return false
}

// eachEntry calls visit with every entry of an object in use.
func (f *File) eachEntry(visit func(n int, e entry)) {
	for b, entries := range f.xref.blocks {
		for i, e := range entries {
			if e.kind >= entryPlain {
				visit(b*blockSize+i, e)
			}
		}
	}
}

// A scan is a lexer that reads through the file in a window.
type scan struct {
	f     *File
	at    int64 // offset of the window
	n     int   // bytes in the window
	lexer *object.Lexer
}

func (s *scan) pos() int64 { return s.at + int64(s.lexer.Pos()) }

// ensure loads the next n bytes into the window, if the file has them.
func (s *scan) ensure(n int) error {
	if s.lexer != nil && (s.n-s.lexer.Pos() >= n || s.at+int64(s.n) >= s.f.size) {
		return nil
	}
	if s.lexer != nil {
		s.at = s.pos()
	}
	b, err := s.f.bytesAt(s.at, min(max(2*s.n, scratchSize), 32<<10)) // most sections are short
	if err != nil {
		return err
	}
	s.lexer, s.n = object.NewLexer(b, 0), len(b)
	return s.f.spend(int64(len(b)))
}

// streamSection reads a cross-reference stream (ISO 32000-2 §7.5.8).
func (f *File) streamSection(at int64, hybrid bool) (section, error) {
	found, err := f.indirect(at)
	if err != nil {
		return section{}, err
	}
	src, ok := found.value.(*source)
	if !ok || src.dict.Name("Type") != "XRef" {
		return section{}, damaged("no cross-reference section at %d", at)
	}
	data, err := f.decode(src)
	if err != nil {
		return section{}, err
	}
	s := section{at: at, end: src.at + src.length, trailer: src.dict, isStream: true}
	return s, f.streamEntries(src.dict, data, hybrid)
}

func (f *File) streamEntries(d dict, data []byte, hybrid bool) error {
	widths, err := entryWidths(d)
	if err != nil {
		return err
	}
	size, _ := d.Int("Size")
	index, _ := d["Index"].(array)
	if index == nil {
		index = array{int64(0), size}
	}
	in := bytes.NewReader(data)
	for ; len(index) >= 2; index = index[2:] {
		first, ok1 := object.Int(index[0])
		count, ok2 := object.Int(index[1])
		if !ok1 || !ok2 || first < 0 || count < 0 || first > maxNumber {
			return damaged("cross-reference index")
		}
		for n := first; n < first+count; n++ {
			e, err := readEntry(in, widths)
			if errors.Is(err, errShort) { // fewer entries than declared; viewers accept that
				return nil
			} else if err != nil {
				return err
			}
			if e.kind == entryAbsent {
				continue
			}
			if err := f.addEntry(int(n), e, hybrid); err != nil {
				return err
			}
		}
	}
	return nil
}

func entryWidths(d dict) (w [3]int, err error) {
	a, _ := d["W"].(array)
	if len(a) < 3 {
		return w, damaged("cross-reference widths")
	}
	total := 0
	for i := range w {
		n, ok := object.Int(a[i])
		if !ok || n < 0 || n > 8 {
			return w, damaged("cross-reference widths")
		}
		w[i] = int(n)
		total += w[i]
	}
	if total == 0 {
		return w, damaged("cross-reference widths")
	}
	return w, nil
}

var errShort = errors.New("cross-reference stream is short")

func readEntry(in *bytes.Reader, widths [3]int) (entry, error) {
	var v [3]uint64
	if widths[0] == 0 {
		v[0] = 1
	}
	for i, w := range widths {
		for range w {
			c, err := in.ReadByte()
			if err != nil {
				return entry{}, errShort
			}
			v[i] = v[i]<<8 | uint64(c)
		}
	}
	if v[1] > 1<<62 || v[2] > 1<<32-1 {
		return entry{}, damaged("cross-reference entry")
	}
	e := entry{at: int64(v[1]), gen: uint32(v[2])}
	switch v[0] {
	case 0:
		e.kind = entryFree
	case 1:
		e.kind = entryPlain
	case 2:
		e.kind = entryCompressed
	}
	return e, nil
}
