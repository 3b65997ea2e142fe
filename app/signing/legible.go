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
	"paraph/app/pdf/document"
	"paraph/app/pdf/pdfium"
	"paraph/app/signing/disk"
	"paraph/app/signing/record"
)

// Nobody signs what can't be seen: text differs from the page beneath it.
const (
	// leastContrast is that of light grey on white, as in ISO 9241-3 and WCAG 2 between 1 and 21.
	leastContrast = 2
	// groundWidth is the width of the pictures in which the page is looked at, in pixels.
	groundWidth = 400
)

// shown reports whether a field shows text or a tick in its colour.
func shown(x *record.Field) bool {
	switch x.Type {
	case pdf.FieldLabel, pdf.FieldStrikethrough, pdf.FieldCheckbox, pdf.FieldRadio:
		return true
	}
	return x.Prints()
}

// legible refuses fields of a file whose text would hardly be seen on its pages, whoever enters it.
func (s *Sending) legible(ctx context.Context, d *record.Document, f *record.File) error {
	byPage := map[int][]*record.Field{}
	for i := range d.Fields {
		if x := &d.Fields[i]; x.File == f.ID && shown(x) && x.Page >= 1 && x.Page <= len(f.Pages) {
			byPage[x.Page] = append(byPage[x.Page], x)
		}
	}
	if len(byPage) == 0 {
		return nil
	}
	grounds, err := s.grounds(ctx, d, f, byPage)
	if err != nil {
		return err
	}
	var faults fault.Fields
	for i := range d.Fields {
		x := &d.Fields[i]
		if g, known := grounds[x]; known && contrast(luminance(x.RGB()), g) < leastContrast {
			record.NewFlaw("text_unseen").Report(&faults, x)
		}
	}
	return faults.Err()
}

// grounds returns the luminance of the places of fields, without those on pages that can't be drawn. Pages are drawn
// only for places that may not be white, as that takes more time than all else.
func (s *Sending) grounds(ctx context.Context, d *record.Document, f *record.File, byPage map[int][]*record.Field) (map[*record.Field]float64, error) {
	base, closeBase, err := s.revisions.baseOf(f)
	if err != nil {
		return nil, err
	}
	file, unread := pdf.Open(base.Reader, base.Size)
	grounds := map[*record.Field]float64{}
	for page, fields := range byPage {
		boxes := make([]document.Box, len(fields))
		for i, x := range fields {
			boxes[i] = document.Box{X: x.X, Y: x.Y, Width: x.Width, Height: x.Height}
		}
		bare := make([]bool, len(fields))
		if unread == nil {
			if found, err := file.Bare(page-1, boxes); err == nil {
				bare = found
			}
		}
		var m image.Image
		if slices.Contains(bare, false) {
			if m, err = s.ground(ctx, d, f, page); err != nil {
				return nil, disk.Closing(err, closeBase)
			}
		}
		for i, x := range fields {
			switch {
			case bare[i]:
				grounds[x] = luminance([3]float64{1, 1, 1})
			case m != nil:
				grounds[x] = groundOf(m, x)
			}
		}
	}
	return grounds, disk.Closing(nil, closeBase)
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
