package docx

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
)

// Render draws the size bytes of r on c and reports deviations from Word's
// output. Fields with the file's name show the one given, unless it is "". If it fails, c holds part of the document.
func Render(ctx context.Context, r io.ReaderAt, size int64, name string, c Canvas) ([]Finding, error) {
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
		// A field shows the number of pages, so layout runs twice.
		if t, _, err = pass(ctx, p, main, name, measuring{c}, pics, o, t); err != nil {
			return nil, err
		}
	}
	_, found, err := pass(ctx, p, main, name, c, pics, o, t)
	if err != nil {
		return nil, err
	}
	return found.list(), nil
}

// measuring is a canvas that only measures text.
type measuring struct{ Canvas }

func (measuring) NewPage(float64, float64)                                                      {}
func (measuring) Text(float64, float64, float64, bool, bool, float64, float64, float64, string) {}
func (measuring) Line(float64, float64, float64, float64, float64, float64, float64, float64)   {}
func (measuring) Rect(float64, float64, float64, float64, float64, float64, float64)            {}
func (measuring) Image(float64, float64, float64, float64, []byte) error                        { return nil }

// pass lays the whole document out once.
func pass(ctx context.Context, p *pack, main *part, name string, c Canvas, pics *pictures, o *overview, before totals) (totals, *findings, error) {
	found := &findings{counts: map[string]int{}}
	d, err := newDocument(ctx, p, main, c, pics, found)
	if err != nil {
		return totals{}, nil, err
	}
	d.name = name
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
		// The next content is laid out to the width of its own section.
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

// stream reads the blocks of the document one by one.
type stream struct {
	r *reader
}

// block returns the next paragraph, table, or sibling element, unwrapped, or
// io.EOF at the end.
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
		if n.find("w:t") != nil { // in an unknown wrapper
			return n, nil
		}
	}
}
