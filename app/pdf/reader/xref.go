package reader

import (
	"bytes"
	"errors"
	"regexp"

	"paraph/app/pdf/object"
)

// Kinds of cross-reference entries.
const (
	entryAbsent = iota
	entryFree
	entryNowhere    // in use, but at offset 0
	EntryPlain      // at is an offset
	EntryCompressed // at is the number of an object stream, gen the index in it
)

type Entry struct {
	At   int64
	Gen  uint32
	Kind uint8
}

// A Table holds cross-reference entries in blocks, so that a hostile file with
// a single high number costs only one block.
type Table struct {
	Blocks map[int]*[BlockSize]Entry
	Top    int // highest number with an entry, plus one
	Count  int
}

const (
	BlockSize = 32
	// MaxNumber is the highest object number (ISO 32000-1 Annex C).
	MaxNumber = 8_388_607
)

func (t *Table) Get(n int) Entry {
	if n < 0 {
		return Entry{}
	}
	if b := t.Blocks[n/BlockSize]; b != nil {
		return b[n%BlockSize]
	}
	return Entry{}
}

// add keeps the first entry for a number, because sections are read newest
// first. If unhide is set, an entry replaces a free one: that is how a hybrid
// file hides objects from old readers (ISO 32000-2 §7.5.8.4). It returns the
// previous entry, which is kept unless it was free and has been replaced.
func (t *Table) add(n int, e Entry, unhide bool) (before Entry) {
	if t.Blocks == nil {
		t.Blocks = map[int]*[BlockSize]Entry{}
	}
	b := t.Blocks[n/BlockSize]
	if b == nil {
		b = new([BlockSize]Entry)
		t.Blocks[n/BlockSize] = b
	}
	p := &b[n%BlockSize]
	before = *p
	if p.Kind == entryAbsent {
		t.Count++
	} else if !unhide || p.Kind != entryFree && p.Kind != entryNowhere {
		return before
	}
	*p = e
	t.Top = max(t.Top, n+1)
	return before
}

func (t *Table) clone() Table {
	c := Table{Blocks: make(map[int]*[BlockSize]Entry, len(t.Blocks)), Top: t.Top, Count: t.Count}
	for n, b := range t.Blocks {
		block := *b
		c.Blocks[n] = &block
	}
	return c
}

// readSections reads the chain of cross-reference sections, newest first.
func (f *File) readSections(at int64) error {
	seen := map[int64]bool{}
	for !seen[at] {
		seen[at] = true
		if len(f.Sections) >= f.Limits.Sections {
			return f.Over("more than %d cross-reference sections", f.Limits.Sections)
		}
		s, err := f.Section(at, false)
		if err != nil {
			return err
		}
		if f.Trailer == nil {
			f.Trailer = s.trailer
		}
		f.Sections = append(f.Sections, s)
		prev, ok := object.Int(s.trailer["Prev"])
		f.Tolerated = f.Tolerated || !ok && s.trailer["Prev"] != nil
		if hidden, ok := s.trailer.Int("XRefStm"); ok && !s.IsStream {
			if err := f.hybridSection(at, hidden, prev); err != nil {
				return err
			}
		}
		if !ok {
			return nil
		}
		if prev <= 0 || prev >= f.Size {
			return Damaged("Prev points outside of the file")
		}
		at = prev
	}
	return Damaged("cross-reference sections form a cycle")
}

// A keptSection caches a section with its entries: the view of each revision
// reads all sections before it.
type keptSection struct {
	Section
	entries []numbered
}

type numbered struct {
	n int
	Entry
}

type sectionKey struct {
	at     int64
	hybrid bool
}

// maxKept bounds the entries of kept sections. Files with many revisions have
// short sections.
const maxKept = 200_000

// Section reads a section or takes it from the cache.
func (f *File) Section(at int64, hybrid bool) (Section, error) {
	key := sectionKey{at, hybrid}
	if k, ok := f.kept[key]; ok && k.End <= f.Size {
		for _, x := range k.entries {
			if err := f.addEntry(x.n, x.Entry, hybrid); err != nil {
				return Section{}, err
			}
		}
		return k.Section, nil
	}
	f.recorded = make([]numbered, 0, 16) // enough for most revisions
	s, err := f.readSection(at, hybrid)
	entries := f.recorded
	f.recorded = nil
	if _, direct := s.trailer["Length"].(int64); err != nil || s.IsStream && !direct || f.keptEntries+len(entries) >= maxKept {
		return s, err
	}
	if f.kept == nil {
		f.kept = map[sectionKey]keptSection{}
	}
	f.keptEntries += len(entries)
	f.kept[key] = keptSection{s, entries}
	return s, nil
}

