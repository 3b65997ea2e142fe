package docx

import "strings"

// section describes the geometry of some pages, with their headers and footers.
type section struct {
	width, height            float64
	top, bottom, left, right float64
	header, footer           float64 // distance from the paper's edge
	columns                  int
	gap                      float64
	kind                     string // how it begins: nextPage, continuous, evenPage, oddPage
	titlePage                bool
	start                    length // first page number
	numberFormat             string
	refs                     map[string]string // "header/default" to relationship
}

func (s *section) columnWidth() float64 {
	w := s.width - s.left - s.right
	if s.columns > 1 {
		w = (w - s.gap*float64(s.columns-1)) / float64(s.columns)
	}
	return max(w, minColumn)
}

// tallest returns the height of a whole column of text.
func (d *document) tallest() float64 {
	s := d.flow.section
	return max(s.height-s.top-s.bottom-1, 36)
}

// readSection reads a w:sectPr; nil means the default page.
func readSection(n *node, before *section) *section {
	s := &section{width: 612, height: 792, columns: 1, kind: "nextPage", refs: map[string]string{}}
	size := n.child("w:pgSz")
	s.width, s.height = paper(size.attr("w:w"), s.width), paper(size.attr("w:h"), s.height)
	s.readMargins(n.child("w:pgMar"))
	s.readColumns(n.child("w:cols"))
	s.kind = orString(s.kind, n.child("w:type").val())
	s.titlePage = readToggle(n.child("w:titlePg")) == on
	number := n.child("w:pgNumType")
	if v := integer(number.attr("w:start"), -1); v >= 0 {
		s.start = points(float64(v))
	}
	s.numberFormat = number.attr("w:fmt")
	if before != nil { // unset properties are inherited from the previous section
		for k, v := range before.refs {
			s.refs[k] = v
		}
	}
	if n == nil {
		return s
	}
	for _, k := range n.kids {
		if k.name == "w:headerReference" || k.name == "w:footerReference" {
			what := strings.TrimSuffix(strings.TrimPrefix(k.name, "w:"), "Reference")
			s.refs[what+"/"+orString("default", k.attr("w:type"))] = k.attr("r:id")
		}
	}
	return s
}

// paper reads the length of a side of a page, within the limits of PDF.
func paper(value string, otherwise float64) float64 {
	l := twips(value)
	if !l.set || l.points <= 0 {
		return otherwise
	}
	return min(max(l.points, 36), 14400)
}

func (s *section) readMargins(n *node) {
	side := func(name string, otherwise float64) float64 {
		if l := twips(n.attr(name)); l.set {
			return max(l.points, -l.points) // negative: fixed, whatever the header takes
		}
		return otherwise
	}
	s.top, s.bottom = side("w:top", 72), side("w:bottom", 72)
	s.left, s.right = side("w:left", 72)+side("w:gutter", 0), side("w:right", 72)
	s.header, s.footer = min(side("w:header", 36), s.height/3), min(side("w:footer", 36), s.height/3)
	shrink(&s.left, &s.right, s.width-minColumn)
	shrink(&s.top, &s.bottom, s.height-36)
}

// shrink reduces two margins so that they leave room.
func shrink(a, b *float64, most float64) {
	if *a+*b > most && most >= 0 {
		scale := most / (*a + *b)
		*a, *b = *a*scale, *b*scale
	}
}

func (s *section) readColumns(n *node) {
	if n == nil {
		return
	}
	s.columns = min(max(integer(n.attr("w:num"), 1), 1), 12)
	s.gap = 36
	if l := twips(n.attr("w:space")); l.set {
		s.gap = max(l.points, 0)
	}
	if s.columns > 1 && (s.width-s.left-s.right-s.gap*float64(s.columns-1))/float64(s.columns) < 2*minColumn {
		s.columns = 1
	}
}

// headers lays out the header and footer of a page.
func (d *document) headers(s *section, first bool, number int) (head, foot []box) {
	kind := "default"
	switch {
	case first && s.titlePage:
		kind = "first"
	case d.settings.evenAndOdd && number%2 == 0:
		kind = "even"
	}
	return d.margin(s, "header/"+kind), d.margin(s, "footer/"+kind)
}

// maxMarginNodes bounds a header, which is laid out for every page.
const maxMarginNodes = 5000

// margin lays out a header or footer part.
func (d *document) margin(s *section, which string) []box {
	rel, ok := d.main.rels[s.refs[which]]
	if !ok || rel.external {
		return nil
	}
	m, err := d.marginPart(rel.target)
	if err != nil {
		d.fail(err)
		return nil
	}
	if m.root == nil {
		return nil
	}
	width := s.width - s.left - s.right
	if m.boxes != nil && m.width == width {
		return m.boxes
	}
	fields, counts := d.fields, d.nums.save()
	d.fields, d.computed = nil, false
	m.boxes, m.width = d.blocks(m.root.kids, m.part, environment{width: width}), width
	d.fields = fields
	d.nums.restore(counts)
	boxes := m.boxes
	if d.computed { // differs from page to page
		m.boxes = nil
	}
	return boxes
}
