package convert

import (
	"math"
	"strconv"
)

// Page sizes in points. ISO 32000-2 Annex C.2 asks for 3 to 14,400.
const (
	minSide   = 3.0
	maxSide   = 14400.0
	defaultPI = 96.0 // pixels per inch of an image that states none, as in browsers
	a4Long    = 841.89
	a4Short   = 595.28
)

// resolution is an image's stated resolution. Zero is unknown.
type resolution struct{ x, y float64 } // pixels per inch

// page returns the displayed size, in points, of width x height displayed
// pixels.
//
// Cameras and screens write 72 or 96 into every file, which would turn a photograph into a
// page of a metre or more. So an image without a resolution, or with one of these and a
// page larger than A2, is fitted into A4.
func (d resolution) page(width, height int) (w, h float64) {
	stated := d.x >= 1 && d.y >= 1 && d.x <= 1e5 && d.y <= 1e5
	if !stated {
		d = resolution{defaultPI, defaultPI}
	}
	w, h = float64(width)*72/d.x, float64(height)*72/d.y
	placeholder := !stated || (max(w, h) > 2*a4Long && d.x <= defaultPI && d.y <= defaultPI)
	if placeholder {
		scale := min(1, a4Long/max(w, h), a4Short/min(w, h))
		w, h = w*scale, h*scale
	}
	scale := min(1, maxSide/max(w, h))
	return clampSide(w * scale), clampSide(h * scale)
}

func clampSide(v float64) float64 { return min(max(v, minSide), maxSide) }

// Screenshots of whole web pages and chats are so tall that on one page nobody could read them.
const (
	tallShape   = 3.0   // how often as high as wide
	tallShrink  = 1.4   // how often as high as A4 it may be for one page
	tallMin     = 72    // pixels of width; what is narrower has no text
	screenPI    = 144.0 // the highest resolution that makers of screenshots state
	tallOverlap = 24.0  // points shown twice, so that every line is whole on one of two pages
)

// sheets returns the size of each page, in points, for a picture of width x height displayed pixels,
// and how far below the top of the picture each begins. Tall screenshots get several pages, as wide as
// A4 at most; any other picture is on one.
func (d resolution) sheets(width, height int) (w, h, whole float64, tops []float64) {
	w, h = d.page(width, height)
	one := []float64{0}
	screen := d.x < 1 || d.x <= screenPI
	if !screen || width < tallMin || float64(height) < tallShape*float64(width) {
		return w, h, h, one
	}
	wide := clampSide(min(float64(width)*72/max(d.x, defaultPI), a4Short))
	whole = wide * float64(height) / float64(width)
	if whole <= tallShrink*a4Long {
		return w, h, h, one
	}
	w = wide
	n := math.Ceil((whole - tallOverlap) / (a4Long - tallOverlap))
	h = (whole + (n-1)*tallOverlap) / n
	for i := range int(n) {
		tops = append(tops, float64(i)*(h-tallOverlap))
	}
	return w, h, whole, tops
}

// matrix maps the unit square of a PDF image to a page of w x h points so that
// an image stored with an EXIF orientation (CIPA DC-008, tag 0x0112; 1 to 8)
// is shown upright.
func matrix(orientation int, w, h float64) [6]float64 {
	switch orientation {
	case 2: // mirrored
		return [6]float64{-w, 0, 0, h, w, 0}
	case 3: // upside down
		return [6]float64{-w, 0, 0, -h, w, h}
	case 4: // upside down and mirrored
		return [6]float64{w, 0, 0, -h, 0, h}
	case 5: // first row is the left side, first column the top
		return [6]float64{0, -h, -w, 0, w, h}
	case 6: // first row is the right side, first column the top
		return [6]float64{0, -h, w, 0, 0, h}
	case 7: // first row is the right side, first column the bottom
		return [6]float64{0, h, w, 0, 0, 0}
	case 8: // first row is the left side, first column the bottom
		return [6]float64{0, h, -w, 0, w, 0}
	}
	return [6]float64{w, 0, 0, h, 0, 0}
}

// number formats a number for PDF: without an exponent, and with no more digits than a
// renderer uses.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'f', 3, 64)
	for s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	if s[len(s)-1] == '.' {
		s = s[:len(s)-1]
	}
	if s == "-0" {
		return "0"
	}
	return s
}
