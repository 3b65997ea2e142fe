package text

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif" // pictures of stamps and logos
	_ "image/jpeg"
	_ "image/png"
	"strconv"

	"paraph/app/pdf/object"
)

// MaxPixels is the largest picture that is accepted.
const MaxPixels = 40_000_000

// ErrPicture says that bytes are no picture that can be drawn: not JPEG, PNG or
// GIF, damaged, or of more than MaxPixels.
var ErrPicture = errors.New("not a picture that can be drawn")

// A Picture is an image that a set will embed. One Picture may be drawn many
// times.
type Picture struct {
	Width, Height int // pixels

	name   object.Name
	stream *object.Stream
	mask   *object.Stream // nil without transparency
	ref    object.Ref
}

// Picture reads a JPEG, which is kept as it is, or a PNG or GIF, whose
// transparency becomes a soft mask. Transparent margins are cut off when trim is
// set. The error wraps [ErrPicture].
func (s *Set) Picture(data []byte, trim bool) (*Picture, error) {
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPicture, err)
	}
	if config.Width <= 0 || config.Height <= 0 || config.Width > MaxPixels/config.Height {
		return nil, fmt.Errorf("%w: %d by %d pixels", ErrPicture, config.Width, config.Height)
	}
	p := &Picture{Width: config.Width, Height: config.Height}
	if format == "jpeg" {
		p.stream = jpegStream(config, data)
	} else if err := p.decode(s.fonts, data, trim); err != nil {
		return nil, err
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
		d["Decode"] = object.Array{1, 0, 1, 0, 1, 0, 1, 0} // Adobe writes the inverse
	}
	return &object.Stream{Dict: d, Data: data}
}

// decode turns any other picture into samples of colour and of opacity.
func (p *Picture) decode(f *Fonts, data []byte, trim bool) error {
	decoded, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrPicture, err)
	}
	m := image.NewNRGBA(image.Rect(0, 0, decoded.Bounds().Dx(), decoded.Bounds().Dy()))
	draw.Draw(m, m.Bounds(), decoded, decoded.Bounds().Min, draw.Src)
	if trim {
		m = m.SubImage(visible(m)).(*image.NRGBA)
	}
	p.Width, p.Height = m.Rect.Dx(), m.Rect.Dy()
	if p.Width == 0 || p.Height == 0 {
		return fmt.Errorf("%w: nothing to be seen", ErrPicture)
	}
	rgb, alpha, opaque := samples(m)
	p.stream = &object.Stream{Dict: imageDict(p.Width, p.Height, "DeviceRGB", "FlateDecode"), Data: f.flate(rgb)}
	if !opaque {
		p.mask = &object.Stream{Dict: imageDict(p.Width, p.Height, "DeviceGray", "FlateDecode"), Data: f.flate(alpha)}
	}
	return nil
}

func samples(m *image.NRGBA) (rgb, alpha []byte, opaque bool) {
	rgb = make([]byte, 0, 3*m.Rect.Dx()*m.Rect.Dy())
	alpha = make([]byte, 0, m.Rect.Dx()*m.Rect.Dy())
	opaque = true
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		row := m.Pix[m.PixOffset(m.Rect.Min.X, y):]
		for x := range m.Rect.Dx() {
			px := row[4*x : 4*x+4]
			rgb = append(rgb, px[0], px[1], px[2])
			alpha = append(alpha, px[3])
			opaque = opaque && px[3] == 0xFF
		}
	}
	return rgb, alpha, opaque
}

// visible is the smallest rectangle that holds every pixel that can be seen.
func visible(m *image.NRGBA) image.Rectangle {
	var r image.Rectangle
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		row := m.Pix[m.PixOffset(m.Rect.Min.X, y):]
		first, last := -1, -1
		for x := range m.Rect.Dx() {
			if row[4*x+3] != 0 {
				if first < 0 {
					first = x
				}
				last = x
			}
		}
		if first >= 0 {
			r = r.Union(image.Rect(m.Rect.Min.X+first, y, m.Rect.Min.X+last+1, y+1))
		}
	}
	return r
}

func (p *Picture) embed(w object.Writer) {
	if p.mask != nil {
		p.stream.Dict["SMask"] = w.Add(p.mask)
	}
	p.ref = w.Add(p.stream)
}

// Picture draws p over a rectangle.
func (d *Drawing) Picture(x, y, w, h float64, p *Picture) {
	d.pictures[p] = true
	d.Save()
	d.Transform(w, 0, 0, h, x, y)
	d.ops = append(d.ops, '/')
	d.ops = append(d.ops, p.name...)
	d.ops = append(d.ops, " Do\n"...)
	d.Restore()
}
