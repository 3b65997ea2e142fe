package docx

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"paraph/app/convert/internal/refuse"
)

// Render draws the size bytes of r on c and reports what is not shown as Word
// would show it. When it fails, c holds part of the document.
func Render(ctx context.Context, r io.ReaderAt, size int64, c Canvas) ([]Finding, error) {
	p, main, err := openPack(ctx, r, size)
	if err != nil {
		return nil, err
	}
	o, err := survey(ctx, p)
	if err != nil {
		return nil, err
	}
	pics := &pictures{loaded: map[pictureKey]loadedPicture{}}
	inMargins, err := main.mentionsTotals(p)
	if err != nil {
		return nil, err
	}
	var t totals
	if o.totals || inMargins {
		// Somebody asks for the number of pages, so they are made twice.
		if t, _, err = pass(ctx, p, main, measuring{c}, pics, o, t); err != nil {
			return nil, err
		}
	}
	_, found, err := pass(ctx, p, main, c, pics, o, t)
	if err != nil {
		return nil, err
	}
	return found.list(), nil
}

// measuring is a canvas on which nothing is drawn.
type measuring struct{ Canvas }

func (measuring) NewPage(float64, float64)                                                      {}
func (measuring) Text(float64, float64, float64, bool, bool, float64, float64, float64, string) {}
func (measuring) Line(float64, float64, float64, float64, float64, float64, float64, float64)   {}
func (measuring) Rect(float64, float64, float64, float64, float64, float64, float64)            {}
func (measuring) Image(float64, float64, float64, float64, []byte) error                        { return nil }

// pass lays the whole document out once.
func pass(ctx context.Context, p *pack, main *part, c Canvas, pics *pictures, o *overview, before totals) (totals, *findings, error) {
	found := &findings{counts: map[string]int{}}
	d, err := newDocument(ctx, p, main, c, pics, found)
	if err != nil {
		return totals{}, nil, err
	}
	o.report(found)
	d.totals = before
	d.flow = newFlow(d, o.sections)
	if err := d.body(); err != nil {
		return totals{}, nil, err
	}
	d.endNotes()
	d.flow.finish()
	return totals{pages: d.flow.pages, sections: d.flow.perIndex}, found, d.err
}

// body lays out the document part, block by block as it is read.
func (d *document) body() (err error) {
	rc, err := d.pack.zip.Open(d.pack.main, maxDocument)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rc.Close()) }()
	s := &stream{r: newReader(d.ctx, rc)}
	var held *node
	previous := noStyle
	for {
		next, err := s.block()
		if err != nil && err != io.EOF {
			return err
		}
		if held != nil {
			d.bodyBlock(held, previous, styleOf(next))
			previous = styleOf(held)
		}
		if err == io.EOF || d.stopped() {
			return d.err
		}
		held = next
	}
}

func (d *document) bodyBlock(n *node, previous, next string) {
	if d.flow.due > 0 {
		// What is laid out next has the width of the section that it begins.
		d.flow.beginSections()
	}
	env := environment{width: d.flow.width()}
	nodes := flattenBlocks(d, []*node{n})
	for _, k := range nodes {
		for _, b := range d.block(k, d.main, env, previous, next) {
			d.flow.add(b)
			if d.stopped() {
				return
			}
		}
	}
	if n.child("w:pPr", "w:sectPr") != nil {
		d.flow.endSection()
	}
}

// overview is what a first reading finds without laying anything out.
type overview struct {
	sections   []*section
	totals     bool // a field asks for the number of pages
	columns    bool
	borders    bool
	lineNumber bool
}

func (o *overview) report(f *findings) {
	f.add("fonts_replaced")
	for code, is := range map[string]bool{"columns": o.columns, "page_borders": o.borders, "line_numbers": o.lineNumber} {
		if is {
			f.add(code)
		}
	}
}

// survey reads the document for its sections, which are written at their end,
// and counts paragraphs.
func survey(ctx context.Context, p *pack) (o *overview, err error) {
	rc, err := p.zip.Open(p.main, maxDocument)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rc.Close()) }()
	o = &overview{}
	r := newReader(ctx, rc)
	var instruction strings.Builder
	paragraphs, elements, depth, inInstruction := 0, 0, 0, false
	for {
		t, err := r.next()
		if err == io.EOF && depth == 0 && paragraphs+len(o.sections) > 0 {
			break
		}
		if err != nil {
			return nil, notWellFormed(unexpectedEnd(err))
		}
		switch t := t.(type) {
		case xml.StartElement:
			name := r.name(t.Name)
			inInstruction = name == "w:instrText"
			if elements++; elements > maxNodes {
				return nil, tooManyElements()
			}
			switch name {
			case "w:p":
				elements = 0
				if paragraphs++; paragraphs > maxParagraphs {
					return nil, refuse.TooLarge("The DOCX has more than %d paragraphs.", maxParagraphs)
				}
			case "w:fldSimple":
				instruction.WriteString(r.start(t).attr("w:instr") + " ")
			case "w:sectPr":
				n, err := r.subtree(t)
				if err != nil {
					return nil, err
				}
				o.section(n)
				continue
			}
			if depth++; depth > maxDepth {
				return nil, refuse.TooLarge("The DOCX nests more than %d elements.", maxDepth)
			}
		case xml.EndElement:
			depth--
			inInstruction = false
		case xml.CharData:
			if inInstruction {
				instruction.Write(t)
			}
		}
		if instruction.Len() > 1<<16 {
			o.totals = o.totals || asksTotals(instruction.String())
			instruction.Reset()
		}
		if r.count++; r.count%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	o.totals = o.totals || asksTotals(instruction.String())
	if len(o.sections) == 0 {
		o.sections = append(o.sections, readSection(nil, nil))
	}
	return o, nil
}

const maxSections = 2000

func (o *overview) section(n *node) {
	if len(o.sections) >= maxSections {
		return
	}
	var before *section
	if len(o.sections) > 0 {
		before = o.sections[len(o.sections)-1]
	}
	s := readSection(n, before)
	o.sections = append(o.sections, s)
	o.columns = o.columns || s.columns > 1
	o.borders = o.borders || n.child("w:pgBorders") != nil
	o.lineNumber = o.lineNumber || n.child("w:lnNumType") != nil
}

func asksTotals(s string) bool {
	return strings.Contains(s, "NUMPAGES") || strings.Contains(s, "SECTIONPAGES")
}

// stream gives the blocks of the document one after the other.
type stream struct {
	r *reader
}

// block gives the next paragraph, table, or other element that stands beside
// them, out of whatever it is wrapped in; io.EOF at the end.
func (s *stream) block() (*node, error) {
	for {
		t, err := s.r.next()
		if err != nil {
			return nil, err
		}
		e, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		switch s.r.name(e.Name) {
		case "w:document", "w:body", "w:sdt", "w:sdtContent", "w:customXml", "w:smartTag", "w:ins", "w:moveTo":
			continue
		}
		n, err := s.r.subtree(e)
		if err != nil {
			return nil, err
		}
		switch n.name {
		case "w:p", "w:tbl", "w:altChunk", "mc:AlternateContent", "m:oMathPara", "m:oMath":
			return n, nil
		}
	}
}