func (f *File) readSection(at int64, hybrid bool) (Section, error) {
	if at <= 0 || at >= f.Size {
		return Section{}, Damaged("cross-reference section at %d", at)
	}
	isTable := false
	body, err := f.window(at, func(l *object.Lexer) error {
		isTable = l.Has("xref")
		return nil
	})
	if err != nil {
		return Section{}, err
	}
	f.Tolerated = f.Tolerated || isTable && body != at+int64(len("xref"))
	if isTable && !hybrid {
		s, err := f.tableSection(body)
		s.At = at
		return s, err
	}
	return f.streamSection(at, hybrid)
}

// tableSection reads a section, starting after its keyword.
func (f *File) tableSection(at int64) (Section, error) {
	in := scan{pad: newPad(), f: f, at: at}
	defer in.release()
	for {
		if err := in.ensure(64); err != nil {
			return Section{}, err
		}
		before := in.lexer.Pos()
		if in.lexer.Has("trailer") {
			break
		}
		first, ok1 := in.lexer.Int()
		count, ok2 := in.lexer.Int()
		if !ok1 || !ok2 || first < 0 || count < 0 || first > MaxNumber || count > MaxNumber-first+1 {
			return Section{}, Damaged("cross-reference subsection")
		}
		f.Tolerated = f.Tolerated || !heading.Match(in.lexer.Bytes(before, in.lexer.Pos()+2))
		if err := f.tableEntries(&in, int(first), int(count)); err != nil {
			return Section{}, err
		}
	}
	s := Section{}
	end, err := f.window(in.pos(), func(l *object.Lexer) error {
		v, err := l.Next()
		s.trailer, _ = v.(object.Dict)
		f.Tolerated = f.Tolerated || err == nil && (l.Ambiguous() || l.Tolerated())
		return err
	})
	if err == nil && s.trailer == nil {
		err = Damaged("no trailer dictionary")
	}
	s.End = end
	return s, err
}

// heading matches what stands between the entries of subsections.
var heading = regexp.MustCompile(`^\s*[\r\n]\s*\d+ \d+ *[\r\n]`)

func (f *File) tableEntries(in *scan, first, count int) error {
	const width = 20 // of an entry, with its end of line
	due := int64(0)  // where the next entry should begin
	for n := first; n < first+count; n++ {
		if err := in.ensure(64); err != nil {
			return err
		}
		in.lexer.Space()
		begin := in.pos()
		at, ok1 := in.lexer.Int()
		wide := in.pos() == begin+10
		gen, ok2 := in.lexer.Int()
		wide = wide && in.pos() == begin+16 && (n == first || begin == due)
		due = begin + width
		if !ok1 || !ok2 || at < 0 || gen < 0 {
			return Damaged("cross-reference entry of object %d", n)
		}
		e := Entry{At: at, Kind: EntryPlain}
		switch {
		case in.lexer.Has("n") && gen <= 65535:
			e.Gen = uint32(gen)
			if at == 0 { // some writers mark unused numbers this way
				e.Kind = entryNowhere
			}
		case in.lexer.Has("f"): // many write 65536 as the generation of object 0
			e.Kind = entryFree
		default:
			return Damaged("cross-reference entry of object %d", n)
		}
		f.Tolerated = f.Tolerated || !wide || n == 0 && e.Kind == EntryPlain
		if err := f.addEntry(n, e, false); err != nil {
			return err
		}
	}
	return nil
}

