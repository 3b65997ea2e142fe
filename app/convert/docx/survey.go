package docx

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"paraph/app/convert/internal/refuse"
	"paraph/app/fault"
)

// overview is the result of a first pass, without layout.
type overview struct {
	sections    []*section
	totals      bool // a field shows the number of pages
	columns     bool
	borders     bool
	lineNumbers bool
}

func (o *overview) report(f *findings) {
	f.add("fonts_replaced")
	for _, c := range []struct {
		is   bool
		code string
	}{{o.columns, "columns"}, {o.borders, "page_borders"}, {o.lineNumbers, "line_numbers"}} {
		if c.is {
			f.add(c.code)
		}
	}
}

// survey reads the sections of the document, each of which is described at its
// end, and refuses documents that exceed a limit.
func survey(ctx context.Context, p *pack) (o *overview, err error) {
	rc, err := p.zip.Open(p.main, maxDocument)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rc.Close()) }()
	s := &surveyor{r: newReader(ctx, rc)}
	for {
		t, err := s.r.next()
		if err == io.EOF && s.rooted && s.depth == 0 {
			break
		}
		if err == nil {
			err = s.token(t)
		}
		if err != nil {
			return nil, notWellFormed(unexpectedEnd(err))
		}
		if s.r.count++; s.r.count%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	s.o.totals = s.o.totals || asksTotals(s.instructions.String())
	if len(s.o.sections) == 0 {
		s.o.sections = append(s.o.sections, readSection(nil, nil))
	}
	return &s.o, nil
}

// surveyor is the state of a survey.
type surveyor struct {
	r             *reader
	o             overview
	rooted        bool
	depth         int
	paragraphs    int
	elements      int // since the last paragraph began
	inInstruction bool
	instructions  strings.Builder // of fields, one after the other
}

func (s *surveyor) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		return s.start(t)
	case xml.EndElement:
		s.depth--
		s.inInstruction = false
	case xml.CharData:
		if s.inInstruction {
			s.instruction(string(t))
		}
	}
	return nil
}

func (s *surveyor) start(e xml.StartElement) error {
	name := s.r.name(e.Name)
	s.inInstruction = name == "w:instrText"
	if !s.rooted && name != "w:document" {
		return refuse.Unsupported(errors.New("main part of the DOCX is not a text document"))
	}
	s.rooted = true
	if s.elements++; s.elements > maxNodes {
		return tooManyElements()
	}
	switch name {
	case "w:p":
		s.elements = 0
		if s.paragraphs++; s.paragraphs > maxParagraphs {
			return refuse.TooLarge("docx_paragraphs", fault.Number("limit", maxParagraphs))
		}
	case "w:fldSimple":
		s.instruction(s.r.start(e).attr("w:instr") + " ")
	case "w:sectPr":
		n, err := s.r.subtree(e)
		if err != nil {
			return err
		}
		s.o.section(n)
		return nil
	}
	if s.depth++; s.depth > maxDepth {
		return refuse.TooLarge("docx_depth", fault.Number("limit", maxDepth))
	}
	return nil
}

// instruction collects field instructions; a name may span several runs.
func (s *surveyor) instruction(text string) {
	s.instructions.WriteString(text)
	if s.instructions.Len() > 1<<16 {
		s.o.totals = s.o.totals || asksTotals(s.instructions.String())
		s.instructions.Reset()
	}
}

// maxSections bounds the sections that are distinguished.
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
	o.lineNumbers = o.lineNumbers || n.child("w:lnNumType") != nil
}

func asksTotals(s string) bool {
	return strings.Contains(s, "NUMPAGES") || strings.Contains(s, "SECTIONPAGES")
}
