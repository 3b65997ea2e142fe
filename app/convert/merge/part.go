package merge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"paraph/app/convert/internal/refuse"
	"paraph/app/fault"
)

// element is an element of a part in which something may be replaced. Others are only bytes
// between elements.
type element struct {
	name         string // without the prefix
	start, end   int    // of the element, in the part
	inner, outer int    // of its content
	parent       *element
	kids         []*element
	paragraph    *paragraph // of a paragraph with placeholders
	spans        []span     // of kids that are repeated or left out
	more         bool       // a paragraph with something to see besides its text, or that ends a section of the layout
}

// span is a number of kids of an element, between the markers of a section.
type span struct {
	first, last int
	section     *marker
}

// paragraph is the text of a paragraph in pieces, one for each of its text elements.
type paragraph struct {
	element *element
	pieces  []piece
	text    strings.Builder
	markers []*marker
}

// piece is the text of a text element, or a gap that no placeholder crosses.
type piece struct {
	element  *element // nil for a gap
	from, to int      // in the text of the paragraph
}

// alone reports whether a paragraph has nothing but markers of sections that go beyond it.
func (p *paragraph) alone() bool {
	text, at := p.text.String(), 0
	for _, m := range p.markers {
		if m.isText || m.kind == value || m.inline() || strings.TrimSpace(text[at:m.from]) != "" {
			return false
		}
		at = m.to
	}
	return strings.TrimSpace(text[at:]) == "" && !p.element.more
}

// part is one part of a file with its placeholders.
type part struct {
	data    []byte
	prefix  string // of the names of elements, with its colon
	root    *element
	markers []*marker
}

// The namespaces of WordprocessingML, transitional and strict.
var namespaces = []string{
	"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
	"http://purl.oclc.org/ooxml/wordprocessingml/main",
}

// parser builds the elements of a part.
type parser struct {
	*part
	ctx      context.Context
	decoder  *xml.Decoder
	skip     Skip
	at       *element
	open     []*paragraph // those not ended yet: a text box is within a paragraph
	text     *element     // the text element being read
	elements int
}

// parse finds the placeholders of a part.
func parse(ctx context.Context, data []byte, skip Skip) (*part, error) {
	p := &parser{part: &part{data: data, root: &element{outer: len(data), end: len(data)}}, ctx: ctx, skip: skip}
	if !bytes.Contains(data, []byte("{")) {
		return p.part, nil
	}
	p.decoder = xml.NewDecoder(bytes.NewReader(data))
	p.at = p.root
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		from := int(p.decoder.InputOffset())
		token, err := p.decoder.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, refuse.Damaged(err)
		}
		if err := p.token(token, from, int(p.decoder.InputOffset())); err != nil {
			return nil, err
		}
	}
	if p.at != p.root {
		return nil, refuse.Damaged(errors.New("an element does not end"))
	}
	slices.SortStableFunc(p.markers, func(a, b *marker) int { return cmp.Compare(a.position, b.position) })
	pair(p.markers)
	p.place()
	return p.part, nil
}

func (p *parser) token(t xml.Token, from, to int) error {
	switch t := t.(type) {
	case xml.StartElement:
		return p.start(t, from, to)
	case xml.EndElement:
		return p.finish(t, from, to)
	case xml.CharData:
		if p.text != nil && len(p.open) > 0 {
			return p.write(string(t))
		}
	case xml.Directive:
		return refuse.Damaged(errors.New("a declaration in the XML"))
	}
	return nil
}

// local returns the name of an element of WordprocessingML, and "" for others.
func (p *parser) local(n xml.Name) string {
	if n.Space+":" == p.prefix || n.Space == "" && p.prefix == "" {
		return n.Local
	}
	return ""
}

func (p *parser) start(t xml.StartElement, from, to int) error {
	if p.at == p.root {
		for _, a := range t.Attr {
			if slices.Contains(namespaces, a.Value) && a.Name.Space == "xmlns" {
				p.prefix = a.Name.Local + ":"
			}
		}
	}
	if p.elements++; p.elements > maxElements {
		return refuse.TooLarge("docx_text", fault.Number("limit", maxText>>20))
	}
	e := &element{name: p.local(t.Name), start: from, inner: to, parent: p.at}
	p.at.kids = append(p.at.kids, e)
	p.at = e
	switch e.name {
	case "p":
		p.open = append(p.open, &paragraph{element: e})
	case "t":
		if len(p.open) > 0 {
			now := p.open[len(p.open)-1]
			p.text = e
			now.pieces = append(now.pieces, piece{e, now.text.Len(), now.text.Len()})
		}
	case "tab", "cr":
		p.gap()
	case "br", "fldChar":
		p.gap()
		p.more()
	case "sectPr", "drawing", "pict", "object", "sym":
		p.more()
	}
	return nil
}

