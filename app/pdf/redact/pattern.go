package redact

import (
	"io"
	"maps"

	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// What patterns and characters of Type 3 fonts draw can't be cut: it is drawn again and again, anywhere. Those
// of which a part was in a region are emptied, wherever else they are used.

// Emptied returns, by object number, what takes the place of objects of the file.
func (r *Redactor) Emptied() map[int]*object.Stream { return r.emptied }

var (
	emptyPattern = object.Stream{Dict: dict{"Type": name("Pattern"), "PatternType": 1, "PaintType": 1, "TilingType": 1,
		"BBox": array{0, 0, 1, 1}, "XStep": 1, "YStep": 1, "Resources": dict{}}}
	emptyForm      = object.Stream{Dict: dict{"Type": name("XObject"), "Subtype": name("Form"), "BBox": array{0, 0, 0, 0}, "Resources": dict{}}}
	emptyCharacter = object.Stream{Dict: dict{}, Data: []byte("1 0 d0")}
)

func (r *Redactor) empty(number int, as object.Stream) {
	if r.textOnly || number == 0 {
		return
	}
	if r.emptied == nil {
		r.emptied = map[int]*object.Stream{}
	}
	as.Dict = as.Dict.Clone()
	r.emptied[number] = &as
}

// colour follows an operator that may set a pattern, for filling or for strokes.
func (c *content) colour(op object.Keyword, operands []any) {
	stroke := 0
	if op == "SCN" {
		stroke = 1
	}
	c.state.patterns[stroke] = 0
	v := c.resource("Pattern", lastOf(operands))
	_, drawn := c.r.f.Resolve(v).(*reader.Stream)
	if !drawn { // A mesh is as good as a picture.
		_, drawn = c.r.f.Resolve(c.r.f.Dict(v)["Shading"]).(*reader.Stream)
	}
	if at, ok := v.(ref); ok && drawn {
		c.state.patterns[stroke] = at.Number
	}
}

// pictures returns what a character of a Type 3 font draws if it is a picture rather than a shape, and itself.
func (r *Redactor) pictures(v any, resources dict) map[int]object.Stream {
	at, _ := v.(ref)
	s, ok := r.f.Resolve(v).(*reader.Stream)
	if !ok {
		return nil
	}
	data, err := r.decode(s)
	if err != nil {
		return nil
	}
	found, coloured, last := map[int]object.Stream{}, false, any(nil)
	images := r.f.Dict(resources["XObject"])
	for l := object.NewLexer(data, 0); ; {
		v, err := l.Next()
		if err == io.EOF || err != nil {
			return found
		}
		switch op, _ := v.(object.Keyword); op {
		case "d0":
			coloured = true
		case "BI":
			if coloured {
				found[at.Number] = emptyCharacter
			}
		case "Do":
			found[at.Number] = emptyCharacter
			n, _ := last.(name)
			if image, ok := images[n].(ref); ok {
				found[image.Number] = emptyForm
			}
		}
		last = v
	}
}

// hide empties the picture that a character of the font is.
func (c *content) hide(code object.String) {
	f := c.state.font
	if f != nil && len(code) == 1 {
		for number, as := range maps.All(f.pictures[int(code[0])]) {
			c.r.empty(number, as)
		}
	}
}