func (f *File) addEntry(n int, e Entry, hybrid bool) error {
	if n > MaxNumber {
		return Damaged("object number %d", n)
	}
	if f.recorded != nil && len(f.recorded) < maxKept {
		f.recorded = append(f.recorded, numbered{n, e})
	}
	before := f.Xref.add(n, e, hybrid)
	if masked, ok := f.masked[n]; ok && !hybrid && e.Kind >= EntryPlain && (masked || e != before) {
		if masked {
			e = Entry{}
		}
		f.recordHybrid(n, e)
	}
	if f.Xref.Count > f.Limits.Objects {
		return f.Over("more than %d objects", f.Limits.Objects)
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
	newer := f.Xref.clone()
	if _, err := f.Section(hidden, true); err != nil {
		return err
	}
	plain := &File{R: f.R, Size: f.Size, Limits: f.Limits, Budget: f.Budget}
	extra := &File{R: f.R, Size: f.Size, Limits: f.Limits, Budget: f.Budget}
	if _, err := plain.Section(table, false); err != nil {
		return err
	}
	if _, err := extra.Section(hidden, true); err != nil {
		return err
	}
	if f.masked == nil {
		f.masked = map[int]bool{}
	}
	extra.eachEntry(func(n int, e Entry) {
		old := plain.Xref.Get(n)
		switch {
		case old.Kind >= EntryPlain && old != e && !stale:
			f.recordHybrid(n, old)
		case old.Kind < EntryPlain && (newer.Get(n).Kind < EntryPlain):
			f.masked[n] = old.Kind == entryFree || old.Kind == entryNowhere
		}
	})
	return nil
}

// recordHybrid stores where readers without cross-reference streams find an
// object.
func (f *File) recordHybrid(n int, older Entry) {
	if f.Hybrid == nil {
		f.Hybrid = map[int]Entry{}
	}
	f.Hybrid[n] = older
}

// eachEntry calls visit with every entry of an object in use.
func (f *File) eachEntry(visit func(n int, e Entry)) {
	for b, entries := range f.Xref.Blocks {
		for i, e := range entries {
			if e.Kind >= EntryPlain {
				visit(b*BlockSize+i, e)
			}
		}
	}
}

// A scan is a lexer that reads through the file in a window.
type scan struct {
	*pad
	f  *File
	at int64 // offset of the window
	n  int   // bytes in the window
}

func (s *scan) pos() int64 { return s.at + int64(s.lexer.Pos()) }

// ensure loads the next n bytes into the window, if the file has them.
func (s *scan) ensure(n int) error {
	if s.lexer.Rest() >= n || s.n > 0 && s.at+int64(s.n) >= s.f.Size {
		return nil
	}
	s.at = s.pos()
	b, err := s.read(s.f, s.at, min(max(2*s.n, firstWindow), padSize)) // most sections are short
	if err != nil {
		return err
	}
	s.lexer.Reset(b)
	s.n = len(b)
	return s.f.Spend(int64(len(b)))
}

// streamSection reads a cross-reference stream (ISO 32000-2 §7.5.8).
func (f *File) streamSection(at int64, hybrid bool) (Section, error) {
	found, err := f.Indirect(at)
	if err != nil {
		return Section{}, err
	}
	src, ok := found.Value.(*Stream)
	if !ok || src.Dict.Name("Type") != "XRef" {
		return Section{}, Damaged("no cross-reference section at %d", at)
	}
	data, err := f.Decode(src)
	if err != nil {
		return Section{}, err
	}
	s := Section{At: at, End: src.At + src.Length, trailer: src.Dict, IsStream: true}
	return s, f.streamEntries(src.Dict, data, hybrid)
}

func (f *File) streamEntries(d object.Dict, data []byte, hybrid bool) error {
	widths, err := entryWidths(d)
	if err != nil {
		return err
	}
	size, _ := d.Int("Size")
	index, _ := d["Index"].(object.Array)
	if index == nil {
		index = object.Array{int64(0), size}
	}
	in := bytes.NewReader(data)
	defer func() { f.Tolerated = f.Tolerated || in.Len() > 0 }()
	for ; len(index) >= 2; index = index[2:] {
		first, ok1 := object.Int(index[0])
		count, ok2 := object.Int(index[1])
		if !ok1 || !ok2 || first < 0 || count < 0 || first > MaxNumber {
			return Damaged("cross-reference index")
		}
		for n := first; n < first+count; n++ {
			e, err := readEntry(in, widths)
			if errors.Is(err, errShort) { // fewer entries than declared; many viewers accept that
				f.Tolerated = true
				return nil
			} else if err != nil {
				return err
			}
			if e.Kind == entryAbsent {
				continue
			}
			if err := f.addEntry(int(n), e, hybrid); err != nil {
				return err
			}
		}
	}
	return nil
}

func entryWidths(d object.Dict) (w [3]int, err error) {
	a, _ := d["W"].(object.Array)
	if len(a) < 3 {
		return w, Damaged("cross-reference widths")
	}
	total := 0
	for i := range w {
		n, ok := object.Int(a[i])
		if !ok || n < 0 || n > 8 {
			return w, Damaged("cross-reference widths")
		}
		w[i] = int(n)
		total += w[i]
	}
	if total == 0 {
		return w, Damaged("cross-reference widths")
	}
	return w, nil
}

var errShort = errors.New("cross-reference stream is short")

func readEntry(in *bytes.Reader, widths [3]int) (Entry, error) {
	var v [3]uint64
	if widths[0] == 0 {
		v[0] = 1
	}
	for i, w := range widths {
		for range w {
			c, err := in.ReadByte()
			if err != nil {
				return Entry{}, errShort
			}
			v[i] = v[i]<<8 | uint64(c)
		}
	}
	if v[1] > 1<<62 || v[2] > 1<<32-1 {
		return Entry{}, Damaged("cross-reference entry")
	}
	e := Entry{At: int64(v[1]), Gen: uint32(v[2])}
	switch v[0] {
	case 0:
		e.Kind = entryFree
	case 1:
		e.Kind = EntryPlain
	case 2:
		e.Kind = EntryCompressed
	}
	return e, nil
}
