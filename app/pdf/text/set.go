package text

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"

	"paraph/app/pdf/object"
)

// ErrNotEmbedded indicates that the resources of a drawing were requested
// before [Set.Embed] was called.
var ErrNotEmbedded = errors.New("the fonts of this drawing are not embedded yet")

// A Set collects the fonts and pictures used by one revision or one new
// document. Draw everything first, then call Embed once, then write the
// drawings. A Set is not safe for concurrent use, but Sets may share their
// Fonts.
type Set struct {
	// Opaque draws pictures on white instead of with transparency, which PDF/A-1
	// forbids (ISO 19005-1 §6.4).
	Opaque bool

	fonts    *Fonts
	used     []*subset
	last     *subset // the most recently used
	open     map[*face]*subset
	pictures []*Picture
	embedded bool
}

// NewSet returns an empty set.
func (f *Fonts) NewSet() *Set {
	return &Set{fonts: f, open: make(map[*face]*subset)}
}

// Fonts returns the fonts the set draws with.
func (s *Set) Fonts() *Fonts { return s.fonts }

// A subset collects the shapes used of one face. The codes in content streams
// number its shapes in order of first use, one for each pair of shape and text,
// so that text copied out of the PDF equals the text typed.
type subset struct {
	face   *face
	name   object.Name      // in resource dictionaries
	ascii  [128]uint16      // codes of the shapes of face.ascii, 0 for none
	common map[shapeKey]int // codes of the other shapes reserved, shared with other sets
	codes  map[shapeKey]int // of all others
	shapes []shape          // one for each code
	ref    object.Ref
}

func newSubset(fc *face, name string) *subset {
	return &subset{
		face: fc, name: object.Name(name), codes: map[shapeKey]int{},
		shapes: []shape{{}}, // code 0 is the glyph that is never shown
	}
}

// code returns the code of a shape, 0 if it has none.
func (u *subset) code(sh *shape) int {
	if sh.ascii != 0 {
		return int(u.ascii[sh.ascii])
	}
	key := sh.key()
	if code, ok := u.common[key]; ok {
		return code
	}
	return u.codes[key]
}

// add assigns the next code to a shape, and returns it.
func (u *subset) add(sh *shape) int {
	code := len(u.shapes)
	u.shapes = append(u.shapes, *sh)
	if sh.ascii != 0 {
		u.ascii[sh.ascii] = uint16(code)
	} else {
		u.codes[sh.key()] = code
	}
	return code
}

type shapeKey struct {
	id, width   int
	parts, text string
}

func (sh *shape) key() shapeKey {
	var parts []byte
	for _, p := range sh.parts {
		for _, v := range []int{p.id, p.x, p.y} {
			parts = binary.AppendVarint(parts, int64(v))
		}
	}
	return shapeKey{sh.id, sh.width, string(parts), sh.text}
}

// maxCodes is the number of codes that fit in two bytes, less room for the
// parts of composite glyphs.
const maxCodes = 1 << 15

// code returns the subset and the code for a shape.
func (s *Set) code(fc *face, sh *shape) (*subset, int) {
	u := s.last
	if u == nil || u.face != fc {
		u = s.open[fc]
		s.last = u
	}
	if u != nil {
		if c := u.code(sh); c != 0 {
			return u, c
		}
	}
	if u == nil || len(u.shapes) == maxCodes {
		u = s.begin(fc)
	}
	return u, u.add(sh)
}

// begin starts a subset of a face.
func (s *Set) begin(fc *face) *subset {
	u := newSubset(fc, "F"+strconv.Itoa(len(s.used)+1))
	s.open[fc], s.last = u, u
	s.used = append(s.used, u)
	return u
}

// Embed writes the fonts and pictures that were used. Nothing may be drawn with
// the set afterwards.
func (s *Set) Embed(w object.Writer) {
	if s.embedded {
		return
	}
	for _, u := range s.used {
		u.ref = u.embed(s.fonts, w)
	}
	for _, p := range s.pictures {
		p.embed(w)
	}
	s.embedded = true
}

