package text_test

import (
	"testing"

	"paraph/app/pdf/text"
)

// Fonts are already loaded in all of these, as in a running program.

func BenchmarkField(b *testing.B) {
	for _, name := range []string{"latin", "arabic", "devanagari", "chinese", "korean"} {
		b.Run(name, func(b *testing.B) {
			fonts := text.New()
			b.ReportAllocs()
			size := 0
			field(b, fonts, name)
			for b.Loop() {
				size = field(b, fonts, name)
			}
			b.ReportMetric(float64(size), "bytes/pdf")
		})
	}
}

// field shapes, draws and embeds a value and returns the number of bytes it
// adds to a revision.
func field(b *testing.B, fonts *text.Fonts, name string) int {
	set := fonts.NewSet()
	a := set.Text(text.Box{Width: 200, Height: 20}, text.Field{Text: samples[name]})
	var o objects
	set.Embed(&o)
	stream, err := a.Stream()
	if err != nil {
		b.Fatal(err)
	}
	o.Add(stream)
	return len(assemble(b, o))
}

func BenchmarkTypedSignature(b *testing.B) {
	fonts := text.New()
	b.ReportAllocs()
	for b.Loop() {
		set := fonts.NewSet()
		set.Signature(text.Box{Width: 200, Height: 60}, text.Mark{Typed: "Zoë Łuczak"}, "Signed by Zoë Łuczak", "2026-11-21 12:00 UTC")
		var o objects
		set.Embed(&o)
	}
}

func BenchmarkLayout(b *testing.B) {
	fonts := text.New()
	for b.Loop() {
		fonts.Layout(text.Style{}, 12, "Zoë Łuczak")
	}
}

func BenchmarkMissing(b *testing.B) {
	fonts := text.New()
	for b.Loop() {
		fonts.Missing("Zoë Łuczak")
	}
}

// BenchmarkCold measures the first text of a process, which includes reading
// the font.
func BenchmarkCold(b *testing.B) {
	for _, name := range []string{"latin", "chinese"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				text.New().Layout(text.Style{}, 12, samples[name])
			}
		})
	}
}
