package convert

import "strconv"

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
