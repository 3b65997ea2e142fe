package mark

import (
	"math"
	"testing"

	"paraph/app/pdf/text"
)

func TestStrokesKeepTheirShape(t *testing.T) {
	t.Parallel()
	given := [][]text.Point{{{X: -5, Y: 10}, {X: 95, Y: 60}, {X: 45.5, Y: 10}}, {{X: 20, Y: 20}}}
	keepsShape(t, given)
	for _, s := range given {
		for i := range s {
			s[i].Pen = .5 + float64(i)
		}
	}
	keepsShape(t, given)
}

func keepsShape(t *testing.T, given [][]text.Point) {
	t.Helper()
	got, err := Unpack(Pack(given))
	if err != nil || len(got) != len(given) {
		t.Fatalf("%v, %v", got, err)
	}
	const scale = strokeGrid / 100.0 // the drawing is 100 wide
	for i, s := range given {
		for j, p := range s {
			if q := got[i][j]; math.Abs(q.X-(p.X+5)*scale) > 1 || math.Abs(q.Y-(p.Y-10)*scale) > 1 || q.Pen != p.Pen {
				t.Errorf("point %d of stroke %d is %v", j, i, q)
			}
		}
	}
}

func TestStrokesStaySmall(t *testing.T) {
	t.Parallel()
	long := make([]text.Point, maxPoints)
	for i := range long {
		long[i] = text.Point{X: float64(i % 997), Y: float64(i % 613)}
	}
	dots := make([][]text.Point, maxPoints)
	for i := range dots {
		dots[i] = long[i : i+1]
	}
	for name, strokes := range map[string][][]text.Point{"nothing": nil, "one long": {long}, "dots": dots, "one dot": {{{X: 3, Y: 3}}}} {
		b := Pack(strokes)
		if got, err := Unpack(b); err != nil || len(b) > 64<<10 || (len(got) == 0) != (strokes == nil) {
			t.Errorf("%s: %d bytes, %d strokes, %v", name, len(b), len(got), err)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(Pack([][]text.Point{{{X: 1, Y: 2}, {X: 3, Y: 4}}}))
	f.Add(Pack([][]text.Point{{{X: 1, Y: 2, Pen: 2}, {X: 3, Y: 4, Pen: .5}}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		strokes, err := Unpack(b)
		points := 0
		for _, s := range strokes {
			points += len(s)
		}
		if err == nil && points > len(b) {
			t.Errorf("%d points from %d bytes", points, len(b))
		}
	})
}
