package docx

import "strings"

// picture is a sized object in a line of text, or at its own position on the
// page.
type picture struct {
	width, height float64
	data          []byte // JPEG or PNG; nil: an empty frame
	rule          bool   // a horizontal line over the whole width
	anchor        *anchor
	border        border
}

// anchor places a picture independently of the text.
type anchor struct {
	fromH, fromV   string // page, margin, column, paragraph, …
	alignH, alignV string // left, center, right; top, center, bottom; "" by offset
	x, y           float64
}

// graphic adds drawn content; a run's other elements show nothing.
func (c *collector) graphic(k *node, f *format) {
	switch k.name {
	case "w:drawing":
		for _, g := range k.kids {
			if g.name == "wp:inline" || g.name == "wp:anchor" {
				c.drawing(g, f)
			}
		}
	case "w:pict":
		c.vml(k, f)
	case "w:object":
		c.d.findings.add("object")
		c.vml(k, f)
	}
}

// drawing reads DrawingML (§20.4).
func (c *collector) drawing(g *node, f *format) {
	width, height := emu(g.child("wp:extent").attr("cx")), emu(g.child("wp:extent").attr("cy"))
	uri := g.child("a:graphic", "a:graphicData").attr("uri")
	at := readAnchor(g)
	if g.name == "wp:anchor" && at == nil {
		c.d.findings.add("floating_picture")
	}
	shown := false
	g.each("pic:pic", func(p *node) {
		shown = true
		c.drawingPicture(g, p, width, height, at, f)
	})
	g.each("w:txbxContent", func(t *node) {
		shown = true
		c.d.findings.add("text_box")
		c.boxes = append(c.boxes, t)
	})
	switch {
	case shown:
	case strings.HasSuffix(uri, "/chart"), strings.HasSuffix(uri, "/chartex"):
		c.d.findings.add("chart")
		c.place(&picture{width: width, height: height}, f)
	case strings.HasSuffix(uri, "/diagram"):
		c.d.findings.add("smartart")
		c.place(&picture{width: width, height: height}, f)
	default:
		c.d.findings.add("shape")
	}
}

func (c *collector) drawingPicture(g, p *node, width, height float64, at *anchor, f *format) {
	xfrm := p.child("pic:spPr", "a:xfrm")
	if xfrm.attr("rot") != "" && xfrm.attr("rot") != "0" || xfrm.attr("flipH") == "1" || xfrm.attr("flipV") == "1" {
		c.d.findings.add("picture_rotated")
	}
	if g.find("wpg:wgp") != nil { // of a group: use the picture's own size
		width, height = emu(xfrm.child("a:ext").attr("cx")), emu(xfrm.child("a:ext").attr("cy"))
		at = nil
	}
	fill := p.child("pic:blipFill")
	pic := &picture{width: width, height: height, anchor: at, border: readOutline(p.child("pic:spPr", "a:ln"))}
	pic.data = c.load(orString(fill.child("a:blip").attr("r:link"), fill.child("a:blip").attr("r:embed")), fill.child("a:srcRect"))
	c.place(pic, f)
}

// readOutline reads the line around a picture (§20.1.2.2.24), black if its colour isn't given as numbers.
func readOutline(n *node) border {
	fill := n.child("a:solidFill")
	if fill == nil {
		return border{}
	}
	b := border{set: true, width: 0.75}
	if w := emu(n.attr("w")); w > 0 {
		b.width = min(w, 12)
	}
	b.colour, _ = readColour(fill.child("a:srgbClr").attr("val"))
	return b
}

// readStroke reads the line around a picture of the older kind, which has one only if it says so.
func readStroke(s *node) border {
	if !readVMLFlag(s.attr("stroked")) {
		return border{}
	}
	b := border{set: true, width: 0.75}
	if w := measure(strings.TrimSpace(s.attr("strokeweight")), 1).points; w > 0 {
		b.width = min(w, 12)
	}
	name, _, _ := strings.Cut(s.attr("strokecolor"), " ")
	if c, ok := readColour(name); ok {
		b.colour = c
	} else {
		b.colour = highlights[name]
	}
	return b
}

// readAnchor returns the position of a picture that text does not flow around.
func readAnchor(g *node) *anchor {
	free := g.child("wp:wrapNone") != nil || readFlag(g.attr("behindDoc")) == on
	if g.name != "wp:anchor" || !free {
		return nil
	}
	h, v := g.child("wp:positionH"), g.child("wp:positionV")
	a := &anchor{fromH: h.attr("relativeFrom"), fromV: v.attr("relativeFrom")}
	if n := h.child("wp:align"); n != nil {
		a.alignH = strings.TrimSpace(n.text)
	} else if n := h.child("wp:posOffset"); n != nil {
		a.x = emu(n.text)
	}
	if n := v.child("wp:align"); n != nil {
		a.alignV = strings.TrimSpace(n.text)
	} else if n := v.child("wp:posOffset"); n != nil {
		a.y = emu(n.text)
	}
	return a
}

// vml reads the older kind of drawing.
func (c *collector) vml(k *node, f *format) {
	shown := false
	k.each("w:txbxContent", func(t *node) {
		shown = true
		c.d.findings.add("text_box")
		c.boxes = append(c.boxes, t)
	})
	for _, s := range shapes(k) {
		switch {
		case s.find("v:textpath") != nil:
			shown = true
			c.d.findings.add("watermark")
		case s.child("v:imagedata") != nil:
			shown = true
			w, h := vmlSize(s.attr("style"))
			pic := &picture{width: w, height: h, data: c.load(s.child("v:imagedata").attr("r:id"), nil), border: readStroke(s)}
			c.place(pic, f)
		case readVMLFlag(s.attr("o:hr")):
			shown = true
			c.place(&picture{height: 1.5, rule: true}, f)
		}
	}
	if !shown && k.name == "w:pict" && len(shapes(k)) > 0 {
		c.d.findings.add("shape")
	}
}

func readVMLFlag(s string) bool { return s == "t" || s == "true" }

// shapes returns the shapes of a VML picture, including those in groups.
func shapes(k *node) (out []*node) {
	for _, s := range k.kids {
		switch s.name {
		case "v:shape", "v:rect", "v:roundrect", "v:line", "v:oval":
			out = append(out, s)
		case "v:group":
			out = append(out, shapes(s)...)
		}
	}
	return out
}

// vmlSize reads "width:10pt;height:20pt".
func vmlSize(style string) (w, h float64) {
	for _, p := range strings.Split(style, ";") {
		name, value, _ := strings.Cut(p, ":")
		switch strings.TrimSpace(name) {
		case "width":
			w = measure(strings.TrimSpace(value), 0.75).points
		case "height":
			h = measure(strings.TrimSpace(value), 0.75).points
		}
	}
	return w, h
}

// place adds a picture, with a default size if it has no sensible one.
func (c *collector) place(p *picture, f *format) {
	if p.width < 1 || p.height < 1 {
		p.width, p.height = max(p.width, 1), max(p.height, 1)
	}
	c.add(item{kind: pictureItem, f: f, pic: p})
}

// crop holds how much to cut off each side of a picture, as fractions of its size.
type crop struct{ left, top, right, bottom float64 }

func readCrop(n *node) crop {
	side := func(name string) float64 { return min(max(measure(n.attr(name), 1.0/100000).points, 0), 0.99) }
	return crop{side("l"), side("t"), side("r"), side("b")}
}
