package redact

import (
	"io"

	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// What meshes and characters of Type 3 fonts draw can't be cut. Those of which a part was in a region are emptied,
// wherever else they are used.

// Emptied returns, by object number, what takes the place of objects of the file.
func (r *Redactor) Emptied() map[int]*object.Stream { return r.emptied }

var (
	emptyForm      = object.Stream{Dict: dict{"Type": name("XObject"), "Subtype": name("Form"), "BBox": array{0, 0, 0, 0}, "Resources": dict{}}}
	emptyCharacter = object.Stream{Dict: dict{}, Data: []byte("1 0 d0")}
	emptyFunction  = object.Stream{Dict: dict{"FunctionType": 4, "Domain": array{0, 1, 0, 1}, "Range": array{0, 1}}, Data: []byte("{pop pop 1}")}
	emptyMesh      = object.Stream{Dict: dict{"ShadingType": 4, "ColorSpace": name("DeviceGray"), "BitsPerCoordinate": 8,
		"BitsPerComponent": 8, "BitsPerFlag": 8, "Decode": array{0, 1, 0, 1, 0, 1}}}
)

// A drawing is something of the file that may be a picture, by object number, and what takes its place.
type drawing map[int]object.Stream

func (r *Redactor) empty(number int, as object.Stream) {
	if r.textOnly || number == 0 || r.emptied[number] != nil || r.looking {
		return
	}
	if r.emptied == nil {
		r.emptied = map[int]*object.Stream{}
	}
	as.Dict = as.Dict.Clone()
	r.emptied[number] = &as
}

// emptyAll empties a picture, and reports whether it was there before.
func (r *Redactor) emptyAll(d drawing) (was bool) {
	for number, as := range d {
		was = was || r.emptied[number] == nil
		r.empty(number, as)
	}
	return was && !r.textOnly && !r.looking
}

// colour follows an operator that may set a pattern, for filling or for strokes.
func (c *content) colour(op object.Keyword, operands []any) {
	stroke := 0
	if op == "SCN" {
		stroke = 1
	}
	c.state.patterns[stroke], c.state.tiles[stroke] = nil, nil
	v := c.resource("Pattern", lastOf(operands))
	c.state.tiles[stroke] = c.tile(v)
	c.state.patterns[stroke] = c.r.meshes(c.r.f.Dict(v)["Shading"])
}

// meshes returns what of a shading may be a picture, nil if it is only a course of colours (ISO 32000-2
// §8.7.4.5): what it is drawn from, by object number.
func (r *Redactor) meshes(v any) drawing {
	d := r.f.Dict(v)
	if s, ok := r.f.Resolve(v).(*reader.Stream); ok {
		d = s.Dict
	}
	if d == nil {
		return nil
	}
	if kind, _ := r.f.Int(d["ShadingType"]); kind == 2 || kind == 3 {
		return nil
	}
	found := drawing{}
	if at, ok := v.(ref); ok {
		found[at.Number] = emptyMesh
	}
	functions, list := r.f.Resolve(d["Function"]).(array)
	if !list {
		functions = array{d["Function"]}
	}
	for _, f := range functions {
		if at, ok := f.(ref); ok {
			found[at.Number] = emptyFunction
		}
	}
	return found
}

// shade follows the operator sh, which fills what is not clipped away.
func (c *content) shade(operands []any, raw []byte) {
	c.draws(c.state.clip)
	v := c.resource("Shading", lastOf(operands))
	found := c.r.meshes(v)
	if c.r.textOnly || found == nil || !c.touches(c.state.clip) {
		c.keep("sh", operands, raw)
		return
	}
	if c.r.emptyAll(found) {
		c.r.spread++
	}
	c.remove()
}

// pictures returns what a character of a Type 3 font draws if it is a picture rather than a shape, and itself.
func (r *Redactor) pictures(v any, resources dict) drawing {
	at, _ := v.(ref)
	s, ok := r.f.Resolve(v).(*reader.Stream)
	if !ok {
		return nil
	}
	data, err := r.decode(s)
	if err != nil {
		return nil
	}
	found, coloured, last := drawing{}, false, any(nil)
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
		if c.r.emptyAll(f.pictures[int(code[0])]) {
			c.r.lost++
		}
	}
}
