package convert

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Colour types of PNG (W3C PNG, §6.1).
const (
	pngGray      = 0
	pngRGB       = 2
	pngPalette   = 3
	pngGrayAlpha = 4
	pngRGBAlpha  = 6
)

// pngFile holds the content of a PNG's chunks; the pixels stay in the file.
type pngFile struct {
	r             io.ReaderAt
	width, height int
	depth, colour int
	interlaced    bool
	palette       []byte // 3 bytes a colour
	transparency  []byte // tRNS as it stands
	resolution    resolution
	orientation   int
	profile       []byte
	data          []span // the contents of the IDAT chunks
}

func (f *pngFile) channels() int {
	return map[int]int{pngGray: 1, pngRGB: 3, pngPalette: 1, pngGrayAlpha: 2, pngRGBAlpha: 4}[f.colour]
}

// rowBytes returns the length of a row without its filter byte.
func (f *pngFile) rowBytes() int { return (f.width*f.depth*f.channels() + 7) / 8 }

func (f *pngFile) bytesPerPixel() int { return max(1, f.depth*f.channels()/8) }

// maxChunk bounds the chunks that are read into memory.
const maxChunk = 1 << 20

// maxPieces is the maximum number of pieces that a picture's data may be split into.
const maxPieces = 200_000

// read reads the chunks and verifies the checksums of those in use.
func (f *pngFile) read(size int64) error {
	for at, first := int64(8), true; ; first = false {
		var head [8]byte
		if _, err := f.r.ReadAt(head[:], at); err != nil {
			return damagedImage(err)
		}
		n, kind := int64(binary.BigEndian.Uint32(head[:])), string(head[4:])
		body := span{at + 8, n}
		at += 12 + n
		switch {
		case at > size || first != (kind == "IHDR"):
			return damagedImage(nil)
		case kind == "IEND":
			return f.complete()
		}
		if err := f.chunk(kind, body); err != nil {
			return err
		}
	}
}

func (f *pngFile) complete() error {
	if len(f.data) == 0 || f.colour == pngPalette && len(f.palette) < 3 {
		return damagedImage(nil)
	}
	return nil
}

func (f *pngFile) chunk(kind string, s span) error {
	if kind == "IDAT" {
		if len(f.data) == maxPieces {
			return damagedImage(nil)
		}
		f.data = append(f.data, s)
		return f.checkSum(kind, s)
	}
	if s.n > maxChunk || !wantedChunk(kind) {
		return nil
	}
	b := make([]byte, s.n)
	if _, err := f.r.ReadAt(b, s.at); err != nil {
		return damagedImage(err)
	}
	if err := f.checkSum(kind, s); err != nil {
		return err
	}
	switch kind {
	case "IHDR":
		return f.header(b)
	case "PLTE":
		f.palette = b[:min(len(b)/3*3, 768)]
	case "tRNS":
		f.transparency = b
	case "pHYs":
		if len(b) >= 9 && b[8] == 1 { // per metre
			f.resolution = resolution{perMetre(b), perMetre(b[4:])}
		}
	case "acTL":
		if len(b) >= 4 && binary.BigEndian.Uint32(b) > 1 {
			return errAnimated
		}
	case "eXIf":
		f.orientation, _ = exif(bytes.NewReader(b))
	case "iCCP":
		f.profile = inflateProfile(b)
	}
	return nil
}

func wantedChunk(kind string) bool {
	switch kind {
	case "IHDR", "PLTE", "tRNS", "pHYs", "eXIf", "iCCP", "acTL":
		return true
	}
	return false
}

func perMetre(b []byte) float64 { return float64(binary.BigEndian.Uint32(b)) * 0.0254 }

func (f *pngFile) checkSum(kind string, s span) error {
	sum := crc32.NewIEEE()
	_, _ = sum.Write([]byte(kind)) // a hash never fails
	if _, err := io.Copy(sum, io.NewSectionReader(f.r, s.at, s.n)); err != nil {
		return damagedImage(err)
	}
	var want [4]byte
	if _, err := f.r.ReadAt(want[:], s.at+s.n); err != nil || binary.BigEndian.Uint32(want[:]) != sum.Sum32() {
		return damagedImage(errors.Join(err, fmt.Errorf("png: wrong sum of chunk %q", kind)))
	}
	return nil
}

var pngDepths = map[int][]int{
	pngGray: {1, 2, 4, 8, 16}, pngRGB: {8, 16}, pngPalette: {1, 2, 4, 8}, pngGrayAlpha: {8, 16}, pngRGBAlpha: {8, 16},
}

func (f *pngFile) header(b []byte) error {
	if len(b) != 13 || b[10] != 0 || b[11] != 0 || b[12] > 1 {
		return damagedImage(nil)
	}
	width, height := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	if width == 0 || height == 0 || width > 1<<31-1 || height > 1<<31-1 {
		return damagedImage(nil)
	}
	f.width, f.height = int(width), int(height)
	f.depth, f.colour, f.interlaced = int(b[8]), int(b[9]), b[12] == 1
	for _, d := range pngDepths[f.colour] {
		if d == f.depth {
			return nil
		}
	}
	return damagedImage(nil)
}

// inflateProfile reads iCCP: a name, a zero byte, the method, and compressed data. An
// unreadable profile is ignored.
func inflateProfile(b []byte) []byte {
	i := bytes.IndexByte(b, 0)
	if i < 0 || len(b) < i+2 {
		return nil
	}
	z, err := zlib.NewReader(bytes.NewReader(b[i+2:]))
	if err != nil {
		return nil
	}
	p, err := io.ReadAll(io.LimitReader(z, maxProfile+1))
	if err != nil || len(p) > maxProfile {
		return nil
	}
	return p
}

// inflated returns the unpacked data of all IDAT chunks.
func (f *pngFile) inflated() (io.ReadCloser, error) {
	readers := make([]io.Reader, len(f.data))
	for i, s := range f.data {
		readers[i] = io.NewSectionReader(f.r, s.at, s.n)
	}
	return zlib.NewReader(io.MultiReader(readers...))
}

// rows calls each with every row, unfiltered. The slice is reused. It needs
// two rows of memory, whatever the picture's height.
func (f *pngFile) rows(each func(row []byte) error) error {
	z, err := f.inflated()
	if err != nil {
		return damagedImage(err)
	}
	n := f.rowBytes()
	row, previous := make([]byte, n+1), make([]byte, n+1)
	for range f.height {
		if _, err := io.ReadFull(z, row); err != nil {
			return damagedImage(err)
		}
		if !unfilter(row[0], row[1:], previous[1:], f.bytesPerPixel()) {
			return damagedImage(nil)
		}
		if err := each(row[1:]); err != nil {
			return err
		}
		row, previous = previous, row
	}
	// Reading to the end verifies the checksum.
	if _, err := io.ReadFull(z, row[:1]); err != io.EOF {
		return damagedImage(err)
	}
	return z.Close()
}
