// Package tiff decodes the first picture of a TIFF: of one, two, four, eight or sixteen bits a sample, gray, with a
// palette, in RGB or CMYK, in strips or tiles, in one plane or several, compressed as a fax (Modified Huffman, Group 3
// and 4), with LZW, Deflate, PackBits or as JPEG (TIFF 6.0 and its Technical Note 2).
package tiff

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"io"
)

// UnsupportedError reports a valid file that uses a feature that is not supported.
type UnsupportedError string

// FloatingPoint reports samples that are floating-point numbers, which don't say what is white.
const FloatingPoint = UnsupportedError("samples that are floating-point numbers")

func (e UnsupportedError) Error() string { return "tiff: not supported: " + string(e) }

// Tags and values of TIFF 6.0 and its Technical Note 2.
const (
	tagWidth         = 256
	tagHeight        = 257
	tagCompression   = 259
	tagPhotometric   = 262
	tagStripOffsets  = 273
	tagSamples       = 277
	tagRowsPerStrip  = 278
	tagStripLengths  = 279
	tagPlanar        = 284
	tagTileWidth     = 322
	tagTileHeight    = 323
	tagTileOffsets   = 324
	tagTileLengths   = 325
	tagJPEGTables    = 347
	tagOldJPEG       = 513
	tagOldJPEGLength = 514

	group3  = 3
	group4  = 4
	oldJPEG = 6
	newJPEG = 7

	blackIsZero = 1
	rgb         = 2
	cmyk        = 5
)

const (
	maxTags   = 4096
	maxValues = 1 << 20 // of one tag
)

var errDamaged = errors.New("tiff: damaged")

// DecodeConfig returns the size and colour model of the picture.
func DecodeConfig(r io.Reader) (image.Config, error) {
	d, err := open(r)
	if err != nil {
		return image.Config{}, err
	}
	if !d.isJPEG() {
		l, err := d.layout()
		return image.Config{Width: l.whole.Dx(), Height: l.whole.Dy(), ColorModel: l.model()}, err
	}
	c := image.Config{Width: d.one(tagWidth), Height: d.one(tagHeight), ColorModel: color.RGBAModel}
	switch {
	case d.one(tagSamples) <= 1:
		c.ColorModel = color.GrayModel
	case d.one(tagPhotometric) == cmyk:
		c.ColorModel = color.CMYKModel
	case d.one(tagSamples) > 3:
		c.ColorModel = color.NRGBAModel
	}
	if c.Width <= 0 || c.Height <= 0 {
		return c, errDamaged
	}
	return c, nil
}

// Decode returns the picture.
func Decode(r io.Reader) (image.Image, error) {
	d, err := open(r)
	if err != nil {
		return nil, err
	}
	if d.isJPEG() {
		return d.jpeg()
	}
	return d.pixels()
}

// directory is the first image file directory of a file.
type directory struct {
	r      io.ReaderAt
	order  binary.ByteOrder
	values map[int][]byte // the entries in use, without their tags
}

func open(r io.Reader) (*directory, error) {
	at, ok := r.(io.ReaderAt)
	if !ok {
		all, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		at = bytes.NewReader(all)
	}
	d := &directory{r: at, order: binary.LittleEndian, values: map[int][]byte{}}
	head, err := d.read(0, 8)
	if err != nil {
		return nil, err
	}
	if string(head[:2]) == "MM" {
		d.order = binary.BigEndian
	}
	start := int64(d.order.Uint32(head[4:]))
	count, err := d.read(start, 2)
	if err != nil {
		return nil, err
	}
	n := int(d.order.Uint16(count))
	if n > maxTags {
		return nil, errDamaged
	}
	entries, err := d.read(start+2, 12*n)
	for e := entries; len(e) > 0; e = e[12:] {
		d.values[int(d.order.Uint16(e))] = e[2:12]
	}
	return d, err
}

func (d *directory) isJPEG() bool {
	c := d.one(tagCompression)
	return c == oldJPEG || c == newJPEG
}

