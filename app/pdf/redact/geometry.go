package redact

import "math"

// A Rect holds left, bottom, right and top, in points.
type Rect [4]float64

// overlaps reports whether two rectangles have a point in common.
func (r Rect) overlaps(o Rect) bool {
	return r[0] <= o[2] && o[0] <= r[2] && r[1] <= o[3] && o[1] <= r[3]
}

// contains reports whether o lies in r, but for a tolerance that no one sees.
func (r Rect) contains(o Rect) bool {
	const tolerance = 0.1
	return o[0] >= r[0]-tolerance && o[1] >= r[1]-tolerance && o[2] <= r[2]+tolerance && o[3] <= r[3]+tolerance
}

// valid reports whether the corners are numbers.
func (r Rect) valid() bool {
	sum := r[0] + r[1] + r[2] + r[3]
	return !math.IsNaN(sum) && !math.IsInf(sum, 0)
}

// inset returns the middle of a rectangle, without a share of its width and height on each side.
func (r Rect) inset(share float64) Rect {
	x, y := (r[2]-r[0])*share, (r[3]-r[1])*share
	return Rect{r[0] + x, r[1] + y, r[2] - x, r[3] - y}
}

// with returns the smallest rectangle that has the points of r and another one.
func (r Rect) with(x, y float64) Rect {
	return Rect{min(r[0], x), min(r[1], y), max(r[2], x), max(r[3], y)}
}

// within returns what two rectangles have in common, all of r if the other one isn't known.
func (r Rect) within(o Rect) Rect {
	if !o.valid() {
		return r
	}
	return Rect{max(r[0], o[0]), max(r[1], o[1]), min(r[2], o[2]), min(r[3], o[3])}
}

// everywhere is larger than any page.
var everywhere = Rect{-1e9, -1e9, 1e9, 1e9}

// nowhere is the rectangle without points.
var nowhere = Rect{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}

// A matrix is a transformation [a b c d e f] of points (ISO 32000-2 §8.3.4).
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// times returns the transformation m followed by n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// moved returns m after a move in its own coordinates.
func (m matrix) moved(x, y float64) matrix { return matrix{1, 0, 0, 1, x, y}.times(m) }

func (m matrix) point(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// rect returns the rectangle around the transformed r.
func (m matrix) rect(r Rect) Rect {
	out := nowhere
	for _, p := range [4][2]float64{{r[0], r[1]}, {r[0], r[3]}, {r[2], r[1]}, {r[2], r[3]}} {
		out = out.with(m.point(p[0], p[1]))
	}
	return out
}

// inverse returns the transformation back, if there is one.
func (m matrix) inverse() (inv matrix, ok bool) {
	det := m[0]*m[3] - m[1]*m[2]
	inv = matrix{m[3] / det, -m[1] / det, -m[2] / det, m[0] / det,
		(m[2]*m[5] - m[3]*m[4]) / det, (m[1]*m[4] - m[0]*m[5]) / det}
	sum := 0.0
	for _, v := range inv {
		sum += v
	}
	return inv, !math.IsNaN(sum) && !math.IsInf(sum, 0)
}
