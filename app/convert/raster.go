package convert

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"io"

	"paraph/app/convert/internal/vp8"
)

// layers converts a decoded picture to image XObjects in the smallest colour space that
// holds it without loss, with a soft mask if any pixel is not opaque. Conversion takes place
// while writing, one row at a time.
func layers(img image.Image) (layer, *layer) {
	switch m := img.(type) {
	case *image.Gray:
		if bilevel(m) {
			return bitLayer(m), nil
		}
		return rows(m, 1, "/DeviceGray", func(dst []byte, y int) { copy(dst, m.Pix[m.PixOffset(m.Rect.Min.X, y):]) }), nil
	case *image.Gray16:
		return rows(m, 1, "/DeviceGray", func(dst []byte, y int) {
			for i, p := 0, m.Pix[m.PixOffset(m.Rect.Min.X, y):]; i < len(dst); i++ {
				dst[i] = p[2*i]
			}
		}), nil
	case *image.CMYK:
		return rows(m, 4, "/DeviceCMYK", func(dst []byte, y int) { copy(dst, m.Pix[m.PixOffset(m.Rect.Min.X, y):]) }), nil
	case *image.Paletted:
		return palettedLayers(m)
	}
	c := rows(img, 3, "/DeviceRGB", rgbRow(img))
	if o, ok := img.(interface{ Opaque() bool }); ok && o.Opaque() {
		return c, nil
	}
	a := rows(img, 1, "/DeviceGray", alphaRow(img))
	return c, &a
}

// rows returns a layer whose rows are made by fill, y in the image's own
// coordinates, and compressed with PNG predictors.
func rows(img image.Image, components int, space string, fill func(dst []byte, y int)) layer {
	r := img.Bounds()
	return rowLayer(r.Dx(), r.Dy(), components, space, func(each func([]byte) error) error {
		dst := make([]byte, r.Dx()*components)
		for y := r.Min.Y; y < r.Max.Y; y++ {
			fill(dst, y)
			if err := each(dst); err != nil {
				return err
			}
		}
		return nil
	})
}

// rowLayer returns a layer of 8-bit samples whose rows are produced by walk.
func rowLayer(width, height, components int, space string, walk func(each func(row []byte) error) error) layer {
	return layer{
		width: width, height: height, bits: 8, space: space, components: components,
		more: fmt.Sprintf(" /DecodeParms <</Predictor 15 /Colors %d /Columns %d>>", components, width),
		data: func(ctx context.Context, w io.Writer) error {
			p := predictor{w: w, bpp: components}
			return walk(func(row []byte) error {
				if err := ctx.Err(); err != nil {
					return err
				}
				return p.row(row)
			})
		},
	}
}

func rgbRow(img image.Image) func([]byte, int) {
	r := img.Bounds()
	if m, ok := img.(*image.NRGBA); ok {
		return func(dst []byte, y int) {
			p := m.Pix[m.PixOffset(r.Min.X, y):]
			for i := 0; i < len(dst); i, p = i+3, p[4:] {
				copy(dst[i:i+3], p)
			}
		}
	}
	if m, ok := img.(*vp8.Image); ok {
		return func(dst []byte, y int) {
			for x := range r.Dx() {
				dst[3*x], dst[3*x+1], dst[3*x+2] = m.RGB(r.Min.X+x, y)
			}
		}
	}
	return func(dst []byte, y int) {
		for x := range r.Dx() {
			c := color.NRGBAModel.Convert(img.At(r.Min.X+x, y)).(color.NRGBA)
			dst[3*x], dst[3*x+1], dst[3*x+2] = c.R, c.G, c.B
		}
	}
}

func alphaRow(img image.Image) func([]byte, int) {
	r := img.Bounds()
	return func(dst []byte, y int) {
		for x := range dst {
			_, _, _, a := img.At(r.Min.X+x, y).RGBA()
			dst[x] = byte(a >> 8)
		}
	}
}

func palettedLayers(m *image.Paletted) (layer, *layer) {
	palette, alpha, opaque := splitPalette(m.Palette)
	width, height := m.Rect.Dx(), m.Rect.Dy()
	c := layer{width: width, height: height, bits: 8, components: 1, space: indexed(palette)}
	c.data = func(ctx context.Context, w io.Writer) error {
		return eachRow(ctx, m.Rect, func(y int) error {
			_, err := w.Write(m.Pix[m.PixOffset(m.Rect.Min.X, y):][:width])
			return err
		})
	}
	if opaque {
		return c, nil
	}
	a := rows(m, 1, "/DeviceGray", func(dst []byte, y int) {
		for x, i := range m.Pix[m.PixOffset(m.Rect.Min.X, y):][:width] {
			dst[x] = alpha[i]
		}
	})
	return c, &a
}

func eachRow(ctx context.Context, r image.Rectangle, fn func(y int) error) error {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fn(y); err != nil {
			return err
		}
	}
	return nil
}

// splitPalette returns 3 bytes per colour, and the alpha of all 256 indices.
func splitPalette(p color.Palette) (rgb []byte, alpha [256]byte, opaque bool) {
	opaque = true
	for i := range alpha {
		alpha[i] = 255
	}
	for i, c := range p[:min(len(p), 256)] {
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		rgb = append(rgb, n.R, n.G, n.B)
		alpha[i] = n.A
		opaque = opaque && n.A == 255
	}
	return rgb, alpha, opaque
}

// indexed returns the colour space of a palette, padded to 256 colours so that no index is
// out of range.
func indexed(rgb []byte) string {
	full := make([]byte, 768)
	copy(full, rgb)
	return fmt.Sprintf("[/Indexed /DeviceRGB 255 <%x>]", full)
}

// bilevel reports whether a picture is black and white, as scans and faxes are.
func bilevel(m *image.Gray) bool {
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		for _, v := range m.Pix[m.PixOffset(m.Rect.Min.X, y):][:m.Rect.Dx()] {
			if v != 0 && v != 255 {
				return false
			}
		}
	}
	return true
}

// bitLayer packs a bilevel picture into one bit a pixel.
func bitLayer(m *image.Gray) layer {
	l := layer{width: m.Rect.Dx(), height: m.Rect.Dy(), bits: 1, components: 1, space: "/DeviceGray"}
	l.data = func(ctx context.Context, w io.Writer) error {
		dst := make([]byte, (l.width+7)/8)
		return eachRow(ctx, m.Rect, func(y int) error {
			clear(dst)
			for x, v := range m.Pix[m.PixOffset(m.Rect.Min.X, y):][:l.width] {
				dst[x/8] |= v & 0x80 >> (x % 8)
			}
			_, err := w.Write(dst)
			return err
		})
	}
	return l
}
