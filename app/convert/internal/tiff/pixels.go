package tiff

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"io"
	"math/bits"
	"slices"

	"golang.org/x/image/tiff/lzw"
)

// Further tags and values.
const (
	tagBits      = 258
	tagFillOrder = 266
	tagOptions   = 292 // of Group 3
	tagPredictor = 317
	tagColorMap  = 320
	tagExtra     = 338
	tagFormat    = 339

	uncompressed  = 1
	modified      = 2 // Modified Huffman: lines of a fax without their ends
	lzwed         = 5
	deflated      = 8
	deflatedOld   = 32946
	packBits      = 32773
	modifiedWords = 32771

	whiteIsZero = 0
	palette     = 3

	mostSamples = 16
	padding     = 1024 // how far a block may extend beyond the picture
)

// A layout is how the samples of a picture are stored.
type layout struct {
	whole    image.Rectangle
	bits     int // of a sample
	samples  int // of a pixel
	colours  int // of them
	alpha    bool
	premult  bool // the colours are multiplied by alpha
	separate bool // each sample has a plane of its own
	palette  color.Palette
}

// layout reads and checks how the picture is stored.
func (d *directory) layout() (layout, error) {
	l := layout{whole: image.Rect(0, 0, d.one(tagWidth), d.one(tagHeight)), bits: 1, samples: max(d.one(tagSamples), 1), separate: d.one(tagPlanar) == 2}
	if all := d.all(tagBits); len(all) > 0 {
		l.bits = all[0]
		if slices.ContainsFunc(all, func(n int) bool { return n != l.bits }) {
			return l, UnsupportedError("samples of several sizes")
		}
	}
	switch {
	case l.whole.Empty():
		return l, errDamaged
	case l.samples > mostSamples:
		return l, UnsupportedError(fmt.Sprintf("%d samples", l.samples))
	case slices.Contains(d.all(tagFormat), 3): // IEEE
		return l, FloatingPoint
	case !slices.Contains([]int{1, 2, 4, 8, 16}, l.bits):
		return l, UnsupportedError(fmt.Sprintf("samples of %d bits", l.bits))
	case slices.ContainsFunc(d.all(tagFormat), func(n int) bool { return n != 1 && n != 4 }): // whole numbers, or not said
		return l, UnsupportedError("samples that are no whole numbers")
	}
	switch p := d.one(tagPhotometric); p {
	case whiteIsZero, blackIsZero:
		l.colours = 1
	case rgb:
		l.colours = 3
	case cmyk:
		l.colours = 4
	case palette:
		l.colours = 1
		if err := d.readPalette(&l); err != nil {
			return l, err
		}
	default:
		return l, UnsupportedError(fmt.Sprintf("colours of kind %d", p))
	}
	if l.samples < l.colours {
		return l, errDamaged
	}
	const associated, unassociated = 1, 2
	if extra := d.all(tagExtra); l.samples > l.colours && len(extra) > 0 && l.palette == nil && l.colours < 4 {
		l.alpha, l.premult = extra[0] == associated || extra[0] == unassociated, extra[0] == associated
	}
	return l, nil
}

func (d *directory) readPalette(l *layout) error {
	const mostBits = 8
	all, n := d.all(tagColorMap), 1<<l.bits
	if l.bits > mostBits {
		return UnsupportedError("a palette of more than 256 colours")
	}
	if len(all) != 3*n {
		return errDamaged
	}
	for i := range n {
		l.palette = append(l.palette, color.RGBA{uint8(all[i] >> 8), uint8(all[n+i] >> 8), uint8(all[2*n+i] >> 8), 0xFF})
	}
	return nil
}

// model returns the colour model of the decoded picture.
func (l *layout) model() color.Model {
	switch {
	case l.palette != nil:
		return l.palette
	case l.colours == 4:
		return color.CMYKModel
	case l.colours == 1 && !l.alpha:
		return color.GrayModel
	case l.premult:
		return color.RGBAModel
	}
	return color.NRGBAModel
}

// pixels decodes a picture that is not compressed as JPEG.
func (d *directory) pixels() (image.Image, error) {
	l, err := d.layout()
	if err != nil {
		return nil, err
	}
	out := newCanvas(&l, d.one(tagPhotometric) == whiteIsZero)
	if d.order == binary.LittleEndian {
		out.order = 1
	}
	planes, each := 1, l.samples
	if l.separate {
		planes, each = l.samples, 1
	}
	blocks, err := d.blocks(l.whole, planes)
	if err != nil {
		return nil, err
	}
	for i, b := range blocks {
		rows, err := d.samples(&l, b, each)
		if err != nil {
			return nil, err
		}
		out.draw(rows, b, i*planes/len(blocks), each)
	}
	return out.Image, nil
}

