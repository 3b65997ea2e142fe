package verify

import (
	"math"
	"slices"

	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// Where a value had no appearance, readers drew it themselves: in the font, size and colour that the field
// names. An appearance that is added later to the same value must look like theirs.

// plain reports whether an appearance of a widget draws text as readers would by the default appearance of
// the field (ISO 32000-2 §12.7.4.3), and nothing else. What it can't tell is not plain.
func (f *file) plain(w document.Widget) bool {
	form, ok := f.Resolve(f.Dict(w.Dict["AP"])["N"]).(*reader.Stream)
	if !ok || form.Dict["Matrix"] != nil {
		return false
	}
	place, ok1 := f.Rect(w.Dict["Rect"])
	box, ok2 := f.Rect(form.Dict["BBox"])
	data, err := f.Decode(form)
	width, height := place.Size()
	across, up := box.Size()
	if !ok1 || !ok2 || err != nil || math.Abs(width-across) > 1 || math.Abs(height-up) > 1 {
		return false
	}
	p := plainText{f: f, box: box, fonts: f.Dict(f.Dict(form.Dict["Resources"])["Font"]), background: f.numbers(f.Array(f.Dict(w.Dict["MK"])["BG"])), colour: black, ok: true}
	if align, _ := f.Int(f.inherited(w.Dict, "Q")); align != 0 || !p.defaults(f.inherited(w.Dict, "DA")) {
		return false
	}
	p.read(data)
	return p.ok
}

// inherited returns an entry of a widget, its field or the fields above, or of the form.
func (f *file) inherited(d dict, key name) any {
	for range document.FieldDepth {
		if v := d[key]; v != nil || d == nil {
			return v
		}
		if d["Parent"] == nil {
			break
		}
		d = f.Dict(d["Parent"])
	}
	return f.Form()[key]
}

// A plainText is a content stream that is read for anything that readers would not draw.
type plainText struct {
	f          *file
	box        document.Rect
	fonts      dict
	background []float64

	font   any // of the default appearance
	size   float64
	wanted fill // the colour of the default appearance

	colour fill
	area   document.Rect // the rectangle that was drawn last
	x, y   float64       // where the line of text begins
	set    bool          // the font is the right one
	drew   bool          // some text
	ok     bool
}

// A fill is a colour to fill with.
type fill struct {
	op     string
	levels [4]float64
}

var black = fill{op: "g"}

func fillOf(op string, n []float64) fill {
	out := fill{op: op}
	copy(out.levels[:], n)
	return out
}

// defaults reads a default appearance.
func (p *plainText) defaults(v any) bool {
	s, ok := p.f.Resolve(v).(object.String)
	if !ok {
		return false
	}
	p.wanted = black
	each(s, func(op string, operands array) bool {
		n := p.f.numbers(operands)
		switch {
		case op == "Tf" && len(operands) == 2:
			font, _ := operands[0].(name)
			p.font = p.f.Dict(p.f.Dict(p.f.Form()["DR"])["Font"])[font]
			p.size, _ = object.Float(operands[1])
		case op == "g" || op == "rg" || op == "k":
			p.wanted = fillOf(op, n)
		}
		return true
	})
	return p.font != nil
}

// each calls visit with every operator of some content until it returns false.
func each(content []byte, visit func(op string, operands array) bool) {
	l := object.NewLexer(content, 0)
	var operands array
	for !l.AtEnd() {
		v, err := l.Next()
		if err != nil {
			return
		}
		if op, isOp := v.(object.Keyword); isOp {
			if !visit(string(op), operands) {
				return
			}
			operands = nil
		} else if operands = append(operands, v); len(operands) > 1<<10 {
			return
		}
	}
}

func (p *plainText) read(content []byte) {
	each(content, func(op string, operands array) bool {
		p.ok = p.permits(op, operands)
		return p.ok
	})
}

// permits follows an operator, and reports whether readers would use it so.
func (p *plainText) permits(op string, operands array) bool {
	n := p.f.numbers(operands)
	switch op {
	case "q", "Q", "BMC", "BDC", "EMC", "n", "TL", "ET":
		return true
	case "BT":
		p.x, p.y = 0, 0
		return true
	case "g", "rg", "k":
		p.colour = fillOf(op, n)
		return true
	case "re":
		if len(n) == 4 {
			p.area = document.Rect{min(n[0], n[0]+n[2]), min(n[1], n[1]+n[3]), max(n[0], n[0]+n[2]), max(n[1], n[1]+n[3])}
		}
		return len(n) == 4
	case "W", "W*":
		return p.nearlyAll(p.area)
	case "f", "F", "f*":
		return !p.drew && len(p.background) > 0 && slices.Equal(p.background, p.colour.levels[:min(len(p.background), 4)])
	case "Tf":
		return len(operands) == 2 && p.choose(operands)
	case "Td", "TD":
		if len(n) == 2 {
			p.x, p.y = p.x+n[0], p.y+n[1]
		}
		return len(n) == 2
	case "Tm":
		if len(n) == 6 {
			p.x, p.y = n[4], n[5]
		}
		return len(n) == 6 && slices.Equal(n[:4], []float64{1, 0, 0, 1})
	case "Tj", "TJ":
		p.drew = true
		left := p.box[0] + (p.box[2]-p.box[0])/4
		return p.set && p.colour == p.wanted && p.x >= p.box[0] && p.x <= left && p.y >= p.box[1] && p.y <= p.box[3]-p.size/2
	}
	return false
}

// choose takes a font for the text that follows.
func (p *plainText) choose(operands array) bool {
	const least = 4
	n, _ := operands[0].(name)
	size, ok := object.Float(operands[1])
	p.set = ok && p.f.sameFont(p.fonts[n], p.font) && (size == p.size || p.size == 0 && size >= least && size <= p.box[3]-p.box[1])
	return p.set
}

// sameFont reports whether two values are one font object.
func (f *file) sameFont(a, b any) bool {
	x, ok1 := a.(ref)
	y, ok2 := b.(ref)
	return ok1 && ok2 && x == y
}

// nearlyAll reports whether a rectangle leaves out only the border of the box.
func (p *plainText) nearlyAll(r document.Rect) bool {
	const border = 4
	w, h := p.box.Size()
	x, y := min(border, w/4), min(border, h/4)
	return r[0] <= p.box[0]+x && r[1] <= p.box[1]+y && r[2] >= p.box[2]-x && r[3] >= p.box[3]-y
}
