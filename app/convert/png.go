package convert

import (
	"context"
	"encoding/binary"
	"fmt"
	"image/png"
	"io"
)

// png copies the compressed data unchanged if PDF can read it, and otherwise
// rewrites it row by row. Only interlaced pictures are decoded whole.
func (s source) png(ctx context.Context) (picture, error) {
	f := &pngFile{r: s.r}
	if err := f.read(s.size); err != nil {
		return picture{}, err
	}
	if err := s.limits.checkPixels(f.width, f.height); err != nil {
		return picture{}, err
	}
	p := picture{resolution: f.resolution, orientation: f.orientation}
	var err error
	if f.interlaced {
		p.colour, p.mask, err = s.interlaced(f)
	} else {
		p.colour, p.mask, err = f.layers(ctx)
	}
	if p.colour.space != "" && p.colour.space[0] == '/' {
		p.colour.profile = validProfile(f.profile, p.colour.components)
	}
	return p, err
}

func (s source) interlaced(f *pngFile) (layer, *layer, error) {
	// The decoder holds the whole picture and one of its passes.
	perPixel := int64(2 * f.channels() * max(1, f.depth/8))
	if f.transparency != nil && f.colour != pngPalette {
		perPixel = int64(8 * max(1, f.depth/8))
	}
	img, err := s.decode(perPixel, png.DecodeConfig, png.Decode)
	if err != nil {
		return layer{}, nil, err
	}
	c, m := layers(img)
	return c, m, nil
}

// layers verifies all data once, then chooses how to write it.
func (f *pngFile) layers(ctx context.Context) (layer, *layer, error) {
	opaque, err := f.verify(ctx)
	if err != nil {
		return layer{}, nil, err
	}
	colour := f.rewritten()
	if f.depth <= 8 && (f.colour == pngGray || f.colour == pngRGB || f.colour == pngPalette) {
		colour = f.passed()
	}
	if opaque {
		return colour, nil, nil
	}
	alpha := f.alpha()
	mask := rowLayer(f.width, f.height, 1, "/DeviceGray", func(each func([]byte) error) error {
		dst := make([]byte, f.width)
		return f.rows(func(row []byte) error {
			alpha(dst, row)
			return each(dst)
		})
	})
	return colour, &mask, nil
}

// verify reads every row and reports whether every pixel is opaque.
func (f *pngFile) verify(ctx context.Context) (opaque bool, err error) {
	opaque = true
	alpha := f.alpha()
	dst := make([]byte, f.width)
	err = f.rows(func(row []byte) error {
		if opaque && alpha != nil {
			alpha(dst, row)
			for _, a := range dst {
				opaque = opaque && a == 255
			}
		}
		return ctx.Err()
	})
	return opaque, err
}

// passed returns a layer with the file's own compressed data (ISO 32000-2
// §7.4.4.4: predictor 15 is PNG's filtering).
func (f *pngFile) passed() layer {
	l := layer{width: f.width, height: f.height, bits: f.depth, components: f.channels(), encoded: true}
	l.space = map[int]string{pngGray: "/DeviceGray", pngRGB: "/DeviceRGB"}[f.colour]
	if f.colour == pngPalette {
		full := make([]byte, 3<<f.depth)
		copy(full, f.palette)
		l.space = fmt.Sprintf("[/Indexed /DeviceRGB %d <%x>]", 1<<f.depth-1, full)
	}
	l.more = fmt.Sprintf(" /Filter /FlateDecode /DecodeParms <</Predictor 15 /Colors %d /BitsPerComponent %d /Columns %d>>",
		l.components, f.depth, f.width)
	l.data = func(ctx context.Context, w io.Writer) error { return copySpans(ctx, w, f.r, f.data) }
	return l
}

// rewritten returns a layer of 8-bit samples without the alpha channel.
func (f *pngFile) rewritten() layer {
	channels, step := f.channels(), f.depth/8
	keep, space := 1, "/DeviceGray"
	if f.colour == pngRGB || f.colour == pngRGBAlpha {
		keep, space = 3, "/DeviceRGB"
	}
	return rowLayer(f.width, f.height, keep, space, func(each func([]byte) error) error {
		dst := make([]byte, f.width*keep)
		return f.rows(func(row []byte) error {
			for x := range f.width {
				for c := range keep {
					dst[x*keep+c] = row[(x*channels+c)*step] // the high byte of 16 bits
				}
			}
			return each(dst)
		})
	})
}

// alpha returns a function that reads a row's alpha, or nil if the file has
// none.
func (f *pngFile) alpha() func(dst, row []byte) {
	step := f.depth / 8
	switch {
	case f.colour == pngGrayAlpha || f.colour == pngRGBAlpha:
		n := f.channels() * step
		return func(dst, row []byte) {
			for x := range dst {
				dst[x] = row[(x+1)*n-step]
			}
		}
	case f.colour == pngPalette && len(f.transparency) > 0:
		return f.paletteAlpha()
	case f.colour == pngGray && len(f.transparency) >= 2, f.colour == pngRGB && len(f.transparency) >= 6:
		return f.keyAlpha()
	}
	return nil
}

func (f *pngFile) paletteAlpha() func(dst, row []byte) {
	return func(dst, row []byte) {
		for x := range dst {
			dst[x] = 255
			if i := f.sample(row, x); i < len(f.transparency) {
				dst[x] = f.transparency[i]
			}
		}
	}
}

// keyAlpha returns a function that treats one colour as transparent.
func (f *pngFile) keyAlpha() func(dst, row []byte) {
	channels := f.channels()
	key := make([]int, channels)
	for c := range key {
		key[c] = int(binary.BigEndian.Uint16(f.transparency[2*c:])) & (1<<f.depth - 1)
	}
	return func(dst, row []byte) {
		for x := range dst {
			dst[x] = 0
			for c := range key {
				if f.sample(row, x*channels+c) != key[c] {
					dst[x] = 255
				}
			}
		}
	}
}

// sample reads the i-th sample of a row at the file's depth.
func (f *pngFile) sample(row []byte, i int) int {
	switch f.depth {
	case 8:
		return int(row[i])
	case 16:
		return int(binary.BigEndian.Uint16(row[2*i:]))
	}
	bit := i * f.depth
	return int(row[bit/8]>>(8-f.depth-bit%8)) & (1<<f.depth - 1)
}