func (d *directory) read(at int64, n int) ([]byte, error) {
	b := make([]byte, n)
	if got, err := d.r.ReadAt(b, at); got < n {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return b, nil
}

// one returns the first value of a tag, 0 if it has none.
func (d *directory) one(tag int) int {
	if v := d.all(tag); len(v) > 0 {
		return v[0]
	}
	return 0
}

// all returns the values of a tag.
func (d *directory) all(tag int) []int {
	e, ok := d.values[tag]
	if !ok {
		return nil
	}
	size := map[uint16]int{1: 1, 3: 2, 4: 4, 7: 1}[d.order.Uint16(e)]
	data := d.data(tag, size)
	if size == 0 || data == nil {
		return nil
	}
	out := make([]int, len(data)/size)
	for i := range out {
		switch b := data[i*size:]; size {
		case 1:
			out[i] = int(b[0])
		case 2:
			out[i] = int(d.order.Uint16(b))
		case 4:
			out[i] = int(d.order.Uint32(b))
		}
	}
	return out
}

// data returns the bytes of a tag's values, each of a size.
func (d *directory) data(tag, size int) []byte {
	e, ok := d.values[tag]
	if !ok {
		return nil
	}
	n := int(d.order.Uint32(e[2:]))
	if n > maxValues {
		return nil
	}
	if n*size <= 4 {
		return e[6:][:n*size]
	}
	b, err := d.read(int64(d.order.Uint32(e[6:])), n*size)
	if err != nil {
		return nil
	}
	return b
}

// block is a strip or tile.
type block struct {
	at, length    int
	width, height int // of what is stored, which may extend beyond the edge of the picture
	box           image.Rectangle
}

// jpeg puts the picture together from its blocks.
func (d *directory) jpeg() (image.Image, error) {
	whole := image.Rect(0, 0, d.one(tagWidth), d.one(tagHeight))
	if whole.Empty() {
		return nil, errDamaged
	}
	samples, kind := d.one(tagSamples), d.one(tagPhotometric)
	switch {
	case d.one(tagPlanar) == 2:
		return nil, UnsupportedError("separate planes compressed as JPEG")
	case samples == 2, samples > 4, kind == cmyk && samples != 4, samples == 4 && kind != cmyk && kind != rgb:
		return nil, UnsupportedError(fmt.Sprintf("%d samples of kind %d compressed as JPEG", samples, kind))
	}
	blocks, err := d.blocks(whole, 1)
	if err != nil {
		return nil, err
	}
	if len(blocks) == 1 {
		return d.block(blocks[0])
	}
	var to draw.Image = image.NewRGBA(whole)
	switch {
	case samples <= 1:
		to = image.NewGray(whole)
	case kind == cmyk:
		to = image.NewCMYK(whole)
	case samples == 4:
		to = image.NewNRGBA(whole)
	}
	for _, b := range blocks {
		img, err := d.block(b)
		if err != nil {
			return nil, err
		}
		draw.Draw(to, b.box, img, img.Bounds().Min, draw.Src)
	}
	return to, nil
}

// blocks returns the blocks of the picture, those of one plane after the other.
func (d *directory) blocks(whole image.Rectangle, planes int) ([]block, error) {
	offsets, lengths := d.all(tagStripOffsets), d.all(tagStripLengths)
	width, height := whole.Dx(), d.one(tagRowsPerStrip)
	switch {
	case d.one(tagCompression) == oldJPEG && d.one(tagOldJPEG) > 0:
		offsets, lengths, height = []int{d.one(tagOldJPEG)}, []int{d.one(tagOldJPEGLength)}, whole.Dy()
	case d.one(tagTileWidth) > 0:
		offsets, lengths = d.all(tagTileOffsets), d.all(tagTileLengths)
		width, height = d.one(tagTileWidth), d.one(tagTileHeight)
	}
	if height <= 0 {
		height = whole.Dy()
	}
	tiled := d.one(tagTileWidth) > 0
	if width <= 0 {
		return nil, errDamaged
	}
	var out []block
	for range planes {
		for y := 0; y < whole.Dy(); y += height {
			for x := 0; x < whole.Dx(); x += width {
				i := len(out)
				if i >= len(offsets) || i >= len(lengths) {
					return nil, errDamaged
				}
				box := image.Rect(x, y, x+min(width, whole.Dx()-x), y+min(height, whole.Dy()-y))
				b := block{offsets[i], lengths[i], width, height, box}
				if !tiled { // the last strip is shorter
					b.height = box.Dy()
				}
				out = append(out, b)
			}
		}
	}
	return out, nil
}

// block decodes one block, without what is beyond the edge of the picture.
func (d *directory) block(b block) (image.Image, error) {
	whole, err := d.stream(b)
	if err != nil {
		return nil, err
	}
	// A block that is larger than it should be must not take more memory than the picture may.
	c, err := jpeg.DecodeConfig(bytes.NewReader(whole))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	case progressive(whole):
		return nil, UnsupportedError("progressive JPEG") // would be held as coefficients, at many times the size
	case c.Width < b.box.Dx() || c.Height < b.box.Dy() || c.Width > b.box.Dx()+padding || c.Height > b.box.Dy()+padding:
		return nil, errDamaged
	}
	img, err := jpeg.Decode(bytes.NewReader(whole))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if four, ok := img.(*image.CMYK); ok {
		img = d.fourSamples(four)
	}
	if cut, ok := img.(interface {
		SubImage(image.Rectangle) image.Image
	}); ok {
		img = cut.SubImage(image.Rectangle{Max: b.box.Size()})
	}
	return img, nil
}