// samples returns the samples of a block, in as many bytes as they have bits.
func (d *directory) samples(l *layout, b block, each int) (rows []byte, err error) {
	size := (b.width*each*l.bits + 7) / 8
	want := size * b.height
	n, ok := d.r.(interface{ Size() int64 })
	if ok && int64(b.at)+int64(b.length) > n.Size() || b.width > l.whole.Dx()+padding || b.height > l.whole.Dy()+padding {
		return nil, errDamaged
	}
	data, err := d.read(int64(b.at), b.length)
	if err != nil {
		return nil, err
	}
	if d.one(tagFillOrder) == 2 { // the lowest bit first
		for i, c := range data {
			data[i] = bits.Reverse8(c)
		}
	}
	inflated := func(r io.Reader) error {
		rows = make([]byte, want)
		_, err := io.ReadFull(r, rows)
		return err
	}
	switch c := d.one(tagCompression); c {
	case 0, uncompressed:
		rows = data
	case lzwed:
		r := lzw.NewReader(bytes.NewReader(data), lzw.MSB, 8)
		err = inflated(r)
		r.Close() // it has no error of its own
	case deflated, deflatedOld:
		var r io.ReadCloser
		if r, err = zlib.NewReader(bytes.NewReader(data)); err == nil {
			err = inflated(r)
		}
	case packBits:
		rows = unpack(data, want)
	case modified, modifiedWords, group3, group4:
		if l.bits != 1 || each != 1 {
			return nil, errDamaged
		}
		return decodeFax(data, c, d.one(tagOptions), b.width, b.height)
	default:
		return nil, UnsupportedError(fmt.Sprintf("compression %d", c))
	}
	if len(rows) < want {
		err = cmp.Or(err, io.ErrUnexpectedEOF)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return rows[:want], d.predict(l, rows[:want], size, each)
}

// unpack undoes PackBits, up to a size.
func unpack(data []byte, want int) []byte {
	out := make([]byte, 0, want)
	for len(data) > 1 && len(out) < want {
		switch n := int(int8(data[0])); {
		case n >= 0:
			part := data[1:min(n+2, len(data))]
			out, data = append(out, part...), data[1+len(part):]
		case n > -128:
			out, data = append(out, bytes.Repeat(data[1:2], 1-n)...), data[2:]
		default:
			data = data[1:]
		}
	}
	return out
}

// predict turns samples that are kept as differences to the pixel before into what they are.
func (d *directory) predict(l *layout, rows []byte, size, each int) error {
	const none, horizontal = 1, 2
	switch p := d.one(tagPredictor); {
	case p <= none:
		return nil
	case p != horizontal, l.bits < 8:
		return UnsupportedError(fmt.Sprintf("predictor %d", p))
	}
	for ; len(rows) >= size && size > 0; rows = rows[size:] {
		row := rows[:size]
		if l.bits == 8 {
			for i := each; i < len(row); i++ {
				row[i] += row[i-each]
			}
			continue
		}
		for i := 2 * each; i+1 < len(row); i += 2 {
			d.order.PutUint16(row[i:], d.order.Uint16(row[i:])+d.order.Uint16(row[i-2*each:]))
		}
	}
	return nil
}

// A canvas is a picture that blocks are drawn on.
type canvas struct {
	image.Image
	layout *layout
	invert bool // 0 is white
	pix    []byte
	stride int
	step   int // bytes of a pixel
	order  int // of the byte that counts of two
}

func newCanvas(l *layout, invert bool) *canvas {
	c := &canvas{layout: l, invert: invert}
	switch l.model() {
	case color.GrayModel:
		m := image.NewGray(l.whole)
		c.Image, c.pix, c.stride, c.step = m, m.Pix, m.Stride, 1
	case color.CMYKModel:
		m := image.NewCMYK(l.whole)
		c.Image, c.pix, c.stride, c.step = m, m.Pix, m.Stride, 4
	case color.RGBAModel:
		m := image.NewRGBA(l.whole)
		c.Image, c.pix, c.stride, c.step = m, m.Pix, m.Stride, 4
	case color.NRGBAModel:
		m := image.NewNRGBA(l.whole)
		c.Image, c.pix, c.stride, c.step = m, m.Pix, m.Stride, 4
	default:
		m := image.NewPaletted(l.whole, l.palette)
		c.Image, c.pix, c.stride, c.step = m, m.Pix, m.Stride, 1
	}
	if c.step == 4 && l.colours < 4 && !l.alpha {
		for i := 3; i < len(c.pix); i += 4 {
			c.pix[i] = 0xFF
		}
	}
	return c
}

// draw writes the samples of a block, beginning with one of the pixel's.
func (c *canvas) draw(rows []byte, b block, first, each int) {
	l := c.layout
	size := (b.width*each*l.bits + 7) / 8
	for y := range b.box.Dy() {
		row := rows[y*size:][:size]
		to := c.pix[(b.box.Min.Y+y)*c.stride+b.box.Min.X*c.step:]
		for i := range each {
			at := c.place(first + i)
			if at < 0 {
				continue
			}
			for x := range b.box.Dx() {
				v := l.sample(row, x*each+i, c.order)
				if c.invert && first+i == 0 {
					v = ^v
				}
				to[x*c.step+at] = v
				if c.step == 4 && l.colours == 1 && first+i == 0 { // gray with alpha
					to[x*c.step+1], to[x*c.step+2] = v, v
				}
			}
		}
	}
}

// place returns the byte of a pixel that a sample is for, negative if none is.
func (c *canvas) place(sample int) int {
	l := c.layout
	switch {
	case sample < l.colours:
		return sample
	case sample == l.colours && l.alpha:
		return 3
	}
	return -1
}

// sample returns a sample of a row from 0 to 255, or the index of its colour.
func (l *layout) sample(row []byte, n, order int) byte {
	switch l.bits {
	case 8:
		return row[n]
	case 16:
		return row[2*n+order]
	}
	most := byte(1<<l.bits - 1)
	v := row[n*l.bits/8] >> (8 - l.bits - n*l.bits%8) & most
	if l.palette != nil {
		return v
	}
	return v * (0xFF / most)
}
