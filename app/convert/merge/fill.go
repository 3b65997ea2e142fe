package merge

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"paraph/app/convert/internal/archive"
	"paraph/app/convert/internal/refuse"
	"paraph/app/fault"
)

// filled matches the parts whose placeholders are filled in.
func filled(name string) bool {
	dir, base := path.Split(strings.ToLower(name))
	for _, prefix := range []string{"document", "header", "footer", "footnotes", "endnotes"} {
		if dir == "word/" && strings.HasPrefix(base, prefix) && path.Ext(base) == ".xml" {
			return true
		}
	}
	return false
}

// Survey lists the placeholders in the size bytes of r, a DOCX, each once and in the order
// in which they appear. loose reports whether there are markers without their counterpart.
func Survey(ctx context.Context, r io.ReaderAt, size int64, skip Skip) (found []Placeholder, loose bool, err error) {
	a, err := archive.Open(r, size)
	if err != nil {
		return nil, false, err
	}
	for _, m := range a.Files() {
		if !filled(m.Name) {
			continue
		}
		data, err := a.Read(m.Name, maxPart)
		if err != nil {
			return nil, false, err
		}
		p, err := parse(ctx, data, skip)
		if err != nil {
			return nil, false, err
		}
		more, unpaired := p.survey()
		loose = loose || unpaired
		for _, x := range more {
			if !slices.Contains(found, x) {
				found = append(found, x)
			}
		}
	}
	return found, loose, nil
}

func (p *part) survey() (found []Placeholder, loose bool) {
	var open []*marker
	for _, m := range p.markers {
		switch {
		case m.isText:
			loose = true
		case m.kind == end:
			open = open[:len(open)-1]
		default:
			found = append(found, m.within(open))
			if m.kind == begin {
				open = append(open, m)
			}
		}
	}
	return found, loose
}

// within returns the placeholder of a marker in sections.
func (m *marker) within(open []*marker) Placeholder {
	x := m.Placeholder
	for _, section := range open {
		if section.Kind == List {
			if x.Kind != List {
				x.Of = section.Name
			}
		} else if section.Name == x.Name && !section.negative {
			x.Optional = x.Kind == Value
		}
	}
	return x
}

