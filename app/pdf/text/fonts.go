// Package text lays out text that people type: it shapes any script with its own
// fonts, embeds the glyphs used in a PDF, and draws the appearances of form
// fields and signatures.
//
// A character without a glyph in any font is never drawn as an empty box, but as its code
// point. It is reported by [Fonts.Missing] and in [Run.Missing], so that callers can refuse
// it before anything is signed.
//
// All measurements are in points. In a [Drawing] the origin is at the bottom
// left and y grows upwards, as in PDF.
package text

import (
	"bytes"
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/go-text/typesetting/font"
	"github.com/klauspost/compress/zlib"
	"golang.org/x/text/unicode/norm"
)

//go:embed fonts/*.ttf.gz
var files embed.FS

// Faces that a [Style] can name.
const (
	Sans    = "sans"
	Script1 = "script1" // Caveat: a quick hand, Latin and Cyrillic
	Script2 = "script2" // Dancing Script: Latin and Vietnamese
	Script3 = "script3" // Great Vibes: formal, Latin, Cyrillic and Vietnamese
	Script4 = "script4" // Marck Script: a felt pen, Latin and Cyrillic
	Script5 = "script5" // Sacramento: one thin line, Latin
	Script6 = "script6" // Bad Script: narrow and upright, Latin, Cyrillic and Vietnamese
)

// Scripts returns the faces for typed signatures, the default first.
func Scripts() []string { return []string{Script1, Script2, Script3, Script4, Script5, Script6} }

// ScriptsFor returns the faces for typed signatures that have every letter of a name. Other
// faces would show it partly or entirely in another hand. If none has them all, they look
// alike, and only the default is returned.
func (f *Fonts) ScriptsFor(name string) []string {
	fit := slices.DeleteFunc(Scripts(), func(face string) bool { return !f.faces[Style{Face: face}.primary()[0]].writes(name) })
	if len(fit) == 0 {
		return Scripts()[:1]
	}
	return fit
}

// TypedIn returns the style of a name typed as a signature, which keeps to one hand: if the face
// lacks one of its letters, the whole name moves to a face that has them all, as long as there is one.
func (f *Fonts) TypedIn(face, name string) Style {
	if face == "" {
		face = Script1
	}
	for _, face := range append([]string{face}, append(Scripts(), Sans)...) {
		if style := (Style{Face: face}); f.faces[style.primary()[0]].writes(name) {
			return style
		}
	}
	for i := range catalog {
		lead := func(r rune) bool { return catalog[i].covers(r, false) }
		if strings.ContainsFunc(name, lead) && f.faces[catalog[i].name].writes(name) {
			return Style{Face: catalog[i].name}
		}
	}
	return Style{Face: Sans}
}

// writes reports whether the font has every letter of a name.
func (fc *face) writes(name string) bool {
	return !strings.ContainsFunc(norm.NFC.String(name), func(r rune) bool { return !unicode.IsSpace(r) && !fc.hasAll([]rune{r}) })
}

// Inked reports whether any of s can be seen on paper. Blanks, fillers and marks of layout can't.
func (f *Fonts) Inked(s string) bool {
	path, _, _ := f.Outline(Style{}, 1000, s)
	return path != ""
}

// A Style describes the look of text. The zero Style is upright Sans. Bold and
// Italic are ignored if a font lacks them. An unknown Face means Sans.
type Style struct {
	Face   string
	Bold   bool
	Italic bool
}

// Fonts holds the fonts of the program, which are read on first use and cached.
// It is safe for concurrent use.
type Fonts struct {
	faces    map[string]*face
	shapers  freeList[*shaper]
	packers  freeList[*zlib.Writer]
	recent   recent
	programs programs
	common   sync.Map // Style to []*subset: see Set.Reserve
}

// New returns the fonts. It is cheap, because it reads no font.
func New() *Fonts {
	f := &Fonts{faces: make(map[string]*face)}
	for _, s := range catalog {
		f.faces[s.name] = &face{name: s.name}
	}
	f.shapers = newFreeList(newShaper)
	f.packers = newFreeList(func() *zlib.Writer { return zlib.NewWriter(io.Discard) })
	return f
}

// Check reads every font and reports damaged ones.
func (f *Fonts) Check() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(f.faces)) {
		if fc := f.faces[name]; !fc.ready() {
			errs = append(errs, fc.err)
		}
	}
	return errors.Join(errs...)
}

// flate compresses data with a reused writer.
func (f *Fonts) flate(data []byte) []byte {
	return f.flateTo(func(w io.Writer) {
		_, _ = w.Write(data) // writes to memory never fail
	})
}

// flateTo compresses the output of write. The result goes to a bytes.Buffer, so
// writing never fails.
func (f *Fonts) flateTo(write func(io.Writer)) []byte {
	var b bytes.Buffer
	z := f.packers.take()
	defer f.packers.put(z)
	z.Reset(&b)
	write(z)
	_ = z.Close()
	return b.Bytes()
}

// freeList keeps expensive objects for reuse. A sync.Pool would drop them at the
// next garbage collection.
type freeList[T any] struct {
	free chan T
	make func() T
}

func newFreeList[T any](create func() T) freeList[T] {
	return freeList[T]{free: make(chan T, runtime.GOMAXPROCS(0)), make: create}
}

func (s freeList[T]) take() T {
	select {
	case v := <-s.free:
		return v
	default:
		return s.make()
	}
}

func (s freeList[T]) put(v T) {
	select {
	case s.free <- v:
	default:
	}
}

// A face is one font. Its parsed form is safe for concurrent use.
type face struct {
	name string
	once sync.Once
	font *font.Font
	sfnt *sfnt
	err  error

	ascii [128]shape // the shapes that most texts consist of, by character
}

// ready reads the font on the first call. An unreadable font has no glyphs, so
// its text is reported as missing; err holds the reason.
func (fc *face) ready() bool {
	fc.once.Do(func() {
		if err := fc.load(); err != nil {
			fc.err = fmt.Errorf("font %s: %w", fc.name, err)
		}
	})
	return fc.err == nil
}

func (fc *face) load() error {
	packed, err := files.Open("fonts/" + fc.name + ".ttf.gz")
	if err != nil {
		return err
	}
	defer func() { _ = packed.Close() }() // in memory: closing can't fail
	z, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		return err
	}
	if fc.sfnt, err = parseSFNT(raw); err != nil {
		return err
	}
	parsed, err := font.ParseTTF(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	fc.font = parsed.Font
	for r := rune(' '); r <= '~'; r++ {
		if g, ok := fc.font.NominalGlyph(r); ok && g != 0 {
			fc.ascii[r] = shape{id: int(g), width: fc.sfnt.advance(int(g)), text: string(r), ascii: byte(r)}
		}
	}
	return nil
}

// shape returns the shape of a glyph that represents text.
func (fc *face) shape(id int, text []rune) *shape {
	if len(text) == 1 && text[0] <= '~' && id == fc.ascii[text[0]].id {
		return &fc.ascii[text[0]]
	}
	return &shape{id: id, width: fc.sfnt.advance(id), text: string(text)}
}

// has reports whether the font has its own glyph for r.
func (fc *face) has(r rune) bool {
	if !fc.ready() {
		return false
	}
	g, ok := fc.font.NominalGlyph(r)
	return ok && g != 0
}
