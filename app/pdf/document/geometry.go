package document

import (
	"math"

	"paraph/app/pdf/object"
)

// A Rect holds left, bottom, right and top in user space, in points.
type Rect [4]float64

// Size returns the width and height.
func (r Rect) Size() (w, h float64) { return r[2] - r[0], r[3] - r[1] }

// Empty reports whether it has no area.
func (r Rect) Empty() bool { return r[2] <= r[0] || r[3] <= r[1] }

// Intersect returns what two rectangles share, which may be empty.
func (r Rect) Intersect(o Rect) Rect {
	return Rect{max(r[0], o[0]), max(r[1], o[1]), min(r[2], o[2]), min(r[3], o[3])}
}

// Array returns the rectangle as it is written in a file.
func (r Rect) Array() array {
	a := make(array, 4)
	for i, v := range r {
		a[i] = object.Round(v)
	}
	return a
}

// touch is how far, in points, two fields may reach into one another without one of them hiding the
// other.
const touch = 1.5

// Hides reports whether something drawn in a rectangle can hide what is in another one: whether they
// share more than an edge. Nothing hides what is too thin to be seen.
func (r Rect) Hides(o Rect) bool {
	width, height := r.Intersect(o).Size()
	w, h := o.Size()
	return width > min(touch, w/2) && height > min(touch, h/2)
}

// A Box is a rectangle on a page as displayed: fractions of its width and
// height, origin top left, y downwards.
type Box struct{ X, Y, Width, Height float64 }

func (p Page) sideways() bool { return p.Rotate == 90 || p.Rotate == 270 }

// point converts a point of the displayed page to user space.
func (p Page) point(x, y float64) (float64, float64) {
	w, h := p.Area.Size()
	switch p.Rotate {
	case 90:
		return p.Area[0] + y*w, p.Area[1] + x*h
	case 180:
		return p.Area[2] - x*w, p.Area[1] + y*h
	case 270:
		return p.Area[2] - y*w, p.Area[3] - x*h
	}
	return p.Area[0] + x*w, p.Area[3] - y*h
}

// Rect converts a box of the displayed page to user space.
func (p Page) Rect(b Box) Rect {
	x1, y1 := p.point(b.X, b.Y)
	x2, y2 := p.point(b.X+b.Width, b.Y+b.Height)
	return Rect{min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)}
}

// Box converts a rectangle in user space to a box of the displayed page.
func (p Page) Box(r Rect) Box {
	x1, y1 := p.fraction(r[0], r[1])
	x2, y2 := p.fraction(r[2], r[3])
	return Box{X: min(x1, x2), Y: min(y1, y2), Width: math.Abs(x2 - x1), Height: math.Abs(y2 - y1)}
}

func (p Page) fraction(x, y float64) (float64, float64) {
	w, h := p.Area.Size()
	switch p.Rotate {
	case 90:
		return (y - p.Area[1]) / h, (x - p.Area[0]) / w
	case 180:
		return (p.Area[2] - x) / w, (y - p.Area[1]) / h
	case 270:
		return (p.Area[3] - y) / h, (p.Area[2] - x) / w
	}
	return (x - p.Area[0]) / w, (p.Area[3] - y) / h
}

// Size returns the width and height of a box in points, as displayed.
func (p Page) Size(b Box) (width, height float64) { return b.Width * p.Width, b.Height * p.Height }
