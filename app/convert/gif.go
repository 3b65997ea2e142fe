package convert

import (
	"bufio"
	"context"
	"errors"
	"image"
	"image/gif"
	"io"
)

func (s source) gif(context.Context) (picture, error) {
	img, err := s.decodeGIF()
	if err != nil {
		return picture{}, err
	}
	colour, mask := layers(img)
	return picture{colour: colour, mask: mask}, nil
}

func (s source) decodeGIF() (image.Image, error) {
	animated, err := gifAnimated(bufio.NewReader(io.NewSectionReader(s.r, 0, s.size)))
	switch {
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return nil, err
	case animated:
		return nil, errAnimated
	}
	return s.decode(1, gif.DecodeConfig, gif.Decode)
}

// gifAnimated reports whether a GIF has a second picture (GIF89a, appendix A).
func gifAnimated(r *bufio.Reader) (bool, error) {
	const (
		extension, picture = 0x21, 0x2C
		ownColors          = 0x80
	)
	colors := func(flags byte) int {
		if flags&ownColors == 0 {
			return 0
		}
		return 3 << (flags&7 + 1)
	}
	var head [13]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return false, err
	}
	if _, err := r.Discard(colors(head[10])); err != nil {
		return false, err
	}
	for pictures := 0; ; {
		kind, err := r.ReadByte()
		if err != nil {
			return false, err
		}
		skip := 1 // the label
		switch kind {
		case extension:
		case picture:
			if pictures++; pictures > 1 {
				return true, nil
			}
			var place [9]byte
			if _, err := io.ReadFull(r, place[:]); err != nil {
				return false, err
			}
			skip = colors(place[8]) + 1 // and the size of codes
		default:
			return false, nil // the end
		}
		if _, err := r.Discard(skip); err != nil {
			return false, err
		}
		for n := byte(1); n > 0; {
			if n, err = r.ReadByte(); err != nil {
				return false, err
			}
			if _, err := r.Discard(int(n)); err != nil {
				return false, err
			}
		}
	}
}

// decode checks size and memory by the header, then decodes.
func (s source) decode(perPixel int64, config func(io.Reader) (image.Config, error), decode func(io.Reader) (image.Image, error)) (image.Image, error) {
	c, err := config(io.NewSectionReader(s.r, 0, s.size))
	if err != nil {
		return nil, damagedImage(err)
	}
	if err := s.limits.checkPixels(c.Width, c.Height); err != nil {
		return nil, err
	}
	if err := s.limits.checkMemory(c.Width, c.Height, perPixel); err != nil {
		return nil, err
	}
	img, err := decode(io.NewSectionReader(s.r, 0, s.size))
	if err != nil {
		return nil, damagedImage(err)
	}
	if img.Bounds().Empty() {
		return nil, damagedImage(nil)
	}
	return img, nil
}
