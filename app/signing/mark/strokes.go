package mark

import (
	"encoding/binary"
	"errors"
	"math"

	"paraph/app/pdf/text"
)

// The resolution at which a drawn signature is stored for the certificate of
// completion. More would not be visible at the size shown there.
const (
	strokeGrid = 2000 // the longer side of the drawing, in steps
	keptPoints = 4000
)

// Pack encodes strokes compactly: each as its number of points followed by the steps
// from point to point on a grid, as signed varints.
func Pack(strokes [][]text.Point) []byte {
	points, low, side := 0, text.Point{X: math.Inf(1), Y: math.Inf(1)}, 0.0
	for _, s := range strokes {
		points += len(s)
		for _, p := range s {
			low = text.Point{X: min(low.X, p.X), Y: min(low.Y, p.Y)}
		}
	}
	for _, s := range strokes {
		for _, p := range s {
			side = max(side, p.X-low.X, p.Y-low.Y)
		}
	}
	if points == 0 {
		return nil
	}
	if side == 0 {
		side = 1
	}
	every, room := 1+points/keptPoints, 2*keptPoints
	var b []byte
	x, y := int64(0), int64(0)
	for _, s := range strokes {
		kept := thin(s, every)
		if room -= len(kept); room < 0 {
			break
		}
		b = binary.AppendUvarint(b, uint64(len(kept)))
		for _, p := range kept {
			px, py := int64(math.Round((p.X-low.X)/side*strokeGrid)), int64(math.Round((p.Y-low.Y)/side*strokeGrid))
			b = binary.AppendVarint(binary.AppendVarint(b, px-x), py-y)
			x, y = px, py
		}
	}
	return b
}

// thin keeps the first of every few points, and always the last.
func thin(s []text.Point, every int) []text.Point {
	if every == 1 || len(s) < 3 {
		return s
	}
	var kept []text.Point
	for i := 0; i < len(s)-1; i += every {
		kept = append(kept, s[i])
	}
	return append(kept, s[len(s)-1])
}

var errStrokes = errors.New("mark: the strokes of a signature can't be read")

// Unpack decodes what Pack encoded.
func Unpack(b []byte) ([][]text.Point, error) {
	var strokes [][]text.Point
	x, y := int64(0), int64(0)
	for len(b) > 0 {
		count, n := binary.Uvarint(b)
		if n <= 0 || count > uint64(len(b)) {
			return nil, errStrokes
		}
		b = b[n:]
		s := make([]text.Point, 0, count)
		for range count {
			dx, n := binary.Varint(b)
			dy, m := binary.Varint(b[max(n, 0):])
			if n <= 0 || m <= 0 {
				return nil, errStrokes
			}
			b = b[n+m:]
			x, y = x+dx, y+dy
			s = append(s, text.Point{X: float64(x), Y: float64(y)})
		}
		strokes = append(strokes, s)
	}
	return strokes, nil
}