// fourSamples returns what the four samples of a JPEG mean in a TIFF: inks, or colours and what they cover. The decoder
// takes them for inks as Adobe's programs write them in JPEG files, the other way round.
func (d *directory) fourSamples(m *image.CMYK) image.Image {
	for i, v := range m.Pix {
		m.Pix[i] = 0xFF - v
	}
	const associated, unassociated = 1, 2
	if d.one(tagPhotometric) == cmyk {
		return m
	}
	switch d.one(tagExtra) {
	case associated:
		return &image.RGBA{Pix: m.Pix, Stride: m.Stride, Rect: m.Rect}
	case unassociated:
	default:
		for i := 3; i < len(m.Pix); i += 4 {
			m.Pix[i] = 0xFF
		}
	}
	return &image.NRGBA{Pix: m.Pix, Stride: m.Stride, Rect: m.Rect}
}

// stream returns a block with the tables that all of them share, and with what its colours are.
func (d *directory) stream(b block) ([]byte, error) {
	length := b.length
	if rest, ok := d.r.(interface{ Size() int64 }); ok {
		most := max(rest.Size()-int64(b.at), 0)
		if length == 0 && d.one(tagCompression) == oldJPEG || int64(length) > most {
			length = int(most)
		}
	}
	data, err := d.read(int64(b.at), length)
	start, tables := []byte{0xFF, 0xD8}, d.data(tagJPEGTables, 1)
	switch {
	case err != nil:
		return nil, err
	case !bytes.HasPrefix(data, start) && d.one(tagCompression) == oldJPEG:
		return nil, UnsupportedError("JPEG in pieces of the kind that TIFF 6.0 describes")
	case !bytes.HasPrefix(data, start):
		return nil, errDamaged
	case d.one(tagSamples) <= 1:
		// Gray is never taken for anything else.
	case d.one(tagPhotometric) == rgb, d.one(tagPhotometric) == cmyk:
		start = append(start, adobe(0)...)
	default:
		start = append(start, adobe(1)...)
	}
	if tables = bytes.TrimSuffix(tables, []byte{0xFF, 0xD9}); bytes.HasPrefix(tables, start[:2]) {
		start = append(start, tables[2:]...)
	}
	return append(start, data[2:]...), nil
}

// adobe returns the marker that says whether colours are as they are (0) or YCbCr (1).
func adobe(transform byte) []byte {
	return append([]byte("\xFF\xEE\x00\x0EAdobe\x00\x64\x00\x00\x00\x00"), transform)
}

// progressive reports whether a JPEG begins with the frame of a progressive one.
func progressive(b []byte) bool {
	for i := 2; i+4 <= len(b) && b[i] == 0xFF; {
		switch b[i+1] {
		case 0xFF:
			i++
			continue
		case 0xC2:
			return true
		case 0xDA:
			return false
		}
		i += 2 + int(binary.BigEndian.Uint16(b[i+2:]))
	}
	return false
}
