package verify

import (
	"errors"
	"io"
	"math"
	"slices"

	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// Whatever is drawn later may lie over what was signed. Text and lines leave visible
// what is beneath; pictures, shadings and filled areas hide it, unless they are
// transparent or multiplied with it.

// painted returns the parts of its page that an annotation hides, by what it shows.
func (f *file) painted(d dict) []document.Rect {
	rect, ok := f.Rect(d["Rect"])
	const unseen = 2 | 32 // hidden, not viewed
	if flags, _ := f.Int(d["F"]); !ok || rect.Empty() || flags&unseen != 0 {
		return nil
	}
	shown := f.Resolve(f.Dict(d["AP"])["N"])
	if states, ok := shown.(dict); ok {
		shown = f.Resolve(states[f.Name(d["AS"])])
	}
	form, ok := shown.(*reader.Stream)
	if !ok {
		if f.Name(d["Subtype"]) != "Widget" && len(f.Array(d["IC"])) > 0 {
			return []document.Rect{rect} // readers fill it
		}
		return nil
	}
	box, ok := f.Rect(form.Dict["BBox"])
	if !ok || box.Empty() {
		return nil
	}
	own := f.matrix(form.Dict["Matrix"])
	w := &painting{f: f, within: rect, seen: map[int]bool{}}
	w.content(form, own.times(fitting(own.rect(box), rect)), state{alpha: 1})
	return w.out
}

// fitting returns the transformation of one rectangle to another (ISO 32000-2 §12.5.5).
func fitting(from, to document.Rect) matrix {
	fw, fh := from.Size()
	tw, th := to.Size()
	if fw <= 0 || fh <= 0 {
		return matrix{}
	}
	x, y := tw/fw, th/fh
	return matrix{x, 0, 0, y, to[0] - from[0]*x, to[1] - from[1]*y}
}

// A matrix is a transformation [a b c d e f] of points (ISO 32000-2 §8.3.4).
type matrix [6]float64

func (f *file) matrix(v any) matrix {
	m := matrix{1, 0, 0, 1, 0, 0}
	if n := f.numbers(f.Array(v)); len(n) == 6 {
		m = matrix(n)
	}
	return m
}

func (f *file) numbers(a array) []float64 {
	out := make([]float64, 0, len(a))
	for _, v := range a {
		n, ok := object.Float(f.Resolve(v))
		if !ok {
			return nil
		}
		out = append(out, n)
	}
	return out
}

// times returns m followed by n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// rect returns the rectangle around the transformed r.
func (m matrix) rect(r document.Rect) document.Rect {
	out := document.Rect{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range [4][2]float64{{r[0], r[1]}, {r[0], r[3]}, {r[2], r[1]}, {r[2], r[3]}} {
		x, y := m[0]*p[0]+m[2]*p[1]+m[4], m[1]*p[0]+m[3]*p[1]+m[5]
		out = document.Rect{min(out[0], x), min(out[1], y), max(out[2], x), max(out[3], y)}
	}
	return out
}

// A painting collects the areas that content streams paint.
type painting struct {
	f      *file
	within document.Rect
	out    []document.Rect
	seen   map[int]bool // forms that are being drawn
	depth  int
}

// state is the part of the graphics state that decides what hides something.
type state struct {
	ctm      matrix
	clip     document.Rect
	alpha    float64
	multiply bool // colours are multiplied with those beneath, or otherwise keep them
	masked   bool
	dark     bool // the colour of areas hides text even if multiplied
}

// opaque reports whether an area hides what is beneath. What lets more than a third of
// it through does not.
func (s state) opaque() bool {
	const through = 2.0 / 3
	return s.alpha > through && !s.masked
}

// add records an area, in the space of the current matrix.
func (w *painting) add(s state, r document.Rect) {
	const least = 2 // points: lines and dots hide nothing
	r = s.ctm.rect(r).Intersect(s.clip)
	if width, height := r.Size(); width > least && height > least {
		w.out = append(w.out, r)
	}
}

// maxPainted bounds the areas of one appearance; one with more hides all of its place.
const maxPainted = 500

func (w *painting) content(form *reader.Stream, m matrix, s state) {
	const deep = 12
	data, err := w.f.Decode(form)
	if err != nil || w.depth > deep || len(w.out) > maxPainted {
		w.out = append(w.out, w.within)
		return
	}
	w.depth++
	defer func() { w.depth-- }()
	if s.clip == (document.Rect{}) {
		s.clip = w.within
	}
	s.ctm = m
	if box, ok := w.f.Rect(form.Dict["BBox"]); ok {
		s.clip = s.clip.Intersect(m.rect(box))
	}
	c := areas{painting: w, state: s, resources: w.f.Dict(form.Dict["Resources"])}
	c.read(data)
}

// areas is a content stream that is read for the areas it paints.
type areas struct {
	*painting
	state
	saved     []state
	resources dict
	operands  array
	path      []outline // the parts of the current path
	clips     bool      // it becomes the clip
}

// An outline is a part of a path: the rectangle around it, and twice the area inside.
type outline struct {
	document.Rect
	area   float64
	x, y   float64 // its last point
	x0, y0 float64 // its first
}

// begun returns an outline that has a point.
func begun(x, y float64) outline {
	return outline{Rect: document.Rect{x, y, x, y}, x: x, y: y, x0: x, y0: y}
}

// to extends an outline to a point.
func (o *outline) to(x, y float64) {
	o.area += o.x*y - x*o.y
	o.x, o.y = x, y
	r := o.Rect
	o.Rect = document.Rect{min(r[0], x), min(r[1], y), max(r[2], x), max(r[3], y)}
}

// filled reports whether the outline has most of the rectangle around it inside. Ink
// of handwriting has not.
func (o *outline) filled() bool {
	const most = 0.5
	w, h := o.Size()
	return math.Abs(o.area+o.x*o.y0-o.x0*o.y)/2 > most*w*h
}

func (c *areas) read(data []byte) {
	l := object.NewLexer(data, 0)
	for !l.AtEnd() && len(c.out) <= maxPainted {
		v, err := l.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			c.out = append(c.out, c.within) // readers differ in what they make of the rest
			return
		}
		op, isOp := v.(object.Keyword)
		if !isOp {
			if len(c.operands) < 1<<12 {
				c.operands = append(c.operands, v)
			}
			continue
		}
		c.operator(string(op))
		c.operands = c.operands[:0]
		if op == "BI" { // an inline image, of whose data nothing more can be told
			if c.opaque() && !c.multiply {
				c.add(c.state, document.Rect{0, 0, 1, 1})
			}
			return
		}
	}
}

func (c *areas) operator(op string) {
	n := c.f.numbers(c.operands)
	switch op {
	case "q":
		if len(c.saved) < 1000 {
			c.saved = append(c.saved, c.state)
		}
	case "Q":
		if last := len(c.saved) - 1; last >= 0 {
			c.state, c.saved = c.saved[last], c.saved[:last]
		}
	case "cm":
		if len(n) == 6 {
			c.ctm = matrix(n).times(c.ctm)
		}
	case "gs", "Do":
		if s, ok := c.operand().(name); ok && op == "gs" {
			c.set(c.f.Dict(c.f.Dict(c.resources["ExtGState"])[s]))
		} else if ok {
			c.draw(c.f.Dict(c.resources["XObject"])[s])
		}
	case "g", "rg", "k", "sc", "scn", "cs":
		c.dark = dark(op, n)
	case "sh":
		if c.opaque() {
			c.out = append(c.out, c.clip)
		}
	case "re":
		if len(n) == 4 {
			o := begun(n[0], n[1])
			o.to(n[0]+n[2], n[1])
			o.to(n[0]+n[2], n[1]+n[3])
			o.to(n[0], n[1]+n[3])
			c.path = append(c.path, o)
		}
	case "m":
		if len(n) == 2 {
			c.path = append(c.path, begun(n[0], n[1]))
		}
	case "l", "c", "v", "y":
		c.to(n)
	case "W", "W*":
		c.clips = true
	case "f", "F", "f*", "B", "B*", "b", "b*":
		if c.opaque() && (!c.multiply || c.dark) {
			for _, o := range c.path {
				if o.filled() {
					c.add(c.state, o.Rect)
				}
			}
		}
		c.end()
	case "S", "s", "n":
		c.end()
	}
}

func (c *areas) operand() any {
	if len(c.operands) == 0 {
		return nil
	}
	return c.operands[len(c.operands)-1]
}

// dark reports whether text can't be read beneath a colour that is multiplied with it.
func dark(op string, n []float64) bool {
	const light = 0.4
	switch {
	case op == "g" && len(n) == 1:
		return n[0] < light
	case op == "rg" && len(n) == 3:
		return 0.3*n[0]+0.59*n[1]+0.11*n[2] < light
	case op == "k" && len(n) == 4:
		return 1-n[3]-0.3*n[0]-0.59*n[1]-0.11*n[2] < light
	}
	return true
}

// to extends the last part of the path to some points.
func (c *areas) to(n []float64) {
	if len(c.path) == 0 {
		return
	}
	for ; len(n) >= 2; n = n[2:] {
		c.path[len(c.path)-1].to(n[0], n[1])
	}
}

// end ends the path, which may become the clip.
func (c *areas) end() {
	if c.clips && len(c.path) > 0 {
		all := c.path[0].Rect
		for _, o := range c.path[1:] {
			r := o.Rect
			all = document.Rect{min(all[0], r[0]), min(all[1], r[1]), max(all[2], r[2]), max(all[3], r[3])}
		}
		c.clip = c.clip.Intersect(c.ctm.rect(all))
	}
	c.path, c.clips = c.path[:0], false
}

// set applies a graphics state dictionary (ISO 32000-2 §8.4.5).
func (c *areas) set(d dict) {
	if v, ok := object.Float(c.f.Resolve(d["ca"])); ok {
		c.alpha = v
	}
	if v := c.f.Resolve(d["BM"]); v != nil {
		modes := list(c.f, v)
		first, _ := c.f.Resolve(modes[0]).(name)
		c.multiply = slices.Contains([]name{"Multiply", "Darken", "ColorBurn"}, first)
	}
	if v := c.f.Resolve(d["SMask"]); v != nil {
		_, c.masked = v.(dict)
	}
}

// draw draws a form or an image.
func (c *areas) draw(v any) {
	x, ok := c.f.Resolve(v).(*reader.Stream)
	if !ok {
		return
	}
	if c.f.Name(x.Dict["Subtype"]) == "Form" {
		r, _ := v.(ref)
		if c.seen[r.Number] {
			return
		}
		c.seen[r.Number] = true
		c.content(x, c.f.matrix(x.Dict["Matrix"]).times(c.ctm), c.state)
		delete(c.seen, r.Number)
		return
	}
	if !c.opaque() || c.multiply {
		return
	}
	for _, r := range c.f.covering(x) {
		c.add(c.state, r)
	}
}

// covering returns the parts of an image that hide what is beneath, in the unit square.
func (f *file) covering(image *reader.Stream) []document.Rect {
	all := []document.Rect{{0, 0, 1, 1}}
	if stencil, _ := f.Resolve(image.Dict["ImageMask"]).(bool); stencil {
		return f.unmasked(image, true)
	}
	if soft, ok := f.Resolve(image.Dict["SMask"]).(*reader.Stream); ok {
		return f.unmasked(soft, false)
	}
	if hard, ok := f.Resolve(image.Dict["Mask"]).(*reader.Stream); ok {
		return f.unmasked(hard, true)
	}
	return all
}

// unmasked returns the tiles of an image that a mask leaves opaque as a whole. A mask
// that can't be read leaves all of it.
func (f *file) unmasked(mask *reader.Stream, stencil bool) []document.Rect {
	width, _ := f.Int(mask.Dict["Width"])
	height, _ := f.Int(mask.Dict["Height"])
	bits, _ := f.Int(mask.Dict["BitsPerComponent"])
	if stencil {
		bits = 1
	}
	row := (width*bits + 7) / 8
	data, err := f.Decode(mask)
	if err != nil || width <= 0 || height <= 0 || bits != 1 && bits != 8 || row*height > int64(len(data)) {
		return []document.Rect{{0, 0, 1, 1}}
	}
	decode := f.numbers(f.Array(mask.Dict["Decode"]))
	inverted := len(decode) == 2 && decode[0] > decode[1]
	opaque := func(x, y int64) bool {
		if bits == 8 {
			return data[y*row+x] >= 0x80 != inverted
		}
		set := data[y*row+x/8]>>(7-x%8)&1 == 1
		return set != stencil != inverted
	}
	const most = 16
	across, down := min(most, width), min(most, height)
	var out []document.Rect
	for i := range across {
		for j := range down {
			left, right, top, bottom := i*width/across, (i+1)*width/across, j*height/down, (j+1)*height/down
			full := true
			for y := top; full && y < bottom; y++ {
				for x := left; full && x < right; x++ {
					full = opaque(x, y)
				}
			}
			if full {
				w, h := float64(width), float64(height)
				out = append(out, document.Rect{float64(left) / w, 1 - float64(bottom)/h, float64(right) / w, 1 - float64(top)/h})
			}
		}
	}
	return out
}
