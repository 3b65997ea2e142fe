package convert

import (
	"context"
	"encoding/binary"
	"image"
	"image/color"
	"io"

	"golang.org/x/image/webp"

	"paraph/app/convert/internal/vp8"
)

func (s source) webp(context.Context) (picture, error) {
	img, w, err := s.decodeWebP()
	if err != nil {
		return picture{}, err
	}
	colour, mask := layers(img)
	return picture{colour: colour, mask: mask, orientation: w.orientation, resolution: w.resolution}, nil
}

func (s source) decodeWebP() (image.Image, webpChunks, error) {
	w := s.webpChunks()
	if w.animated {
		return nil, w, errAnimated
	}
	img, err := s.decode(4, webp.DecodeConfig, webp.Decode)
	if err != nil {
		return nil, w, err
	}
	return vp8.Correct(img), w, nil
}

type webpChunks struct {
	animated    bool
	orientation int
	resolution  resolution
}

// webpChunks reads the chunks around the pixels (RFC 9649 §2.7).
func (s source) webpChunks() (w webpChunks) {
	for at := int64(12); at+8 <= s.size; {
		var head [9]byte
		if n, err := s.r.ReadAt(head[:], at); err != nil && n < 8 {
			return w
		}
		n := int64(binary.LittleEndian.Uint32(head[4:]))
		switch string(head[:4]) {
		case "VP8X":
			w.animated = head[8]&2 != 0
		case "EXIF":
			w.orientation, w.resolution = s.webpEXIF(at+8, n)
		}
		at += 8 + n + n&1
	}
	return w
}

// webpEXIF reads an EXIF block, which some writers precede with the JPEG prefix.
func (s source) webpEXIF(at, n int64) (int, resolution) {
	var prefix [6]byte
	if _, err := s.r.ReadAt(prefix[:], at); err == nil && string(prefix[:]) == "Exif\x00\x00" {
		at, n = at+6, n-6
	}
	return exif(io.NewSectionReader(s.r, at, max(n, 0)))
}

// modelBytes returns the size of a decoded pixel in memory.
func modelBytes(m color.Model) int64 {
	switch m {
	case color.GrayModel:
		return 1
	case color.Gray16Model:
		return 2
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	}
	if _, ok := m.(color.Palette); ok {
		return 1
	}
	return 4
}
