package text

import (
	"bytes"
	"encoding/binary"
)

// turns maps the unit square of a picture's samples to that of the upright
// picture, for each EXIF orientation (CIPA DC-008, tag 0x0112).
var turns = [9][6]float64{
	{1, 0, 0, 1, 0, 0},
	{1, 0, 0, 1, 0, 0},
	{-1, 0, 0, 1, 1, 0},
	{-1, 0, 0, -1, 1, 1},
	{1, 0, 0, -1, 0, 1},
	{0, -1, -1, 0, 1, 1},
	{0, -1, 1, 0, 0, 1},
	{0, 1, 1, 0, 0, 0},
	{0, 1, -1, 0, 1, 0},
}

// turn sets the orientation; orientations from 5 on swap width and height.
func (p *Picture) turn(orientation int) {
	p.orientation = orientation
	if orientation >= 5 {
		p.Width, p.Height = p.Height, p.Width
	}
}

// orientation returns the camera orientation from the EXIF data of a JPEG, or 1
// if there is no valid one.
func orientation(jpeg []byte) int {
	for b := jpeg[min(2, len(jpeg)):]; len(b) >= 4 && b[0] == 0xFF && b[1] != 0xDA; {
		size := int(binary.BigEndian.Uint16(b[2:]))
		if size < 2 || len(b) < 2+size {
			break
		}
		if exif, ok := bytes.CutPrefix(b[4:2+size], []byte("Exif\x00\x00")); ok && b[1] == 0xE1 {
			return tiffOrientation(exif)
		}
		b = b[2+size:]
	}
	return 1
}

// tiffOrientation reads the orientation from the first directory of a TIFF
// structure.
func tiffOrientation(b []byte) int {
	if len(b) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.BigEndian
	if b[0] == 'I' {
		order = binary.LittleEndian
	}
	at := uint64(order.Uint32(b[4:]))
	if at+2 > uint64(len(b)) {
		return 1
	}
	entries := b[at+2:]
	for range order.Uint16(b[at:]) {
		if len(entries) < 12 {
			break
		}
		if v := order.Uint16(entries[8:]); order.Uint16(entries) == 0x0112 && v >= 1 && v <= 8 {
			return int(v)
		}
		entries = entries[12:]
	}
	return 1
}
