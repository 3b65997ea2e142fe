package convert

import (
	"context"
	"image"
	"image/gif"
	"io"
)

// gif shows the first frame.
func (s source) gif(context.Context) (picture, error) {
	img, err := s.decode(1, gif.DecodeConfig, gif.Decode)
	if err != nil {
		return picture{}, err
	}
	colour, mask := layers(img)
	return picture{colour: colour, mask: mask}, nil
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