// more marks the paragraph as one that has more than text.
func (p *parser) more() {
	if len(p.open) > 0 {
		p.open[len(p.open)-1].element.more = true
	}
}

// gap ends the text before an element that is not text.
func (p *parser) gap() {
	if len(p.open) == 0 {
		return
	}
	now := p.open[len(p.open)-1]
	now.pieces = append(now.pieces, piece{nil, now.text.Len(), now.text.Len() + 1})
	now.text.WriteByte('\n')
}

func (p *parser) write(s string) error {
	now := p.open[len(p.open)-1]
	now.text.WriteString(strings.ReplaceAll(s, "\n", " "))
	now.pieces[len(now.pieces)-1].to = now.text.Len()
	if now.text.Len() > maxText {
		return refuse.TooLarge("docx_text", fault.Number("limit", maxText>>20))
	}
	return nil
}

func (p *parser) finish(t xml.EndElement, from, to int) error {
	e := p.at
	if e == p.root || p.local(t.Name) != e.name {
		return refuse.Damaged(fmt.Errorf("an element ends that did not begin, at %d", from))
	}
	e.outer, e.end = from, to
	p.at = e.parent
	keep := len(e.kids) > 0
	switch {
	case e == p.text:
		p.text, keep = nil, true
	case e.name == "p" && len(p.open) > 0:
		var err error
		if keep, err = p.close(); err != nil {
			return err
		}
	}
	if !keep {
		e.parent.kids = e.parent.kids[:len(e.parent.kids)-1]
		p.elements--
	}
	return nil
}

// close ends a paragraph. What has no placeholder is forgotten.
func (p *parser) close() (keep bool, err error) {
	now := p.open[len(p.open)-1]
	p.open = p.open[:len(p.open)-1]
	e := now.element
	if strings.Contains(now.text.String(), "{{") {
		if err := p.mark(now); err != nil {
			return false, err
		}
		if len(now.markers) > 0 {
			e.paragraph = now
			return true, nil
		}
	}
	p.elements -= prune(e)
	return len(e.kids) > 0, nil
}

// prune removes the elements that hold no paragraph with placeholders.
func prune(e *element) (removed int) {
	kept := e.kids[:0]
	for _, k := range e.kids {
		if k.paragraph == nil {
			removed += prune(k)
		}
		if k.paragraph != nil || len(k.kids) > 0 {
			kept = append(kept, k)
		} else {
			removed++
		}
	}
	e.kids = kept
	return removed
}

// mark finds the placeholders of a paragraph.
func (p *parser) mark(now *paragraph) error {
	text := now.text.String()
	for _, m := range braces.FindAllStringSubmatchIndex(text, -1) {
		x, ok := read(text[m[2]:m[3]], p.skip)
		if !ok {
			continue
		}
		if len(p.markers) >= maxMarkers {
			return refuse.TooLarge("docx_placeholders", fault.Number("limit", maxMarkers))
		}
		x.from, x.to, x.at = m[0], m[1], now
		x.position = now.pieceAt(x.from).element.start
		now.markers = append(now.markers, &x)
		p.markers = append(p.markers, &x)
	}
	return nil
}

// pieceAt returns the piece that holds a place in the text, which is not a gap.
func (p *paragraph) pieceAt(at int) piece { return p.pieces[p.indexAt(at)] }

func (p *paragraph) indexAt(at int) int {
	i, _ := slices.BinarySearchFunc(p.pieces, at, func(x piece, at int) int {
		if x.to <= at {
			return -1
		}
		return 0
	})
	return i
}

// place determines what the sections that go beyond a paragraph repeat or leave out.
func (p *part) place() {
	for _, m := range p.markers {
		if m.kind == begin && !m.isText && !m.inline() && !m.place() {
			m.isText, m.other.isText = true, true
		}
	}
}

// place returns false if the section and another one overlap.
func (m *marker) place() bool {
	within, first, last := common(m.at.element, m.other.at.element)
	if within == nil {
		return false
	}
	if within.name == "tr" {
		within, first, last = within.parent, within, within
	}
	s := span{slices.Index(within.kids, first), slices.Index(within.kids, last), m}
	for _, o := range within.spans { // which begin before this one
		if o.last >= s.first && o.last < s.last {
			return false
		}
	}
	within.spans = append(within.spans, s)
	return true
}

// common returns the element that holds two others, and its kids that do. It is nil if one
// of them holds the other.
func common(a, b *element) (within, first, last *element) {
	above := map[*element]*element{} // to the kid
	for e := a; e.parent != nil; e = e.parent {
		above[e.parent] = e
	}
	for e := b; e.parent != nil; e = e.parent {
		if kid := above[e.parent]; kid != nil {
			if e.parent == a || kid == e {
				return nil, nil, nil
			}
			return e.parent, kid, e
		}
		if e.parent == a {
			return nil, nil, nil
		}
	}
	return nil, nil, nil
}
