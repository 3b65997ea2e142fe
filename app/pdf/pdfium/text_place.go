package pdfium

import "math"

// view converts page space to fractions of the displayed page. The three
// corners that PDFium maps account for CropBox, Rotate and the direction of y.
type view struct {
	x, y           float64 // upper left corner in page space
	ax, ay, bx, by float64 // fractions per unit: right and down
}

// corner is the device size passed to FPDF_DeviceToPage.
const corner = 1000

func (p *page) view() view {
	x0, y0 := p.pagePoint(0, 0)
	x1, y1 := p.pagePoint(corner, 0)
	x2, y2 := p.pagePoint(0, corner)
	a, b, c, e := x1-x0, y1-y0, x2-x0, y2-y0
	det := a*e - b*c
	if det == 0 {
		return view{}
	}
	return view{x: x0, y: y0, ax: e / det, ay: -c / det, bx: -b / det, by: a / det}
}

func (p *page) pagePoint(x, y uint64) (float64, float64) {
	p.call("FPDF_DeviceToPage", p.handle, 0, 0, corner, corner, 0, x, y, p.temp, p.temp+8)
	b := p.bytes(p.temp, 16)
	return float64At(b, 0), float64At(b, 8)
}

func (v view) point(x, y float32) (float64, float64) {
	dx, dy := float64(x)-v.x, float64(y)-v.y
	return v.ax*dx + v.ay*dy, v.bx*dx + v.by*dy
}

func (v view) rect(left, top, right, bottom float32) box {
	x0, y0 := v.point(left, top)
	x1, y1 := v.point(right, bottom)
	return box{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}
}

// box is an area in fractions of the page. The zero box is empty.
type box struct {
	x0, y0, x1, y1 float64
}

func (b box) valid() bool {
	return b != box{} && !math.IsNaN(b.x0+b.y0+b.x1+b.y1) && !math.IsInf(b.x0+b.y0+b.x1+b.y1, 0)
}

func (b box) union(c box) box {
	switch {
	case !c.valid():
		return b
	case !b.valid():
		return c
	}
	return box{min(b.x0, c.x0), min(b.y0, c.y0), max(b.x1, c.x1), max(b.y1, c.y1)}
}
