package convert

import (
	"context"
	"errors"
	"image"

	"golang.org/x/image/bmp"
)

func (s source) bmp(context.Context) (picture, error) {
	img, err := s.decodeBMP()
	if err != nil {
		return picture{}, err
	}
	colour, mask := layers(img)
	return picture{colour: colour, mask: mask}, nil
}

func (s source) decodeBMP() (image.Image, error) {
	img, err := s.decode(4, bmp.DecodeConfig, bmp.Decode)
	if errors.Is(err, bmp.ErrUnsupported) {
		return nil, variant(err)
	}
	return img, err
}
