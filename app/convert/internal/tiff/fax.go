package tiff

import (
	"slices"
	"strings"
)

// Runs of one colour, as faxes have them (ITU-T T.4 and T.6): the codes for 0 to 63 pixels, then those for 64 to 2560
// in steps of 64.
var (
	whiteRuns = newCodes("00110101 000111 0111 1000 1011 1100 1110 1111 10011 10100 00111 01000 001000 000011 110100 110101 101010 " +
		"101011 0100111 0001100 0001000 0010111 0000011 0000100 0101000 0101011 0010011 0100100 0011000 00000010 " +
		"00000011 00011010 00011011 00010010 00010011 00010100 00010101 00010110 00010111 00101000 00101001 " +
		"00101010 00101011 00101100 00101101 00000100 00000101 00001010 00001011 01010010 01010011 01010100 " +
		"01010101 00100100 00100101 01011000 01011001 01011010 01011011 01001010 01001011 00110010 00110011 " +
		"00110100 11011 10010 010111 0110111 00110110 00110111 01100100 01100101 01101000 01100111 011001100 " +
		"011001101 011010010 011010011 011010100 011010101 011010110 011010111 011011000 011011001 011011010 " +
		"011011011 010011000 010011001 010011010 011000 010011011 00000001000 00000001100 00000001101 " +
		"000000010010 000000010011 000000010100 000000010101 000000010110 000000010111 000000011100 000000011101 " +
		"000000011110 000000011111")
	blackRuns = newCodes("0000110111 010 11 10 011 0011 0010 00011 000101 000100 0000100 0000101 0000111 00000100 00000111 " +
		"000011000 0000010111 0000011000 0000001000 00001100111 00001101000 00001101100 00000110111 00000101000 " +
		"00000010111 00000011000 000011001010 000011001011 000011001100 000011001101 000001101000 000001101001 " +
		"000001101010 000001101011 000011010010 000011010011 000011010100 000011010101 000011010110 000011010111 " +
		"000001101100 000001101101 000011011010 000011011011 000001010100 000001010101 000001010110 000001010111 " +
		"000001100100 000001100101 000001010010 000001010011 000000100100 000000110111 000000111000 000000100111 " +
		"000000101000 000001011000 000001011001 000000101011 000000101100 000001011010 000001100110 000001100111 " +
		"0000001111 000011001000 000011001001 000001011011 000000110011 000000110100 000000110101 0000001101100 " +
		"0000001101101 0000001001010 0000001001011 0000001001100 0000001001101 0000001110010 0000001110011 " +
		"0000001110100 0000001110101 0000001110110 0000001110111 0000001010010 0000001010011 0000001010100 " +
		"0000001010101 0000001011010 0000001011011 0000001100100 0000001100101 00000001000 00000001100 " +
		"00000001101 000000010010 000000010011 000000010100 000000010101 000000010110 000000010111 000000011100 " +
		"000000011101 000000011110 000000011111")
	// How a line differs from the one above: runs of its own, a change passed over, a change as many pixels away as
	// the index says after 5.
	modes = newCodes("001 0001 0000010 000010 010 1 011 000011 0000011")
)

const (
	horizontal = 0
	pass       = 1
	vertical   = 5
)

// codes is a binary tree: of each node where 0 and 1 lead to, or if negative which code ends there.
type codes [][2]int

func newCodes(all string) codes {
	c := codes{{}}
	for i, code := range strings.Fields(all) {
		at := 0
		for j, bit := range []byte(code) {
			to := &c[at][bit-'0']
			switch {
			case j == len(code)-1:
				*to = -i - 1
			case *to == 0:
				*to = len(c)
				at = len(c)
				c = append(c, [2]int{})
				continue
			}
			at = *to
		}
	}
	return c
}

// A fax is the data of a strip, read bit by bit.
type fax struct {
	data  []byte
	at    int // in bits
	width int
	above []int // where the colour changes in the line above
}

func (f *fax) done() bool { return f.at >= 8*len(f.data) }

func (f *fax) bit() int {
	if f.done() {
		f.at++
		return 0
	}
	b := int(f.data[f.at/8]>>(7-f.at%8)) & 1
	f.at++
	return b
}

