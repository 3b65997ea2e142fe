package redact

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math"

	"golang.org/x/image/ccitt"

	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// image returns a copy of an image that is drawn here, with black in place of what lies in the regions. The
// zero reference means that nothing of it is left, or that it can't be decoded.
func (c *content) image(v any, s *reader.Stream) (made ref, changed bool, err error) {
	unit := Rect{0, 0, 1, 1}
	box := c.state.ctm.rect(unit)
	c.draws(box)
	all := []*drawn{c.r.drawnAt(v)}
	for _, key := range []name{"Mask", "SMask"} {
		if _, ok := c.r.f.Resolve(s.Dict[key]).(*reader.Stream); ok {
			all = append(all, c.r.drawnAt(s.Dict[key]))
		}
	}
	if !c.touches(box) {
		for _, d := range all {
			c.sees(d, c.state.ctm, unit, everywhere)
		}
		return ref{}, false, nil
	}
	for _, d := range all {
		d.cuts(c.state.ctm, unit, c.regions)
	}
	back, ok := c.state.ctm.inverse()
	if !ok || c.covers(box) {
		c.remove()
		return ref{}, true, nil
	}
	var parts []Rect // in fractions, from the lower left
	for _, r := range c.regions {
		if in := back.rect(r); in.overlaps(Rect{0, 0, 1, 1}) {
			parts = append(parts, in)
		}
	}
	if len(parts) == 0 {
		return ref{}, false, nil
	}
	c.remove()
	copied, err := c.r.painted(s, parts, 0)
	if copied == nil || err != nil {
		c.r.lost++
		return ref{}, true, err
	}
	return c.r.to.Add(copied), true, nil
}

// ofImage lists the entries of an image that its copy has.
var ofImage = []name{
	"Type", "Subtype", "Width", "Height", "ColorSpace", "BitsPerComponent", "Decode", "ImageMask", "Mask", "SMask",
	"Intent", "Interpolate", "Matte", "StructParent", "OC",
}

// painted returns a copy of an image, and of its masks, with parts painted over, nil if it can't be decoded.
func (r *Redactor) painted(s *reader.Stream, parts []Rect, depth int) (*object.Stream, error) {
	d := dict{}
	for _, key := range ofImage {
		if v := s.Dict[key]; v != nil {
			d[key] = v
		}
	}
	for _, key := range []name{"Mask", "SMask"} {
		mask, ok := r.f.Resolve(d[key]).(*reader.Stream)
		if !ok {
			continue
		}
		if depth > 0 {
			return nil, nil
		}
		copied, err := r.painted(mask, parts, depth+1)
		if copied == nil || err != nil {
			return nil, err
		}
		d[key] = r.to.Add(copied)
	}
	width, _ := r.f.Int(d["Width"])
	height, _ := r.f.Int(d["Height"])
	if width <= 0 || height <= 0 || width > maxPixels/height {
		return nil, nil
	}
	if r.pixels += width * height; r.pixels > 10*maxPixels {
		return nil, nil
	}
	return r.repainted(s, d, int(width), int(height), parts)
}

// repainted is painted for an image with the entries d of its copy.
func (r *Redactor) repainted(s *reader.Stream, d dict, width, height int, parts []Rect) (*object.Stream, error) {
	last, before := r.lastFilter(s)
	if last == "CCITTFaxDecode" || last == "CCF" {
		d["BitsPerComponent"] = 1
	}
	row := r.rowBytes(d, width)
	if s.Length > r.f.Limits.Inflate || row == 0 || int64(row)*int64(height) > r.f.Limits.Inflate {
		return nil, nil
	}
	data, err := r.f.Decode(before)
	if err != nil {
		return nil, r.f.Fault
	}
	switch last {
	case "DCTDecode", "DCT":
		return jpegWithout(d, data, parts), nil
	case "CCITTFaxDecode", "CCF":
		if data = r.fax(s.Dict, data, width, height); data == nil {
			return nil, nil
		}
	}
	for _, p := range parts {
		blank(data, row, r.pixelBits(d), pixels(p, width, height))
	}
	return object.Compress(d, data), nil
}

// lastFilter returns the filter that turns data into pixels, if it is one for pictures, and the stream
// without it.
func (r *Redactor) lastFilter(s *reader.Stream) (name, *reader.Stream) {
	filters, ok := r.f.Resolve(s.Dict["Filter"]).(array)
	if !ok {
		filters = array{s.Dict["Filter"]}
	}
	last := r.f.Name(filters[max(0, len(filters)-1):][0])
	switch last {
	case "DCTDecode", "DCT", "CCITTFaxDecode", "CCF":
		before := *s
		before.Dict = s.Dict.Clone()
		before.Dict["Filter"] = filters[:len(filters)-1]
		return last, &before
	}
	return last, s
}

