package pdfium

import (
	"fmt"
	"math"
)

// Flags of FPDF_RenderPageBitmap and FPDF_FFLDraw.
const (
	drawAnnotations  = 0x01
	reverseByteOrder = 0x10 // RGBx instead of BGRx
)

// bitmapBGRx is FPDFBitmap_BGRx: four bytes per pixel, the last one unused.
const bitmapBGRx = 3

// render draws a page on white, width pixels wide, as PNG.
func (d *document) render(number, width int) ([]byte, error) {
	p, err := d.page(number)
	if err != nil {
		return nil, err
	}
	defer p.close()
	rows := max(1, math.Round(float64(width)*p.height/p.width))
	if rows*float64(width) > MaxPixels {
		return nil, fmt.Errorf("%w: picture of %d × %.0f pixels", ErrTooLarge, width, rows)
	}
	height := int(rows)
	w, h := uint64(width), uint64(height)
	bitmap := d.call("FPDFBitmap_CreateEx", w, h, bitmapBGRx, 0, 0)
	if bitmap == 0 && d.err == nil {
		return nil, fmt.Errorf("%w: no room for %d × %d pixels", ErrTooLarge, width, height)
	}
	d.call("FPDFBitmap_FillRect", bitmap, 0, 0, w, h, 0xFFFFFFFF)
	d.call("FPDF_RenderPageBitmap", bitmap, p.handle, 0, 0, w, h, 0, drawAnnotations|reverseByteOrder)
	d.drawForm(p, bitmap, w, h)
	buffer, stride := d.call("FPDFBitmap_GetBuffer", bitmap), d.callInt("FPDFBitmap_GetStride", bitmap)
	pixels := d.bytes(buffer, stride*height)
	if d.err != nil {
		return nil, d.err
	}
	return encodePNG(pixels, width, height, stride)
}

// drawForm draws the form fields, which FPDF_RenderPageBitmap omits.
func (d *document) drawForm(p *page, bitmap, w, h uint64) {
	info := d.call("FPDF_FORMFILLINFO_Create")
	form := d.call("FPDFDOC_InitFormFillEnvironment", d.handle, info)
	if form == 0 {
		return
	}
	d.call("FPDF_RemoveFormFieldHighlight", form)
	d.call("FPDF_FFLDraw", form, bitmap, p.handle, 0, 0, w, h, 0, drawAnnotations|reverseByteOrder)
	d.call("FPDFDOC_ExitFormFillEnvironment", form)
}
