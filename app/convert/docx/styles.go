package docx

// maxStyleChain bounds the chain of styles based on one another.
const maxStyleChain = 32

// style is one style as written in styles.xml.
type style struct {
	kind, basedOn string
	para          paraProps
	run           runProps
	table         *node // the whole element, of a table style
}

// styles holds the styles of a document and its defaults.
type styles struct {
	byID        map[string]*style
	defaultPara string
	para        paraProps // defaults
	run         runProps
	paraCache   map[string]paraStyle
	charCache   map[string]runProps
}

// paraStyle is a paragraph style combined with those it is based on.
type paraStyle struct {
	para  paraProps
	run   runProps
	above paraProps // properties of the styles from the one with the numbering on
	chain bool      // above is in use
}

func readStyles(root *node) *styles {
	s := &styles{byID: map[string]*style{}, paraCache: map[string]paraStyle{}, charCache: map[string]runProps{}}
	s.run.size = points(10)
	if root == nil {
		return s
	}
	defaults := root.child("w:docDefaults")
	s.run = s.run.over(readRunProps(defaults.child("w:rPrDefault", "w:rPr")))
	s.para = readParaProps(defaults.child("w:pPrDefault", "w:pPr"))
	for _, k := range root.kids {
		if k.name != "w:style" {
			continue
		}
		st := &style{kind: orString("paragraph", k.attr("w:type")), basedOn: k.child("w:basedOn").val()}
		st.para, st.run = readParaProps(k.child("w:pPr")), readRunProps(k.child("w:rPr"))
		if st.kind == "table" {
			st.table = k
		}
		s.byID[k.attr("w:styleId")] = st
		if st.kind == "paragraph" && readFlag(k.attr("w:default")) == on {
			s.defaultPara = k.attr("w:styleId")
		}
	}
	return s
}

// chain returns a style and those it is based on, the base first.
func (s *styles) chain(id, kind string) (out []*style) {
	for range maxStyleChain {
		st := s.byID[id]
		if st == nil || st.kind != kind {
			break
		}
		out = append([]*style{st}, out...)
		id = st.basedOn
	}
	return out
}

// paragraph resolves a paragraph style, "" for the default. The result lacks
// the document's defaults.
func (s *styles) paragraph(id string) paraStyle {
	if s.byID[id] == nil {
		id = s.defaultPara
	}
	if p, ok := s.paraCache[id]; ok {
		return p
	}
	var p paraStyle
	for _, st := range s.chain(id, "paragraph") {
		p.para, p.run = p.para.over(st.para), p.run.over(st.run)
		if st.para.num != "" {
			p.above, p.chain = paraProps{}, true
		}
		if p.chain {
			p.above = p.above.over(st.para)
		}
	}
	p.para.style = id
	s.paraCache[id] = p
	return p
}

// character resolves a character style.
func (s *styles) character(id string) runProps {
	if p, ok := s.charCache[id]; ok {
		return p
	}
	var p runProps
	for _, st := range s.chain(id, "character") {
		p = p.over(st.run)
	}
	s.charCache[id] = p
	return p
}

// format is the resolved look of characters. It is comparable; equal formats
// are one value.
type format struct {
	size                    float64
	raise                   float64 // of the baseline
	bold, italic            bool
	underline, strike       bool
	caps, smallCaps, hidden bool
	colour                  colour
	back                    colour
	hasBack                 bool
	border                  border
	symbol                  bool // a font that maps letters to symbols
	wingdings               bool
}

// resolve returns the format for resolved properties.
func (s *styles) resolve(p runProps, dark bool) format {
	f := format{size: p.size.points, bold: p.bold == on, italic: p.italic == on}
	if p.rtl == on {
		f.bold, f.italic = p.boldCS == on, p.italicCS == on
		if p.sizeCS.set {
			f.size = p.sizeCS.points
		}
	}
	f.underline = p.underline != "" && p.underline != "none"
	f.strike, f.caps, f.smallCaps, f.hidden = p.strike == on, p.caps == on, p.smallCaps == on, p.vanish == on
	if c, ok := readColour(p.colour); ok {
		f.colour = c
	} else if dark {
		f.colour = colour{1, 1, 1} // "auto" on a dark background
	}
	f.border = p.border
	if p.shade != nil {
		f.back, f.hasBack = *p.shade, true
	}
	if c, ok := highlights[p.highlight]; ok {
		f.back, f.hasBack = c, true
	}
	f.symbol, f.wingdings = p.font == "Symbol", isWingdings(p.font)
	switch p.vertical {
	case "superscript":
		f.raise, f.size = f.size*0.35, f.size*0.65
	case "subscript":
		f.raise, f.size = -f.size*0.14, f.size*0.65
	}
	return f
}
