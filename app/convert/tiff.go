package convert

import (
	"context"
	"errors"
	"image"
	"io"

	"paraph/app/convert/internal/refuse"
	"paraph/app/convert/internal/tiff"
	"paraph/app/fault"
)

// tiff yields a page for every picture in the file except thumbnails.
func (s source) tiff(ctx context.Context, yield func(picture) error) error {
	t, at, ok := newTagReader(s.r)
	if !ok {
		return refuse.Feature("big_tiff", errors.New("BigTIFF"))
	}
	seen := map[uint32]bool{}
	pages := 0
	for at != 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		d, ok := t.directory(at)
		if !ok || seen[at] {
			return damagedImage(nil)
		}
		seen[at] = true
		if !d.reduced || pages == 0 && d.next == 0 {
			if pages++; pages > s.limits.Pages {
				return refuse.TooLarge("image_pages", fault.Number("limit", s.limits.Pages))
			}
			if err := s.tiffPage(t, at, d, yield); err != nil {
				return err
			}
		}
		at = d.next
	}
	if pages == 0 {
		return damagedImage(nil)
	}
	return nil
}

func (s source) tiffPage(t tagReader, at uint32, d directory, yield func(picture) error) error {
	// The decoder reads only the first picture, so it gets a header that points
	// to this one.
	header := make([]byte, 4)
	t.order.PutUint32(header, at)
	page := s
	page.r = io.NewSectionReader(patched{s.r, header, 4}, 0, s.size)
	img, err := page.decodeTIFF()
	if err != nil {
		return err
	}
	colour, mask := layers(img)
	return yield(picture{colour: colour, mask: mask, resolution: d.resolution, orientation: d.orientation})
}

// decodeTIFF decodes the first picture.
func (s source) decodeTIFF() (image.Image, error) {
	config, err := tiff.DecodeConfig(io.NewSectionReader(s.r, 0, s.size))
	if err != nil {
		return nil, tiffError(err)
	}
	img, err := s.decode(modelBytes(config.ColorModel), tiff.DecodeConfig, tiff.Decode)
	if err != nil {
		return nil, tiffError(err)
	}
	return img, nil
}

func tiffError(err error) error {
	switch u, ok := errors.AsType[tiff.UnsupportedError](err); {
	case ok && u == tiff.FloatingPoint:
		return refuse.Feature("floating_point", u)
	case ok:
		return variant(u)
	}
	if _, ok := errors.AsType[*Refusal](err); ok {
		return err
	}
	return damagedImage(err)
}

// patched is a reader with some bytes replaced.
type patched struct {
	io.ReaderAt
	b  []byte
	at int64
}

func (p patched) ReadAt(b []byte, off int64) (int, error) {
	n, err := p.ReaderAt.ReadAt(b, off)
	for i, v := range p.b {
		if at := p.at + int64(i) - off; at >= 0 && at < int64(n) {
			b[at] = v
		}
	}
	return n, err
}