// embed writes a Type0 font over a CIDFontType2 (ISO 32000-2 §9.7).
func (u *subset) embed(f *Fonts, w object.Writer) object.Ref {
	p := f.programs.get(u.key(), func() program { return u.compile(f) })
	descriptor := u.face.sfnt.descriptor(p.name, u.flags(), embedFile(w, p.file, p.size))
	descriptor["CIDSet"] = w.Add(&object.Stream{Data: cidSet(p.glyphs)})
	descendant := w.Add(object.Dict{
		"Type": object.Name("Font"), "Subtype": object.Name("CIDFontType2"), "BaseFont": p.name,
		"CIDSystemInfo": object.Dict{
			"Registry": object.String("Adobe"), "Ordering": object.String("Identity"), "Supplement": 0,
		},
		"FontDescriptor": w.Add(descriptor), "CIDToGIDMap": object.Name("Identity"),
		"W": object.Array{0, p.widths},
	})
	unicode := w.Add(&object.Stream{
		Dict: object.Dict{"Filter": object.Name("FlateDecode")},
		Data: p.unicode,
	})
	return w.Add(object.Dict{
		"Type": object.Name("Font"), "Subtype": object.Name("Type0"), "BaseFont": p.name,
		"Encoding": object.Name("Identity-H"), "DescendantFonts": object.Array{descendant}, "ToUnicode": unicode,
	})
}

// embedFile embeds a compressed font file.
func embedFile(w object.Writer, compressed []byte, size int) object.Ref {
	return w.Add(&object.Stream{
		Dict: object.Dict{"Filter": object.Name("FlateDecode"), "Length1": size},
		Data: compressed,
	})
}

// descriptor returns the font descriptor (ISO 32000-2 §9.8) of a subset.
func (s *sfnt) descriptor(name object.Name, flags int, file object.Ref) object.Dict {
	box := make(object.Array, 4)
	for i, v := range s.box {
		box[i] = s.mille(v)
	}
	return object.Dict{
		"Type": object.Name("FontDescriptor"), "FontName": name, "Flags": flags, "FontBBox": box,
		"ItalicAngle": s.italic, "Ascent": s.mille(s.ascent), "Descent": s.mille(s.descent),
		"CapHeight": s.mille(s.capHeight), "StemV": 80, "FontFile2": file,
	}
}

// cidSet returns a bit for each glyph of a subset, as required by PDF/A-1 (ISO
// 19005-1 §6.3.5).
func cidSet(glyphs int) []byte {
	b := bytes.Repeat([]byte{0xFF}, (glyphs+7)/8)
	if rest := glyphs % 8; rest != 0 {
		b[len(b)-1] = 0xFF << (8 - rest)
	}
	return b
}

// Flags of font descriptors (ISO 32000-2 §9.8.2).
const (
	symbolic    = 1 << 2
	nonsymbolic = 1 << 5
	italic      = 1 << 6
)

func (u *subset) flags() int {
	if u.face.sfnt.italic != 0 {
		return symbolic | italic
	}
	return symbolic
}

// widths returns the array of the widths of all shapes.
func (u *subset) widths() object.Raw {
	b := []byte{'['}
	for _, sh := range u.shapes {
		b = append(strconv.AppendFloat(b, u.face.sfnt.mille(sh.width), 'f', -1, 64), ' ')
	}
	b[len(b)-1] = ']'
	return b
}

// tag returns the tag of a subset (ISO 32000-2 §9.9.2): six letters hashed
// from its name and program, which identify it.
func tag(name string, program []byte) string {
	h := sha256.New()
	_, _ = h.Write([]byte(name)) // hashes never fail
	_, _ = h.Write(program)
	n := binary.BigEndian.Uint64(h.Sum(nil))
	b := make([]byte, 6)
	for i := range b {
		b[i] = byte('A' + n%26)
		n /= 26
	}
	return string(b)
}

// toUnicode returns the CMap from codes to text (ISO 32000-2 §9.10.3).
func (u *subset) toUnicode() []byte {
	b := []byte("/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n" +
		"/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def\n" +
		"/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n" +
		"1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n")
	const block = 100 // maximum number of lines between begin and end
	for from := 1; from < len(u.shapes); from += block {
		to := min(from+block, len(u.shapes))
		b = fmt.Appendf(b, "%d beginbfchar\n", to-from)
		for c := from; c < to; c++ {
			b = fmt.Appendf(b, "<%04X> <", c)
			b = append(appendUTF16(b, u.shapes[c].text), ">\n"...)
		}
		b = append(b, "endbfchar\n"...)
	}
	return append(b, "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"...)
}

func appendUTF16(b []byte, s string) []byte {
	for _, v := range utf16.Encode([]rune(s)) {
		b = fmt.Appendf(b, "%04X", v)
	}
	return b
}
