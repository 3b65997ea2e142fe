package text

import (
	"encoding/binary"
	"slices"
	"sync"

	"paraph/app/pdf/object"
)

// A program is the compiled form of a subset.
type program struct {
	name    object.Name // with its tag
	glyphs  int
	size    int    // of the font file
	file    []byte // compressed
	unicode []byte // compressed
	widths  object.Raw
}

// compile makes the font file and the CMap of a subset.
func (u *subset) compile(f *Fonts) program {
	file, glyphs := u.face.sfnt.subset(u.shapes)
	return program{
		name:   object.Name(tag(u.face.name, file) + "+" + u.face.name),
		glyphs: glyphs, size: len(file),
		file: f.flate(file), unicode: f.flate(u.toUnicode()),
		widths: u.widths(),
	}
}

// key identifies a face and its shapes in their order.
func (u *subset) key() string {
	b := append(make([]byte, 0, 16*len(u.shapes)), u.face.name...)
	for _, sh := range u.shapes {
		b = binary.AppendVarint(b, int64(sh.id))
		b = binary.AppendVarint(b, int64(sh.width))
		b = binary.AppendUvarint(b, uint64(len(sh.parts)))
		for _, p := range sh.parts {
			for _, v := range []int{p.id, p.x, p.y} {
				b = binary.AppendVarint(b, int64(v))
			}
		}
		b = binary.AppendUvarint(b, uint64(len(sh.text)))
		b = append(b, sh.text...)
	}
	return string(b)
}

// maxPrograms is the capacity of each generation of programs. Most take 10 to 20 KB.
const maxPrograms = 16

// programs caches the subsets compiled most recently, in two generations like
// [recent]: documents that reserve the same characters embed the same fonts.
type programs struct {
	mu         sync.Mutex
	young, old map[string]program
}

// get returns a program that must not be changed. Several goroutines may compile
// the same one at once.
func (c *programs) get(key string, compile func() program) program {
	p, ok := c.find(key)
	if !ok {
		p = compile()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.young == nil || len(c.young) >= maxPrograms {
		c.young, c.old = map[string]program{}, c.young
	}
	c.young[key] = p
	return p
}

func (c *programs) find(key string) (program, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p, ok := c.young[key]; ok {
		return p, true
	}
	p, ok := c.old[key]
	return p, ok
}

// reserved are the characters that most Latin texts consist of, and their ligatures.
const reserved = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~" +
	" ff fi fl ffi ffl ·"

// Reserve adds the characters of ASCII to the fonts of a new set, drawn or not. Its
// fonts are then the same as those of other such sets, and need not be compiled.
func (s *Set) Reserve(style Style) {
	for _, made := range s.fonts.reserved(style) {
		if s.open[made.face] != nil {
			for i := range made.shapes[1:] {
				s.code(made.face, &made.shapes[1+i])
			}
			continue
		}
		u := s.begin(made.face)
		u.ascii, u.common, u.shapes = made.ascii, made.codes, slices.Clip(made.shapes)
	}
}

// reserved returns the subsets of the reserved characters, which must not be changed. Styles
// are few, so all are kept.
func (f *Fonts) reserved(style Style) []*subset {
	if all, ok := f.common.Load(style); ok {
		return all.([]*subset)
	}
	s := f.NewSet()
	for _, g := range f.Layout(style, 1, reserved).Glyphs {
		s.code(g.face, g.shape)
	}
	f.common.Store(style, s.used)
	return s.used
}
