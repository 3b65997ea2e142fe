package text

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif" // for stamps and logos
	_ "image/jpeg"
	_ "image/png"
	"io"
	"strconv"

	"paraph/app/pdf/object"
)

// MaxPixels is the size of the largest accepted picture.
const MaxPixels = 40_000_000

// ErrPicture indicates that bytes are not a picture that can be drawn: they are
// not JPEG, PNG or GIF, are damaged, or have more than MaxPixels.
var ErrPicture = errors.New("not a picture that can be drawn")

// A Picture is an image to be embedded by a set. A Picture may be drawn any
// number of times.
type Picture struct {
	Width, Height int // pixels, as displayed

	orientation int // EXIF orientation of the samples; 1 is upright

	name   object.Name
	stream *object.Stream
	mask   *object.Stream // nil if opaque
	ref    object.Ref

	stencil bool // mask tells only what is drawn and what isn't
}

// Picture reads a JPEG, whose data is used unchanged, or a PNG or GIF, whose
// transparency becomes a soft mask. If upright is set, it is rotated to the
// camera's orientation (EXIF) and cropped of transparent margins, as is
// appropriate for submitted pictures. The error wraps [ErrPicture].
func (s *Set) Picture(data []byte, upright bool) (*Picture, error) {
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPicture, err)
	}
	if config.Width <= 0 || config.Height <= 0 || config.Width > MaxPixels/config.Height {
		return nil, fmt.Errorf("%w: %d by %d pixels", ErrPicture, config.Width, config.Height)
	}
	p := &Picture{Width: config.Width, Height: config.Height, orientation: 1}
	// Submitted pictures are drawn into other people's files, whose colours may
	// be tied to a profile incompatible with CMYK.
	if keep := !upright || config.ColorModel != color.CMYKModel && !s.Opaque; format == "jpeg" && keep {
		p.stream = jpegStream(config, data)
	} else if err := p.decode(s, data, upright); err != nil {
		return nil, err
	}
	if format == "jpeg" && upright {
		p.turn(orientation(data))
	}
	p.name = object.Name("I" + strconv.Itoa(len(s.pictures)+1))
	s.pictures = append(s.pictures, p)
	return p, nil
}

func imageDict(width, height int, space object.Name, filter object.Name) object.Dict {
	return object.Dict{
		"Type": object.Name("XObject"), "Subtype": object.Name("Image"), "Width": width, "Height": height,
		"ColorSpace": space, "BitsPerComponent": 8, "Filter": filter,
	}
}

func jpegStream(config image.Config, data []byte) *object.Stream {
	space := object.Name("DeviceRGB")
	switch config.ColorModel {
	case color.GrayModel:
		space = "DeviceGray"
	case color.CMYKModel:
		space = "DeviceCMYK"
	}
	d := imageDict(config.Width, config.Height, space, "DCTDecode")
	if space == "DeviceCMYK" && bytes.Contains(data[:min(len(data), 4096)], []byte("Adobe\x00")) {
		d["Decode"] = object.Array{1, 0, 1, 0, 1, 0, 1, 0} // Adobe inverts the values
	}
	return &object.Stream{Dict: d, Data: data}
}

// decode converts any other picture to colour and opacity samples, row by row.
func (p *Picture) decode(s *Set, data []byte, trim bool) error {
	decoded, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrPicture, err)
	}
	m := rows{Image: decoded, box: decoded.Bounds()}
	if trim {
		m.box = m.visible()
	}
	p.Width, p.Height = m.box.Dx(), m.box.Dy()
	if p.Width == 0 || p.Height == 0 {
		return fmt.Errorf("%w: nothing visible", ErrPicture)
	}
	opaque := m.opaque()
	m.onWhite = s.Opaque
	rgb, alpha := m.samples(s.fonts, opaque)
	p.stream = &object.Stream{Dict: imageDict(p.Width, p.Height, "DeviceRGB", "FlateDecode"), Data: rgb}
	switch {
	case s.Opaque && trim:
		p.mask, p.stencil = m.stencil(s.fonts, isPaper), true
	case s.Opaque && !opaque:
		p.mask, p.stencil = rows{Image: m.Image, box: m.box}.stencil(s.fonts, isHole), true
	case !opaque:
		p.mask = &object.Stream{Dict: imageDict(p.Width, p.Height, "DeviceGray", "FlateDecode"), Data: alpha}
	}
	return nil
}

// rows is an image that is read one row at a time, to avoid a second copy of a
// large image.
type rows struct {
	image.Image
	box     image.Rectangle
	onWhite bool
}

// each calls row with the rows from the top, as red, green, blue and opacity.
func (m rows) each(row func(y int, pixels []byte)) {
	line := image.NewNRGBA(image.Rect(0, 0, m.box.Dx(), 1))
	for y := m.box.Min.Y; y < m.box.Max.Y; y++ {
		if m.onWhite {
			draw.Draw(line, line.Rect, image.White, image.Point{}, draw.Src)
			draw.Draw(line, line.Rect, m.Image, image.Pt(m.box.Min.X, y), draw.Over)
		} else {
			draw.Draw(line, line.Rect, m.Image, image.Pt(m.box.Min.X, y), draw.Src)
		}
		row(y, line.Pix)
	}
}

// opaque reports whether nothing can be seen through any pixel.
func (m rows) opaque() bool {
	opaque := true
	m.each(func(_ int, pixels []byte) {
		for i := 3; i < len(pixels); i += 4 {
			opaque = opaque && pixels[i] == 0xFF
		}
	})
	return opaque
}

