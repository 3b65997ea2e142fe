package redact

import (
	"math"

	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

const (
	lightest  = 0.97 // gray, red, green and blue of what can't be told from white paper
	thickLine = 3    // width of lines that are more than lines, in points
)

// A ground adds up what is drawn beneath some rectangles.
type ground struct {
	boxes  []Rect
	shares []float64
}

// Shares returns how much of each of some rectangles of a page's user space may be covered by something that is
// not white: by text, pictures, areas and thick lines. It rather says too much: what overlaps counts twice.
func Shares(f *reader.File, page dict, resources any, boxes []Rect) ([]float64, error) {
	r := New(f, discard{})
	r.ground = &ground{boxes, make([]float64, len(boxes))}
	src, err := r.joined(page["Contents"])
	if err != nil {
		return nil, err
	}
	c := &content{r: r, resources: r.f.Dict(resources), src: src, structParents: -1}
	c.state = startState(identity)
	return r.ground.shares, c.run()
}

// draws notes that something is drawn within a rectangle of the user space of the page.
func (c *content) draws(box Rect) {
	g := c.r.ground
	if g == nil {
		return
	}
	box = c.state.clip.within(box)
	for i, b := range g.boxes {
		if !box.valid() {
			g.shares[i] = 1
			continue
		}
		width, height := min(b[2], box[2])-max(b[0], box[0]), min(b[3], box[3])-max(b[1], box[1])
		if width > 0 && height > 0 {
			g.shares[i] += width * height / ((b[2] - b[0]) * (b[3] - b[1]))
		}
	}
}

// fills notes the areas and thick lines of a path.
func (p *path) fills(c *content, op string) {
	if c.r.ground == nil || op == "n" {
		return
	}
	stroke := op == "S" || op == "s"
	m := c.state.ctm
	width := c.state.lineWidth * math.Sqrt(math.Abs(m[0]*m[3]-m[1]*m[2]))
	for _, x := range p.parts {
		if !stroke && !c.state.white {
			c.draws(x.box)
		}
		if width < thickLine || !stroke && op[0] != 'B' && op[0] != 'b' {
			continue
		}
		for _, one := range x.pieces {
			c.draws(Rect{one.box[0] - width/2, one.box[1] - width/2, one.box[2] + width/2, one.box[3] + width/2})
		}
	}
}

// ink follows the operators that set the colour of areas and text.
func (c *content) ink(op object.Keyword, operands []any) {
	s := &c.state
	var n []float64
	for _, v := range operands {
		x, ok := object.Float(v)
		if !ok {
			s.white = false // a pattern
			return
		}
		n = append(n, x)
	}
	switch op {
	case "g", "rg":
		s.white = s.plain(n, false)
	case "k":
		s.white = s.plain(n, true)
	case "sc", "scn":
		subtractive, ok := c.r.space(s.space)
		s.white = ok && s.plain(n, subtractive)
	}
}

// plain reports whether a colour is that of white paper.
func (s *state) plain(n []float64, subtractive bool) bool {
	for _, v := range n {
		if subtractive {
			v = 1 - v
		}
		if v < lightest {
			return false
		}
	}
	return len(n) > 0 && !s.blended
}

// space reports whether a colour space has a gray or red, green and blue, or inks, which are subtractive.
func (r *Redactor) space(v any) (subtractive, ok bool) {
	v = r.f.Resolve(v)
	family, _ := v.(name)
	if list := r.f.Array(v); len(list) > 0 {
		family = r.f.Name(list[0])
		if s, isStream := r.f.Resolve(list[len(list)-1]).(*reader.Stream); isStream && family == "ICCBased" {
			n, _ := r.f.Int(s.Dict["N"])
			return n == 4, n == 1 || n == 3 || n == 4
		}
	}
	switch family {
	case "DeviceGray", "DeviceRGB", "CalGray", "CalRGB":
		return false, true
	case "DeviceCMYK":
		return true, true
	}
	return false, false
}

// blend follows what a graphics state says of how colours mix and print.
func (s *state) blend(f *reader.File, d dict) {
	if mode := d["BM"]; mode != nil {
		n := f.Name(mode)
		s.blended = n != "Normal" && n != "Compatible"
	}
	if _, masked := f.Resolve(d["SMask"]).(dict); masked || d["TR"] != nil || d["TR2"] != nil {
		s.blended = true
	}
	s.white = s.white && !s.blended
}
