package convert

import "io"

// PNG filter types (W3C PNG, §9.2), which PDF adopts as predictors.
const (
	filterNone = iota
	filterSub
	filterUp
	filterAverage
	filterPaeth
)

// predictor writes rows of 8-bit samples with the filter expected to compress best, which is
// the one with the smallest sum of differences.
type predictor struct {
	w        io.Writer
	bpp      int // bytes a pixel
	previous []byte
	try      [3][]byte
}

func (p *predictor) row(row []byte) error {
	if len(p.previous) != len(row) {
		p.previous = make([]byte, len(row))
		for i := range p.try {
			p.try[i] = make([]byte, len(row)+1)
		}
	}
	p.sub(p.try[0], row)
	p.up(p.try[1], row)
	p.paeth(p.try[2], row)
	best := p.try[0]
	for sum, i := differences(best), 1; i < len(p.try); i++ {
		if s := differences(p.try[i]); s < sum {
			best, sum = p.try[i], s
		}
	}
	copy(p.previous, row)
	_, err := p.w.Write(best)
	return err
}

func (p *predictor) sub(dst, row []byte) {
	dst[0] = filterSub
	dst = dst[1:]
	copy(dst, row[:min(p.bpp, len(row))])
	for i := p.bpp; i < len(row); i++ {
		dst[i] = row[i] - row[i-p.bpp]
	}
}

func (p *predictor) up(dst, row []byte) {
	dst[0] = filterUp
	for i, v := range row {
		dst[i+1] = v - p.previous[i]
	}
}

func (p *predictor) paeth(dst, row []byte) {
	dst[0] = filterPaeth
	dst = dst[1:]
	for i := range min(p.bpp, len(row)) {
		dst[i] = row[i] - p.previous[i]
	}
	for i := p.bpp; i < len(row); i++ {
		dst[i] = row[i] - paeth(row[i-p.bpp], p.previous[i], p.previous[i-p.bpp])
	}
}

func differences(b []byte) (sum int) {
	for _, v := range b[1:] {
		if d := int(int8(v)); d < 0 {
			sum -= d
		} else {
			sum += d
		}
	}
	return sum
}

// paeth predicts from the samples to the left, above, and above left.
func paeth(a, b, c byte) byte {
	pa, pb := abs(int(b)-int(c)), abs(int(a)-int(c))
	pc := abs(int(a) + int(b) - 2*int(c))
	switch {
	case pa <= pb && pa <= pc:
		return a
	case pb <= pc:
		return b
	}
	return c
}

func abs(v int) int {
	if v < 0 {
		return -v
	}
	return v
}

// unfilter undoes a row's filter in place.
func unfilter(filter byte, row, previous []byte, bpp int) bool {
	switch filter {
	case filterNone:
	case filterSub:
		for i := bpp; i < len(row); i++ {
			row[i] += row[i-bpp]
		}
	case filterUp:
		for i, v := range previous {
			row[i] += v
		}
	case filterAverage:
		for i := range row {
			left := 0
			if i >= bpp {
				left = int(row[i-bpp])
			}
			row[i] += byte((left + int(previous[i])) / 2)
		}
	case filterPaeth:
		for i := range row {
			var a, c byte
			if i >= bpp {
				a, c = row[i-bpp], previous[i-bpp]
			}
			row[i] += paeth(a, previous[i], c)
		}
	default:
		return false
	}
	return true
}