// samples returns colours and, unless all is opaque, opacity, compressed.
func (m rows) samples(f *Fonts, opaque bool) (rgb, alpha []byte) {
	pick := func(from, to int) []byte {
		return f.flateTo(func(z io.Writer) {
			out := make([]byte, 0, (to-from)*m.box.Dx())
			m.each(func(_ int, pixels []byte) {
				out = out[:0]
				for i := 0; i < len(pixels); i += 4 {
					out = append(out, pixels[i+from:i+to]...)
				}
				_, _ = z.Write(out) // writes to memory never fail
			})
		})
	}
	if !opaque && !m.onWhite {
		alpha = pick(3, 4)
	}
	return pick(0, 3), alpha
}

// light is the luminance, from 0 to 255, above which a part of a submitted picture is taken for the
// paper that somebody signed on.
const light = 180

func isPaper(rgba []byte) bool { return luminance(rgba) > light }

// isHole reports whether more is seen of what is beneath a pixel than of itself.
func isHole(rgba []byte) bool { return rgba[3] < 0x80 }

// stencil returns the mask that leaves out pixels of a picture (ISO 32000-2 §8.9.6.3): one bit for
// each, 1 for what isn't drawn.
func (m rows) stencil(f *Fonts, without func(rgba []byte) bool) *object.Stream {
	data := f.flateTo(func(z io.Writer) {
		m.each(func(_ int, pixels []byte) {
			line := make([]byte, (len(pixels)/4+7)/8)
			for x := range len(pixels) / 4 {
				if without(pixels[4*x : 4*x+4]) {
					line[x/8] |= 0x80 >> (x % 8)
				}
			}
			_, _ = z.Write(line) // writes to memory never fail
		})
	})
	d := object.Dict{
		"Type": object.Name("XObject"), "Subtype": object.Name("Image"), "Width": m.box.Dx(), "Height": m.box.Dy(),
		"ImageMask": true, "BitsPerComponent": 1, "Filter": object.Name("FlateDecode"),
	}
	return &object.Stream{Dict: d, Data: data}
}

// luminance returns how light a colour is, from 0 to 255.
func luminance(rgb []byte) int {
	return (299*int(rgb[0]) + 587*int(rgb[1]) + 114*int(rgb[2])) / 1000
}

// Inked returns the size of a picture without transparent margins, how much of it would be seen on white
// paper, and how much is so dark that text beneath it could not be read, each from 0 to 1.
func Inked(picture image.Image) (size image.Point, seen, dark float64) {
	m := rows{Image: picture, box: picture.Bounds()}
	if m.box = m.visible(); m.box.Empty() {
		return size, 0, 0
	}
	m.onWhite = true
	m.each(func(_ int, pixels []byte) {
		for i := 0; i < len(pixels); i += 4 {
			switch l := luminance(pixels[i:]); {
			case l < tooDark:
				dark++
				seen++
			case l < 255-tooLight:
				seen++
			}
		}
	})
	all := float64(m.box.Dx() * m.box.Dy())
	return m.box.Size(), seen / all, dark / all
}

const (
	tooDark  = 96 // on what is darker, black can't be told apart
	tooLight = 64 // what is lighter can't be told apart from white paper
)

// Visible reports whether anything of a picture can be seen.
func Visible(m image.Image) bool {
	if o, ok := m.(interface{ Opaque() bool }); ok && o.Opaque() {
		return true
	}
	return !rows{Image: m, box: m.Bounds()}.visible().Empty()
}

// visible returns the smallest rectangle that contains every visible pixel.
func (m rows) visible() image.Rectangle {
	var r image.Rectangle
	m.each(func(y int, pixels []byte) {
		first, last := -1, -1
		for x := range len(pixels) / 4 {
			if pixels[4*x+3] != 0 {
				if first < 0 {
					first = x
				}
				last = x
			}
		}
		if first >= 0 {
			r = r.Union(image.Rect(m.box.Min.X+first, y, m.box.Min.X+last+1, y+1))
		}
	})
	return r
}

func (p *Picture) embed(w object.Writer) {
	if p.mask != nil {
		key := object.Name("SMask")
		if p.stencil {
			key = "Mask"
		}
		p.stream.Dict[key] = w.Add(p.mask)
	}
	p.ref = w.Add(p.stream)
}

// fit returns the size of the largest picture that a rectangle holds.
func (p *Picture) fit(w, h float64) (width, height float64) {
	scale := min(w/float64(p.Width), h/float64(p.Height))
	return float64(p.Width) * scale, float64(p.Height) * scale
}

// Image draws p in the middle of a box, as large as it allows, keeping its aspect ratio. What is
// beneath stays visible.
func (s *Set) Image(b Box, p *Picture) *Appearance {
	a := s.NewAppearance(b)
	a.Save()
	defer a.Restore()
	a.Multiply()
	w, h := p.fit(b.Width, b.Height)
	a.Picture((b.Width-w)/2, (b.Height-h)/2, w, h, p)
	return a
}

// Picture draws p in a rectangle.
func (d *Drawing) Picture(x, y, w, h float64, p *Picture) {
	d.pictures[p] = true
	d.Save()
	d.Transform(w, 0, 0, h, x, y)
	if m := turns[p.orientation]; m != turns[1] {
		d.Transform(m[0], m[1], m[2], m[3], m[4], m[5])
	}
	d.ops = append(d.ops, '/')
	d.ops = append(d.ops, p.name...)
	d.ops = append(d.ops, " Do\n"...)
	d.Restore()
}
