// Package vp8 corrects the colours of lossy WebP pictures: VP8 keeps luma from
// 16 to 235 and chroma from 16 to 240 (RFC 6386 §9.2), while the decoder's
// result says, by its type, that both go from 0 to 255.
package vp8

import (
	"image"
	"image/color"
)

// Image is a decoded picture with colours of VP8.
type Image struct {
	colours *image.YCbCr
	alpha   *image.NYCbCrA // nil: opaque
}

// Correct returns a picture decoded by golang.org/x/image/webp with its true
// colours. Lossless pictures are returned unchanged.
func Correct(img image.Image) image.Image {
	switch m := img.(type) {
	case *image.YCbCr:
		return &Image{colours: m}
	case *image.NYCbCrA:
		return &Image{colours: &m.YCbCr, alpha: m}
	}
	return img
}

// ColorModel implements image.Image.
func (m *Image) ColorModel() color.Model { return color.NRGBAModel }

// Bounds implements image.Image.
func (m *Image) Bounds() image.Rectangle { return m.colours.Rect }

// Opaque reports whether every pixel is fully opaque.
func (m *Image) Opaque() bool { return m.alpha == nil || m.alpha.Opaque() }

// At implements image.Image.
func (m *Image) At(x, y int) color.Color {
	r, g, b := m.RGB(x, y)
	c := color.NRGBA{R: r, G: g, B: b, A: 255}
	if m.alpha != nil {
		c.A = m.alpha.A[m.alpha.AOffset(x, y)]
	}
	return c
}

// RGB returns the colour of a pixel, by the arithmetic of libwebp.
func (m *Image) RGB(x, y int) (r, g, b byte) {
	i, j := m.colours.YOffset(x, y), m.colours.COffset(x, y)
	luma := int(m.colours.Y[i]) * 19077 >> 8
	u, v := int(m.colours.Cb[j]), int(m.colours.Cr[j])
	return clip(luma + v*26149>>8 - 14234), clip(luma - u*6419>>8 - v*13320>>8 + 8708), clip(luma + u*33050>>8 - 17685)
}

func clip(v int) byte { return byte(min(max(v>>6, 0), 255)) }
