package mark

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"paraph/app/pdf/text"
)

// The thinnest and the thickest line, relative to the usual one.
const thinnest, thickest = 0.25, 3

// Strokes returns the lines of a drawn mark.
func (m *Mark) Strokes() ([][]text.Point, error) { return Strokes(m.Data) }

// Strokes decodes strokes as [[[x,y],…],…], in which points may have the width of the pen as a
// third number. Strokes without points are left out.
func Strokes(data string) (strokes [][]text.Point, err error) {
	var raw [][][3]float64
	if err := json.Unmarshal([]byte(data), &raw); err != nil {
		return nil, err
	}
	for _, s := range raw {
		var out []text.Point
		for _, p := range s {
			if p[2] != 0 {
				p[2] = min(max(p[2], thinnest), thickest)
			}
			out = append(out, text.Point{X: p[0], Y: p[1], Pen: p[2]})
		}
		if len(out) > 0 {
			strokes = append(strokes, out)
		}
	}
	return strokes, nil
}

// The resolution at which a drawn signature is stored for the certificate of
// completion. More would not be visible at the size shown there.
const (
	strokeGrid = 2000 // the longer side of the drawing, in steps
	keptPoints = 4000
	penGrid    = 16 // the usual width of the pen, in steps
)

// Pack encodes strokes compactly: each as its number of points followed by the steps
// from point to point on a grid, as signed varints. If the width of the pen varies, a zero
// comes first, and each point has its width, too.
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
	pens := slices.ContainsFunc(strokes, func(s []text.Point) bool {
		return slices.ContainsFunc(s, func(p text.Point) bool { return p.Pen != 0 })
	})
	if pens {
		b = append(b, 0)
	}
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
			if pens {
				b = binary.AppendUvarint(b, uint64(math.Round(p.Pen*penGrid)))
			}
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
	pens := len(b) > 0 && b[0] == 0
	if pens {
		b = b[1:]
	}
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
			p := text.Point{X: float64(x), Y: float64(y)}
			if pens {
				pen, n := binary.Uvarint(b)
				if n <= 0 {
					return nil, errStrokes
				}
				b, p.Pen = b[n:], min(float64(pen)/penGrid, thickest)
			}
			s = append(s, p)
		}
		strokes = append(strokes, s)
	}
	return strokes, nil
}