// pixelBits returns the bits of a pixel, 0 if they are not known.
func (r *Redactor) pixelBits(d dict) int {
	if mask, _ := r.f.Resolve(d["ImageMask"]).(bool); mask {
		return 1
	}
	bits, ok := r.f.Int(d["BitsPerComponent"])
	if !ok {
		bits = 8
	}
	if bits < 1 || bits > 16 {
		return 0
	}
	return int(bits) * r.colours(d["ColorSpace"])
}

// rowBytes returns the length of a row of pixels, 0 if it is not known.
func (r *Redactor) rowBytes(d dict, width int) int { return (r.pixelBits(d)*width + 7) / 8 }

// colours returns the number of components of a colour space, 0 if it is not known.
func (r *Redactor) colours(v any) int {
	v = r.f.Resolve(v)
	a, _ := v.(array)
	if len(a) > 0 {
		v = r.f.Resolve(a[0])
	}
	switch v {
	case name("DeviceGray"), name("CalGray"), name("G"), name("Indexed"), name("Separation"):
		return 1
	case name("DeviceRGB"), name("CalRGB"), name("Lab"), name("RGB"):
		return 3
	case name("DeviceCMYK"), name("CMYK"):
		return 4
	}
	if len(a) < 2 {
		return 0
	}
	switch v {
	case name("ICCBased"):
		n, _ := r.f.Int(r.f.Dict(a[1])["N"])
		return int(max(0, min(n, 4)))
	case name("DeviceN"):
		return min(len(r.f.Array(a[1])), 32)
	}
	return 0
}

// pixels converts a part of an image to its pixels, all that it touches.
func pixels(p Rect, width, height int) image.Rectangle {
	w, h := float64(width), float64(height)
	at := func(v, most float64) int { return int(max(0, min(most, v))) }
	return image.Rect(at(math.Floor(p[0]*w), w), at(math.Floor((1-p[3])*h), h),
		at(math.Ceil(p[2]*w), w), at(math.Ceil((1-p[1])*h), h))
}

// blank sets pixels to zero.
func blank(data []byte, row, bits int, part image.Rectangle) {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for bit := part.Min.X * bits; bit < part.Max.X*bits; {
			at := y*row + bit/8
			if at >= len(data) {
				return
			}
			if bit%8 == 0 && bit+8 <= part.Max.X*bits {
				data[at] = 0
				bit += 8
				continue
			}
			data[at] &^= 0x80 >> (bit % 8)
			bit++
		}
	}
}

// fax decodes an image of a fax, nil if that fails.
func (r *Redactor) fax(d dict, data []byte, width, height int) []byte {
	params := r.f.Dict(d["DecodeParms"])
	if a := r.f.Array(d["DecodeParms"]); len(a) > 0 {
		params = r.f.Dict(a[len(a)-1])
	}
	k, _ := r.f.Int(params["K"])
	columns, ok := r.f.Int(params["Columns"])
	if !ok {
		columns = 1728
	}
	if k > 0 || int(columns) != width {
		return nil
	}
	format := ccitt.Group3
	if k < 0 {
		format = ccitt.Group4
	}
	inverted, _ := r.f.Resolve(params["BlackIs1"]).(bool)
	align, _ := r.f.Resolve(params["EncodedByteAlign"]).(bool)
	options := &ccitt.Options{Align: align, Invert: inverted}
	from := ccitt.NewReader(bytes.NewReader(data), ccitt.MSB, format, width, height, options)
	out := make([]byte, (width+7)/8*height)
	if _, err := io.ReadFull(from, out); err != nil {
		return nil
	}
	return out
}

// jpegWithout returns a copy of a JPEG with parts painted over, nil if it can't be decoded for certain.
func jpegWithout(d dict, data []byte, parts []Rect) *object.Stream {
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil || config.Width > maxPixels/max(1, config.Height) || config.ColorModel == color.CMYKModel {
		return nil
	}
	m, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	for _, p := range parts {
		if !blacken(m, pixels(p, config.Width, config.Height)) {
			return nil
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 90}); err != nil {
		return nil
	}
	d["Width"], d["Height"], d["BitsPerComponent"] = config.Width, config.Height, 8
	d["Filter"] = name("DCTDecode")
	return &object.Stream{Dict: d, Data: b.Bytes()}
}

// blacken paints a part of a decoded JPEG and reports whether it can.
func blacken(m image.Image, part image.Rectangle) bool {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			switch m := m.(type) {
			case *image.Gray:
				m.Pix[m.PixOffset(x, y)] = 0
			case *image.YCbCr:
				m.Y[m.YOffset(x, y)] = 0
				at := m.COffset(x, y)
				m.Cb[at], m.Cr[at] = 128, 128
			case *image.RGBA:
				m.SetRGBA(x, y, color.RGBA{A: 255})
			default:
				return false
			}
		}
	}
	return true
}