// code reads a code, -1 if there is none.
func (f *fax) code(of codes) int {
	for at := 0; ; {
		switch at = of[at][f.bit()]; {
		case at < 0:
			return -at - 1
		case at == 0 || f.done():
			return -1
		}
	}
}

// run reads a run of black or white, -1 if there is none.
func (f *fax) run(black bool) int {
	const makeUp = 64
	of, n := whiteRuns, 0
	if black {
		of = blackRuns
	}
	for {
		switch c := f.code(of); {
		case c < 0:
			return -1
		case c < makeUp:
			return n + c
		default:
			if n += (c - makeUp + 1) * makeUp; n > f.width {
				return -1
			}
		}
	}
}

// line reads a line of runs.
func (f *fax) line() (changes []int, ok bool) {
	for x, black := 0, false; x < f.width; black = !black {
		n := f.run(black)
		if n < 0 || x+n > f.width {
			return nil, false
		}
		x += n
		changes = append(changes, x)
	}
	return changes, true
}

// difference reads a line as it differs from the one above.
func (f *fax) difference() (changes []int, ok bool) {
	for x, begin := 0, true; x < f.width; begin = false {
		next := f.next(x, len(changes)%2, begin)
		mode := f.code(modes)
		switch {
		case mode < 0:
			return nil, false
		case mode == pass:
			x = f.change(next + 1)
		case mode == horizontal:
			black := len(changes)%2 == 1
			first, second := f.run(black), f.run(!black)
			if first < 0 || second < 0 || x+first+second > f.width {
				return nil, false
			}
			changes = append(changes, x+first, x+first+second)
			x += first + second
		default:
			to := f.change(next) + mode - vertical
			if to < x || to > f.width {
				return nil, false
			}
			changes, x = append(changes, to), to
		}
	}
	return changes, true
}

// change returns where the n-th change of the line above is.
func (f *fax) change(n int) int {
	if n < len(f.above) {
		return f.above[n]
	}
	return f.width
}

// next returns the first change above to the right of x, from the present colour to the other. At the beginning of a
// line it may be at x.
func (f *fax) next(x, colour int, begin bool) int {
	n, _ := slices.BinarySearch(f.above, x)
	n += (n + colour) % 2
	for !begin && f.change(n) == x && x < f.width {
		n += 2
	}
	return n
}

// endOfLine reads the end of a line if it is there: at least eleven times 0, then 1.
func (f *fax) endOfLine() bool {
	const least = 11
	at := f.at
	for zeros := 0; !f.done(); zeros++ {
		if f.bit() == 1 {
			if zeros >= least {
				return true
			}
			break
		}
	}
	f.at = at
	return false
}

// decodeFax returns the lines of a strip, one bit a pixel, in which 1 is the color of black runs. Lines that are missing
// from the strip are white.
func decodeFax(data []byte, compression, options, width, height int) ([]byte, error) {
	if options&2 != 0 {
		return nil, UnsupportedError("a fax in parts without compression")
	}
	f, size := fax{data: data, width: width}, (width+7)/8
	out := make([]byte, size*height)
	for y := range height {
		if f.done() && y > 0 {
			break
		}
		line, ends := f.line, 0
		switch compression {
		case modified:
			f.at = (f.at + 7) / 8 * 8
		case modifiedWords:
			f.at = (f.at + 15) / 16 * 16
		case group3:
			for f.endOfLine() {
				ends++
				if options&1 != 0 && f.bit() == 0 {
					line = f.difference
				} else {
					line = f.line
				}
			}
		case group4:
			line = f.difference
			if f.endOfLine() {
				ends = 2
			}
		}
		if ends > 1 && y > 0 || ends > 0 && f.done() {
			break // the end of the page
		}
		changes, ok := line()
		if !ok {
			return nil, errDamaged
		}
		f.above = changes
		row := out[y*size:][:size]
		for i := 0; i < len(changes); i += 2 {
			to := width
			if i+1 < len(changes) {
				to = changes[i+1]
			}
			for x := changes[i]; x < to; x++ {
				row[x/8] |= 0x80 >> (x % 8)
			}
		}
	}
	return out, nil
}
