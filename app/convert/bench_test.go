package convert_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"io"
	"strings"
	"testing"

	"paraph/app/convert"
	"paraph/app/pdf/page"
	"paraph/app/pdf/text"
)

// noisy returns a picture that does not compress well, like a photograph.
func noisy(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	seed := uint32(1)
	for i := range m.Pix {
		seed = seed*1664525 + 1013904223
		m.Pix[i] = byte(i/(4*64)) ^ byte(seed>>29)
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	return m
}

func benchImage(b *testing.B, in []byte) {
	b.Helper()
	b.ReportAllocs()
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if err := convert.Image(b.Context(), bytes.NewReader(in), int64(len(in)), io.Discard,
			convert.ImageLimits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkJPEG200KB(b *testing.B) {
	var in bytes.Buffer
	if err := jpeg.Encode(&in, noisy(1250, 860), &jpeg.Options{Quality: 75}); err != nil {
		b.Fatal(err)
	}
	benchImage(b, in.Bytes())
}

func BenchmarkPNG(b *testing.B) { benchImage(b, pngOf(b, noisy(1000, 700))) }

func BenchmarkPNGWithAlpha(b *testing.B) {
	m := noisy(1000, 700)
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] = byte(i)
	}
	benchImage(b, pngOf(b, m))
}

// BenchmarkDOCX10Pages renders ten pages onto the PDF builder and writes them.
func BenchmarkDOCX10Pages(b *testing.B) {
	clause := say(strings.Repeat("The parties agree that the services are to be rendered with due care, in time and as described below. ", 6))
	in := word(b, strings.Repeat(clause, 70), "")
	fonts := text.New()
	b.ReportAllocs()
	pages := 0
	for b.Loop() {
		pdf := page.New(fonts, page.Info{})
		if _, err := convert.RenderDOCX(b.Context(), bytes.NewReader(in), int64(len(in)), "", pdf); err != nil {
			b.Fatal(err)
		}
		pages = pdf.Pages()
		if _, err := pdf.Write(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(pages), "pages")
}

func BenchmarkOffice(b *testing.B) {
	o := office(b)
	in := word(b, say("Contract"), "")
	for b.Loop() {
		if _, err := o.Convert(b.Context(), bytes.NewReader(in), "", io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
