package redact

import (
	"maps"

	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// A font knows how far its characters reach. Sizes are in text space, for a font size of 1.
type font struct {
	source   any   // the font in the file
	codes    *cmap // nil for one byte per character
	vertical bool
	widths   map[int]float64 // by code or, with codes, by CID
	missing  float64         // width of others
	strict   bool            // others are not known
	heights  map[int]heights // of vertical writing
	height   heights
	boxes    map[int]Rect    // of a Type 3 font, by code
	drawn    map[int]bool    // the codes for which a Type 3 font has a procedure
	pictures map[int]drawing // those that characters of a Type 3 font are
	unplaced bool            // its characters can't be located for certain
	low      float64
	high     float64
}

// heights places a character in vertical writing (ISO 32000-2 §9.7.4.3).
type heights struct{ advance, x, y float64 }

// A glyph is one character of a string.
type glyph struct {
	length  int // bytes of its code
	advance float64
	box     Rect
	space   bool // word spacing applies
}

// What a character reaches below and above its line, without the accents of capitals.
const (
	descent = -0.2
	ascent  = 0.75
)

// maxWidths is the maximum number of widths that a font may list.
const maxWidths = 200_000

// font reads a font.
func (r *Redactor) font(v any) *font {
	key, ok := v.(ref)
	if f, known := r.fonts[key]; ok && known {
		return f
	}
	d := r.f.Dict(v)
	var f *font
	switch r.f.Name(d["Subtype"]) {
	case "Type0":
		f = r.compositeFont(d)
	case "Type3":
		f = r.drawnFont(d)
	case "Type1", "TrueType", "MMType1":
		f = r.simpleFont(d)
	}
	if f == nil {
		f = &font{unplaced: true}
	}
	f.source = v
	if ok {
		r.fonts[key] = f
	}
	return f
}

// simpleFont reads a font with one byte per character.
func (r *Redactor) simpleFont(d dict) *font {
	f := &font{low: descent, high: ascent}
	if d["Widths"] != nil {
		f.widths = r.listed(d)
		f.missing, _ = object.Float(r.f.Resolve(r.f.Dict(d["FontDescriptor"])["MissingWidth"]))
		f.missing /= 1000
		for code := range f.widths {
			f.widths[code] /= 1000
		}
		return f
	}
	base := string(r.f.Name(d["BaseFont"]))
	encoding, differences := r.encoding(d["Encoding"])
	standard, ok := standardCodes(base, encoding, differences)
	if !ok {
		return nil
	}
	f.strict, f.widths = true, make(map[int]float64, len(standard))
	for code, w := range standard {
		f.widths[code] = w / 1000
	}
	return f
}

// listed returns the widths that a font lists.
func (r *Redactor) listed(d dict) map[int]float64 {
	out := map[int]float64{}
	first, _ := r.f.Int(d["FirstChar"])
	for i, v := range r.f.Array(d["Widths"]) {
		if code := first + int64(i); code >= 0 && code < 256 {
			w, _ := object.Float(r.f.Resolve(v))
			out[int(code)] = w
		}
	}
	return out
}

// encoding returns the base encoding of a simple font, and the names of characters that differ from it.
func (r *Redactor) encoding(v any) (base string, differences map[int]string) {
	switch x := r.f.Resolve(v).(type) {
	case name:
		return string(x), nil
	case dict:
		differences = map[int]string{}
		code := int64(0)
		for _, e := range r.f.Array(x["Differences"]) {
			switch e := r.f.Resolve(e).(type) {
			case name:
				differences[int(code)] = string(e)
				code++
			default:
				code, _ = object.Int(e)
			}
		}
		return string(r.f.Name(x["BaseEncoding"])), differences
	}
	return "", nil
}

// drawnFont reads a Type 3 font.
func (r *Redactor) drawnFont(d dict) *font {
	m := matrix{0.001, 0, 0, 0.001, 0, 0}
	if d["FontMatrix"] != nil {
		m = r.matrix(d["FontMatrix"])
	}
	f := &font{widths: r.listed(d), boxes: map[int]Rect{}, drawn: map[int]bool{}, pictures: map[int]drawing{}}
	var all Rect
	if n := r.numbers(d["FontBBox"], 4); n != nil {
		all = Rect{min(n[0], n[2]), min(n[1], n[3]), max(n[0], n[2]), max(n[1], n[3])}
	}
	_, names := r.encoding(d["Encoding"])
	procs, resources := r.f.Dict(d["CharProcs"]), r.f.Dict(d["Resources"])
	unnamed := procs.Clone() // what codes without a name of their own draw, by the encoding below
	for _, n := range names {
		delete(unnamed, name(n))
	}
	others := drawing{}
	for _, v := range unnamed {
		maps.Copy(others, r.pictures(v, resources))
	}
	for code := range 256 {
		n, named := names[code]
		if named {
			f.drawn[code] = procs[name(n)] != nil
			f.pictures[code] = r.pictures(procs[name(n)], resources)
		} else {
			f.drawn[code], f.pictures[code] = len(unnamed) > 0, others
		}
		w, listed := f.widths[code]
		if !listed {
			continue
		}
		box := all
		if own, ok := r.drawnBox(procs[name(n)]); ok && named {
			box = own
		}
		f.widths[code] = w * m[0]
		if box[0] < box[2] && box[1] < box[3] {
			f.boxes[code] = m.rect(box)
		}
	}
	return f
}

// drawnBox returns the box that a character of a Type 3 font declares itself.
func (r *Redactor) drawnBox(v any) (Rect, bool) {
	s, ok := r.f.Resolve(v).(*reader.Stream)
	if !ok {
		return Rect{}, false
	}
	data, err := r.decode(s)
	if err != nil {
		return Rect{}, false
	}
	l := object.NewLexer(data, 0)
	var n []float64
	for len(n) <= 6 {
		v, err := l.Next()
		if err != nil {
			break
		}
		x, ok := object.Float(v)
		if !ok {
			if v == object.Keyword("d1") && len(n) == 6 {
				return Rect{min(n[2], n[4]), min(n[3], n[5]), max(n[2], n[4]), max(n[3], n[5])}, true
			}
			break
		}
		n = append(n, x)
	}
	return Rect{}, false
}

// compositeFont reads a Type 0 font.
func (r *Redactor) compositeFont(d dict) *font {
	codes := r.cmap(d["Encoding"], 0)
	if codes == nil {
		return nil
	}
	var below any
	if a := r.f.Array(d["DescendantFonts"]); len(a) > 0 {
		below = a[0]
	}
	cid := r.f.Dict(below)
	f := &font{codes: codes, vertical: codes.vertical, low: descent, high: ascent, missing: 1,
		widths: map[int]float64{}, height: heights{advance: -1, y: 0.88}, heights: map[int]heights{}}
	if w, ok := object.Float(r.f.Resolve(cid["DW"])); ok {
		f.missing = w / 1000
	}
	ok := r.ranges(cid["W"], 1, func(c int, w []float64) { f.widths[c] = w[0] / 1000 })
	if n := r.numbers(cid["DW2"], 2); n != nil {
		f.height = heights{advance: n[1] / 1000, y: n[0] / 1000}
	}
	ok = ok && r.ranges(cid["W2"], 3, func(c int, w []float64) {
		f.heights[c] = heights{w[0] / 1000, w[1] / 1000, w[2] / 1000}
	})
	if !ok {
		return nil
	}
	return f
}

// ranges reads the widths of a CID font, each of which has a count of numbers.
func (r *Redactor) ranges(v any, count int, set func(cid int, w []float64)) (ok bool) {
	list, left := r.f.Array(v), maxWidths
	for len(list) >= 2 {
		first, _ := r.f.Int(list[0])
		if each := r.f.Array(list[1]); each != nil {
			n := r.numbers(each, 0)
			for i := 0; i+count <= len(n) && left > 0; i += count {
				set(int(first)+i/count, n[i:i+count])
				left--
			}
			list = list[2:]
			continue
		}
		if len(list) < 2+count {
			break
		}
		last, _ := r.f.Int(list[1])
		n := r.numbers(list[2:2+count], count)
		for c := first; n != nil && c <= last && left > 0; c++ {
			set(int(c), n)
			left--
		}
		list = list[2+count:]
	}
	return left > 0
}

// next returns the first character of a string that has one; ok is false if it isn't known.
func (f *font) next(s []byte) (g glyph, ok bool) {
	code := int(s[0])
	g = glyph{length: 1, space: code == ' '}
	if f.codes != nil {
		if code, g.length, ok = f.codes.next(s); !ok {
			return g, false
		}
		g.space = g.space && g.length == 1
	}
	w, listed := f.widths[code]
	if !listed {
		if f.strict {
			return g, false
		}
		w = f.missing
	}
	if f.vertical {
		return f.upright(g, code, w), true
	}
	g.advance = w
	g.box = Rect{min(0, w), f.low, max(0, w), f.high}
	if f.low == f.high { // Type 3
		if g.box, ok = f.boxes[code]; !ok {
			return g, w == 0 && !listed && !f.drawn[code] // It has no such character.
		}
		if w > 0 {
			g.box[0], g.box[2] = 0, w
		}
	}
	return g, true
}

// length returns the length of the code of the first character of a string; ok is false if it isn't known.
func (f *font) length(s []byte) (n int, ok bool) {
	switch {
	case f.codes != nil:
		_, n, ok = f.codes.next(s)
		return n, ok && n > 0
	case f.unplaced:
		return 0, false
	}
	return 1, true
}

// upright returns a character of vertical writing.
func (f *font) upright(g glyph, cid int, w float64) glyph {
	h, ok := f.heights[cid]
	if !ok {
		h = f.height
		h.x = w / 2
	}
	g.advance = h.advance
	g.box = Rect{-h.x, f.low - h.y, w - h.x, f.high - h.y}
	return g
}
