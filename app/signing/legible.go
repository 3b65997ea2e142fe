package signing

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"math"
	"slices"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/pdf/pdfium"
	"paraph/app/signing/record"
)

// Nobody signs what can't be seen: text that the sender decides differs from the page beneath it.
const (
	// leastContrast is that of light grey on white, as in ISO 9241-3 and WCAG 2 between 1 and 21.
	leastContrast = 2
	// groundWidth is the width of the pictures in which the page is looked at, in pixels.
	groundWidth = 400
)

// decided reports whether the sender decides on the text of a field, or on its colour.
func decided(x *record.Field) bool {
	switch x.Type {
	case pdf.FieldLabel, pdf.FieldStrikethrough:
		return true
	}
	return x.Prints() && (x.Value != "" || x.Formula != "" || x.Color != "")
}

// legible refuses fields of a file whose text would hardly be seen on its pages.
func (s *Sending) legible(ctx context.Context, d *record.Document, f *record.File) error {
	var faults fault.Fields
	pages := map[int]image.Image{}
	for i := range d.Fields {
		x := &d.Fields[i]
		if x.File != f.ID || !decided(x) || x.Page < 1 || x.Page > len(f.Pages) {
			continue
		}
		m, known := pages[x.Page]
		if !known {
			var err error
			if m, err = s.ground(ctx, d, f, x.Page); err != nil {
				return err
			}
			pages[x.Page] = m
		}
		if m != nil && contrast(luminance(x.RGB()), groundOf(m, x)) < leastContrast {
			record.NewFlaw("text_unseen").Report(&faults, x)
		}
	}
	return faults.Err()
}

// ground returns a picture of a page before its fields are placed, nil if it can't be drawn.
func (s *Sending) ground(ctx context.Context, d *record.Document, f *record.File, page int) (image.Image, error) {
	if s.pdfium == nil {
		return nil, nil
	}
	paths, err := s.blobs.Paths(f.Blobs()...)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%s-%d-%d", d.PageHash(f, page), page, groundWidth)
	data, err := s.pictures.Get(ctx, name, func() ([]byte, error) {
		turn := account.System(d.Company).Turn()
		return s.pdfium.For(turn).RenderToEnd(ctx, pdfium.Source{Paths: paths}, page-1, groundWidth)
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case fault.KindOf(err) == fault.KindUnavailable:
		return nil, err
	case err != nil:
		s.log.Warn("page not looked at before sending", "blob", f.Base, "page", page, "error", err)
		return nil, nil
	}
	return png.Decode(bytes.NewReader(data))
}

// groundOf returns the median luminance of a field's place on a page.
func groundOf(m image.Image, x *record.Field) float64 {
	b := m.Bounds()
	at := func(share float64, size int) int { return min(max(int(share*float64(size)), 0), size-1) }
	left, right := at(x.X, b.Dx()), at(x.X+x.Width, b.Dx())
	top, bottom := at(x.Y, b.Dy()), at(x.Y+x.Height, b.Dy())
	var all []float64
	for row := top; row <= bottom; row++ {
		for column := left; column <= right; column++ {
			red, green, blue, _ := m.At(b.Min.X+column, b.Min.Y+row).RGBA()
			all = append(all, luminance([3]float64{float64(red) / 0xffff, float64(green) / 0xffff, float64(blue) / 0xffff}))
		}
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// contrast returns that of two luminances (WCAG 2).
func contrast(a, b float64) float64 {
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

// luminance returns the relative luminance of an sRGB colour.
func luminance(rgb [3]float64) float64 {
	share := [3]float64{0.2126, 0.7152, 0.0722}
	sum := 0.0
	for i, v := range rgb {
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += share[i] * v
	}
	return sum
}
