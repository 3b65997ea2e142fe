package text_test

import (
	"bytes"
	"image"
	"strings"
	"testing"
	"unicode/utf8"

	"paraph/app/pdf/object"
	"paraph/app/pdf/text"
)

// Any text in any box must produce an appearance that can be written, with
// intact fonts and extractable text equal to the input.
func FuzzText(f *testing.F) {
	for _, s := range samples {
		f.Add(s, 100.0, 20.0, 0.0, uint8(0))
	}
	f.Add("a\xFF\x00\u202E😀\u200D\r\n\t", 0.0, -5.0, 1e9, uint8(255))
	f.Add(strings.Repeat("١2אa)(", 50), 1e-9, 1e9, -1.0, uint8(3))
	fonts := text.New()
	f.Fuzz(func(t *testing.T, s string, width, height, size float64, how uint8) {
		if len(s) > 2000 {
			return
		}
		faces := append(text.Scripts(), text.Sans)
		style := text.Style{Face: faces[how%4], Bold: how&4 != 0, Italic: how&8 != 0}
		box := text.Box{Width: width, Height: height, Rotate: int(how) * 90}
		set := fonts.NewSet()
		all := []*text.Appearance{
			set.Text(box, text.Field{Text: s, Style: style, Size: size, Multiline: how&16 != 0}),
			set.Signature(box, text.Mark{Typed: s, Face: style.Face}, s, s),
			set.Stamp(box, text.Color{}, s, s),
			set.Attachment(box, s, s),
		}
		var o objects
		set.Embed(&o)
		for _, a := range all {
			stream, err := a.Stream()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := object.Append(nil, stream); err != nil {
				t.Fatal(err)
			}
		}
		assemble(t, o)
		checkLines(t, fonts, style, width, s)
	})
}

func checkLines(t *testing.T, fonts *text.Fonts, style text.Style, width float64, s string) {
	t.Helper()
	total := 0
	for _, l := range fonts.WrapLines(style, 10, width, s) {
		for _, g := range l.Glyphs {
			if !utf8.ValidString(g.Text()) {
				t.Fatalf("text of a glyph is %q", g.Text())
			}
			total += len(g.Text())
		}
	}
	if total > 4*len(s) {
		t.Fatalf("%d bytes of text became %d", len(s), total)
	}
	path, _, _ := fonts.Outline(style, 10, s)
	if strings.Contains(path, "NaN") || strings.Contains(path, "Inf") {
		t.Fatalf("outline %q", path)
	}
}

func FuzzPicture(f *testing.F) {
	f.Add(pngOf(f, pad()))
	f.Add([]byte("\xFF\xD8\xFF\xE0"))
	f.Add([]byte("GIF89a"))
	fonts := text.New()
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil && c.Width*c.Height > 1<<20 {
			return // takes too long to find much
		}
		set := fonts.NewSet()
		p, err := set.Picture(data, true)
		if err != nil {
			return
		}
		if p.Width <= 0 || p.Height <= 0 {
			t.Fatalf("picture of %d by %d", p.Width, p.Height)
		}
		set.Embed(&objects{})
	})
}