// Fill writes the DOCX in the size bytes of r to w with its placeholders filled in.
func Fill(ctx context.Context, r io.ReaderAt, size int64, w io.Writer, in Data, skip Skip) error {
	a, err := archive.Open(r, size)
	if err != nil {
		return err
	}
	z := zip.NewWriter(w)
	for _, m := range a.Files() {
		if !filled(m.Name) {
			err = z.Copy(m)
		} else {
			err = fillPart(ctx, z, a, m, in, skip)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

func fillPart(ctx context.Context, z *zip.Writer, a *archive.Archive, m *zip.File, in Data, skip Skip) error {
	data, err := a.Read(m.Name, maxPart)
	if err != nil {
		return err
	}
	p, err := parse(ctx, data, skip)
	if err != nil {
		return err
	}
	if len(p.markers) > 0 {
		f := &filler{ctx: ctx, part: p, Data: in, texts: map[*element]string{}}
		f.content(p.root, scope{values: in.Values, lists: in.Lists})
		if err := f.err; err != nil {
			return err
		}
		data = f.out.Bytes()
	}
	to, err := z.CreateHeader(&zip.FileHeader{Name: m.Name, Method: zip.Deflate, Modified: m.Modified})
	if err != nil {
		return err
	}
	_, err = to.Write(data)
	return err
}

// scope is the values that hold at one place.
type scope struct {
	item   Item // of the list being repeated, or nil
	values map[string]string
	lists  map[string][]Item
	above  *scope
}

func (s *scope) value(name string) string {
	for ; s != nil; s = s.above {
		if v, ok := s.item[name]; ok {
			return v
		}
		if v, ok := s.values[name]; ok {
			return v
		}
	}
	return ""
}

func (s *scope) list(name string) []Item {
	for ; s != nil; s = s.above {
		if l, ok := s.lists[name]; ok {
			return l
		}
	}
	return nil
}

// filler writes one part.
type filler struct {
	*part
	Data
	ctx   context.Context
	out   bytes.Buffer
	texts map[*element]string // what text elements of the paragraph being written become
	times int                 // sections were repeated
	err   error
}

// each calls do once for every repetition of a section.
func (f *filler) each(section *marker, s *scope, do func(in scope)) {
	items := []scope{*s}
	switch {
	case section.Kind == List:
		items = items[:0]
		for _, item := range s.list(section.Name) {
			items = append(items, scope{item: item, above: s})
		}
	case !section.holds(s.value(section.Name)):
		return
	}
	for _, in := range items {
		if f.times++; f.times > maxTimes && f.err == nil {
			f.err = refuse.TooLarge("docx_repetitions", fault.Number("limit", maxTimes))
		}
		if f.err != nil {
			return
		}
		do(in)
	}
}

// write adds bytes to the result. A section repeated too often ends in an error.
func (f *filler) write(b []byte) {
	if f.err != nil {
		return
	}
	if f.err = f.ctx.Err(); f.err == nil && f.out.Len()+len(b) > maxPart {
		f.err = refuse.TooLarge("archive_part", fault.Number("limit", maxPart>>20))
	}
	if f.err == nil {
		f.out.Write(b)
	}
}

// content writes what is in an element.
func (f *filler) content(e *element, s scope) {
	at := e.inner
	if len(e.kids) > 0 {
		at = f.kids(e, 0, len(e.kids)-1, e.spans, at, s)
	}
	f.write(f.data[at:e.outer])
}

// kids writes some of an element's kids and what is before each, from a place in the part.
// It returns the place where the last one ends.
func (f *filler) kids(e *element, first, last int, spans []span, at int, s scope) int {
	for i := first; i <= last && f.err == nil; {
		kid := e.kids[i]
		f.write(f.data[at:kid.start])
		n := slices.IndexFunc(spans, func(x span) bool { return x.first == i })
		if n < 0 {
			f.element(kid, s)
			at, i = kid.end, i+1
			continue
		}
		over := spans[n]
		inner := slices.DeleteFunc(slices.Clone(spans[n+1:]), func(x span) bool { return x.last > over.last })
		f.each(over.section, &s, func(in scope) { f.kids(e, over.first, over.last, inner, kid.start, in) })
		at, i = e.kids[over.last].end, over.last+1
	}
	return at
}

// element writes an element. Cells keep a paragraph, and tables without rows go
// (ISO/IEC 29500-1 §17.4.65, §17.4.37).
func (f *filler) element(e *element, s scope) {
	if f.err != nil {
		return
	}
	from := f.out.Len()
	switch {
	case e.name == "t" && e.parent != nil:
		f.textElement(e)
		return
	case e.paragraph != nil && e.paragraph.alone():
		return
	case e.paragraph != nil:
		f.fillParagraph(e.paragraph, &s)
	}
	f.write(f.data[e.start:e.inner])
	inner := f.out.Len()
	f.content(e, s)
	switch {
	case e.name == "tc" && !f.has(inner, "p"):
		f.write([]byte("<" + f.prefix + "p/>"))
	case e.name == "tbl" && !f.has(inner, "tr"):
		f.out.Truncate(from)
		return
	}
	f.write(f.data[e.outer:e.end])
}

// has reports whether an element of a name was written since a place.
func (f *filler) has(since int, name string) bool {
	written := f.out.Bytes()[since:]
	for _, after := range []string{">", " ", "/"} {
		if bytes.Contains(written, []byte("<"+f.prefix+name+after)) {
			return true
		}
	}
	return false
}

// textElement writes a text element, with breaks between the lines of its text.
func (f *filler) textElement(e *element) {
	text, changed := f.texts[e]
	if !changed {
		f.write(f.data[e.start:e.end])
		return
	}
	begin, end := `<`+f.prefix+`t xml:space="preserve">`, `</`+f.prefix+`t>`
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			f.write([]byte(`<` + f.prefix + `br/>`))
		}
		var b bytes.Buffer
		if err := xml.EscapeText(&b, []byte(line)); err != nil {
			f.err = errors.Join(f.err, err)
		}
		f.write([]byte(begin))
		f.write(b.Bytes())
		f.write([]byte(end))
	}
}

// fillParagraph determines the texts of a paragraph.
func (f *filler) fillParagraph(p *paragraph, s *scope) {
	out := make([]strings.Builder, len(p.pieces))
	w := &inline{filler: f, p: p, text: p.text.String(), out: out, into: -1}
	markers := slices.DeleteFunc(slices.Clone(p.markers), func(m *marker) bool { return m.isText })
	w.write(0, len(w.text), markers, s)
	for i, x := range p.pieces {
		if x.element == nil {
			continue
		}
		if text := out[i].String(); text != w.text[x.from:x.to] {
			f.texts[x.element] = text
		} else {
			delete(f.texts, x.element)
		}
	}
}

// inline fills in one paragraph.
type inline struct {
	*filler
	p    *paragraph
	text string
	out  []strings.Builder // by piece
	into int               // the piece for everything, -1 if each has its own
	size int
}

// add adds text to the piece that holds a place.
func (w *inline) add(at int, s string) {
	i := w.into
	if i < 0 {
		i = w.p.indexAt(at)
	}
	if w.size += len(s); w.size > maxText && w.err == nil {
		w.err = refuse.TooLarge("docx_text", fault.Number("limit", maxText>>20))
	}
	if w.err == nil {
		w.out[i].WriteString(s)
	}
}

// plain adds text as it is, except for gaps, which are elements of their own.
func (w *inline) plain(from, to int) {
	for from < to {
		x := w.p.pieceAt(from)
		end := min(x.to, to)
		if x.element != nil {
			w.add(from, w.text[from:end])
		}
		from = end
	}
}

// write fills in the text between two places, which has these markers.
func (w *inline) write(from, to int, markers []*marker, s *scope) {
	for len(markers) > 0 && w.err == nil {
		m := markers[0]
		w.plain(from, m.from)
		from, markers = m.to, markers[1:]
		switch {
		case m.kind == value:
			w.add(m.from, w.Write(s.value(m.Name), m.Format))
		case m.kind == begin && m.inline():
			n := slices.Index(markers, m.other)
			w.section(m, markers[:n], s)
			from, markers = m.other.to, markers[n+1:]
		}
	}
	w.plain(from, to)
}

// section writes a section within the paragraph. All repetitions after the first look like
// its end.
func (w *inline) section(m *marker, inner []*marker, s *scope) {
	was, again := w.into, false
	w.each(m, s, func(in scope) {
		if again && was < 0 {
			w.into = w.p.indexAt(m.other.from)
		}
		again = true
		w.write(m.to, m.other.from, inner, &in)
	})
	w.into = was
}
