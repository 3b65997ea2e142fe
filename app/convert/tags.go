package convert

import (
	"encoding/binary"
	"io"
)

// Tags of TIFF 6.0 and of EXIF, which uses the same structure.
const (
	tagSubfileType    = 254
	tagWidth          = 256
	tagHeight         = 257
	tagOrientation    = 274
	tagXResolution    = 282
	tagYResolution    = 283
	tagResolutionUnit = 296
)

const maxTags = 4096 // entries of a directory that are read

// directory holds the fields in use of one image file directory.
type directory struct {
	resolution    resolution
	orientation   int
	reduced       bool // a thumbnail of another picture in the file
	width, height int
	next          uint32
}

// tagReader reads directories. Offsets come from the file; for wrong ones, the reader
// returns nothing.
type tagReader struct {
	r     io.ReaderAt
	order binary.ByteOrder
}

// newTagReader reads the header and returns the offset of the first directory.
func newTagReader(r io.ReaderAt) (t tagReader, first uint32, ok bool) {
	var b [8]byte
	if _, err := r.ReadAt(b[:], 0); err != nil && err != io.EOF {
		return t, 0, false
	}
	switch string(b[:4]) {
	case "II*\x00":
		t.order = binary.LittleEndian
	case "MM\x00*":
		t.order = binary.BigEndian
	default:
		return t, 0, false
	}
	t.r = r
	return t, t.order.Uint32(b[4:]), true
}

func (t tagReader) directory(at uint32) (d directory, ok bool) {
	var head [2]byte
	if _, err := t.r.ReadAt(head[:], int64(at)); err != nil && err != io.EOF || at < 8 {
		return d, false
	}
	n := int(t.order.Uint16(head[:]))
	if n == 0 || n > maxTags {
		return d, false
	}
	body := make([]byte, n*12+4)
	// The link to the next directory is missing from many EXIF blocks.
	if got, err := t.r.ReadAt(body, int64(at)+2); err != nil && (err != io.EOF || got < n*12) {
		return d, false
	}
	unit := uint32(2)
	for e := body[:n*12]; len(e) > 0; e = e[12:] {
		switch t.order.Uint16(e) {
		case tagSubfileType:
			d.reduced = t.integer(e)&1 != 0
		case tagWidth:
			d.width = int(t.integer(e))
		case tagHeight:
			d.height = int(t.integer(e))
		case tagOrientation:
			if o := t.integer(e); o <= 8 {
				d.orientation = int(o)
			}
		case tagXResolution:
			d.resolution.x = t.rational(e)
		case tagYResolution:
			d.resolution.y = t.rational(e)
		case tagResolutionUnit:
			unit = t.integer(e)
		}
	}
	d.next = t.order.Uint32(body[n*12:])
	d.resolution = d.resolution.in(unit)
	return d, true
}

// in reads the unit of TIFF and EXIF: 1 none, 2 inch, 3 centimetre.
func (d resolution) in(unit uint32) resolution {
	switch unit {
	case 2:
		return d
	case 3:
		return resolution{d.x * 2.54, d.y * 2.54}
	}
	return resolution{}
}

func (t tagReader) integer(e []byte) uint32 {
	switch t.order.Uint16(e[2:]) {
	case 3:
		return uint32(t.order.Uint16(e[8:]))
	case 4:
		return t.order.Uint32(e[8:])
	}
	return 0
}

func (t tagReader) rational(e []byte) float64 {
	var b [8]byte
	if t.order.Uint16(e[2:]) != 5 {
		return 0
	}
	if _, err := t.r.ReadAt(b[:], int64(t.order.Uint32(e[8:]))); err != nil && err != io.EOF {
		return 0
	}
	if d := t.order.Uint32(b[4:]); d != 0 {
		return float64(t.order.Uint32(b[:])) / float64(d)
	}
	return 0
}

// exif reads the orientation and resolution from an EXIF block (a complete TIFF structure).
// A broken block yields zero values.
func exif(r io.ReaderAt) (orientation int, res resolution) {
	t, first, ok := newTagReader(r)
	if !ok {
		return 0, res
	}
	d, ok := t.directory(first)
	if !ok {
		return 0, res
	}
	return d.orientation, d.resolution
}
