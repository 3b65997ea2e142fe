package pdfium

import (
	"encoding/binary"
	"math"
	"slices"
)

// bitmap is a picture as drawn by PDFium: red, green, blue and an unused byte.
type bitmap struct {
	pix                   []byte
	width, height, stride int
}

// runs yields the runs of one colour (0xBBGGRR) within the rows of the picture.
func (m bitmap) runs(yield func(y, x0, x1 int, colour uint32)) {
	for y := range m.height {
		row := m.pix[y*m.stride : y*m.stride+4*m.width]
		for x := 0; x < m.width; {
			c, start := colourAt(row, x), x
			for x++; x < m.width && colourAt(row, x) == c; x++ {
				x = skipPairs(row, x, c)
			}
			yield(y, start, x, c)
		}
	}
}

func colourAt(row []byte, x int) uint32 {
	return binary.LittleEndian.Uint32(row[4*x:]) & 0xFFFFFF
}

// skipPairs skips pixels of colour c, two at a time, and returns the offset of
// the last one.
func skipPairs(row []byte, x int, c uint32) int {
	pair := uint64(c)<<32 | uint64(c)
	for ; 4*x+12 <= len(row) && binary.LittleEndian.Uint64(row[4*x+4:])&0xFFFFFF_00FFFFFF == pair; x += 2 {
	}
	return x
}

// bucketOf returns the bucket of a colour: the upper four bits of its three
// components.
func bucketOf(c uint32) uint32 { return c>>20<<8 | c>>12&0xF<<4 | c>>4&0xF }

const (
	buckets = 1 << 12
	white   = 0xFFFFFF
)

// survey holds the colour statistics of a picture.
type survey struct {
	sum  [buckets]struct{ n, r, g, b, squares uint64 }
	gray bool // all colours are shades of gray
	runs int
}

func (m bitmap) survey() *survey {
	s := &survey{gray: true}
	m.runs(func(_, x0, x1 int, c uint32) {
		n, r, g, b := uint64(x1-x0), uint64(c&0xFF), uint64(c>>8&0xFF), uint64(c>>16)
		k := &s.sum[bucketOf(c)]
		k.n += n
		k.r += n * r
		k.g += n * g
		k.b += n * b
		k.squares += n * (r*r + g*g + b*b)
		s.gray = s.gray && r == g && g == b
		s.runs++
	})
	return s
}

// palette has up to 256 colours and the index of each bucket's colour.
type palette struct {
	colours []uint32
	place   [buckets]byte
}

// paletteSize is the number of colours that fit in four bits.
const paletteSize = 16

// palette returns the colours to show the picture in: the means of all buckets
// in use, merging similar ones while there are more than paletteSize. ok is false for
// a picture that would look rough.
func (s *survey) palette() (*palette, bool) {
	var shades []shade
	for i := buckets - 1; i >= 0; i-- { // paper first, as index 0
		if s.sum[i].n == 0 {
			continue
		}
		if len(shades) == 256 {
			return nil, false
		}
		shades = append(shades, s.shade(i))
	}
	if s.error(shades) > maxError {
		return nil, false
	}
	p := &palette{}
	for _, g := range merge(shades, paletteSize) {
		for _, i := range g.buckets {
			p.place[i] = byte(len(p.colours))
		}
		p.colours = append(p.colours, g.colour())
	}
	return p, true
}

// maxError is the maximum mean squared error per colour component for using a
// palette. Rounding random pixels within their buckets yields 21, as in
// photographs and gradients; the densest page of text yields 5, because a fifth
// of its pixels are edges of letters.
const maxError = 8

// error returns the mean squared error of showing every pixel in its shade.
func (s *survey) error(shades []shade) float64 {
	var sum, n float64
	for _, g := range shades {
		for _, i := range g.buckets {
			sum += float64(s.sum[i].squares)
		}
		sum -= g.n * (g.r*g.r + g.g*g.g + g.b*g.b)
		n += g.n
	}
	return sum / (3 * n)
}

// shade is a group of buckets that share a colour: number of pixels and mean.
type shade struct {
	n, r, g, b float64
	buckets    []int
}

func (s *survey) shade(i int) shade {
	k := &s.sum[i]
	n := float64(k.n)
	return shade{n, float64(k.r) / n, float64(k.g) / n, float64(k.b) / n, []int{i}}
}

func (s shade) colour() uint32 {
	if s.buckets[0] == buckets-1 {
		return white // paper stays white even if merged with other shades
	}
	return uint32(s.b+0.5)<<16 | uint32(s.g+0.5)<<8 | uint32(s.r+0.5)
}

// similar is the maximum distance at which two shades may be merged: neighbours
// along the edge of a letter, but never a colour and its absence.
const similar = 44

// cost returns the squared error added by merging two shades (Ward 1963), or
// infinity if they are not similar.
func (s shade) cost(t shade) float64 {
	d := (s.r-t.r)*(s.r-t.r) + (s.g-t.g)*(s.g-t.g) + (s.b-t.b)*(s.b-t.b)
	if d > similar*similar {
		return math.Inf(1)
	}
	return d * s.n * t.n / (s.n + t.n)
}

func (s shade) join(t shade) shade {
	n := s.n + t.n
	mean := func(a, b float64) float64 { return (a*s.n + b*t.n) / n }
	return shade{n, mean(s.r, t.r), mean(s.g, t.g), mean(s.b, t.b), append(s.buckets, t.buckets...)}
}

// merge merges the cheapest pair until at most want shades are left or no two
// are similar. The first shade, paper, stays first.
func merge(shades []shade, want int) []shade {
	for len(shades) > want {
		best, x, y := math.Inf(1), 0, 0
		for i := range shades {
			for j := i + 1; j < len(shades); j++ {
				if c := shades[i].cost(shades[j]); c < best {
					best, x, y = c, i, j
				}
			}
		}
		if math.IsInf(best, 1) {
			break
		}
		shades[x] = shades[x].join(shades[y])
		shades = slices.Delete(shades, y, y+1)
	}
	return shades
}

// index returns the picture as one palette index per byte.
func (m bitmap) index(p *palette) []byte {
	out := make([]byte, m.width*m.height)
	m.runs(func(y, x0, x1 int, c uint32) {
		i := p.place[bucketOf(c)]
		if i == 0 {
			return
		}
		part := out[y*m.width+x0 : y*m.width+x1]
		for x := range part {
			part[x] = i
		}
	})
	return out
}
