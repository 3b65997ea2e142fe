package account

import (
	"fmt"
	"math"
	"strconv"
)

// minContrast is the minimum contrast of text (WCAG 2.2, 1.4.3).
const minContrast = 4.5

// ContrastOnWhite returns the contrast of a colour such as "#1a2b3c" with white,
// from 1 (none) to 21, by WCAG 2. For an invalid colour it returns the lowest
// contrast.
func ContrastOnWhite(c string) float64 {
	if !color.MatchString(c) {
		return 1
	}
	channel := func(i int) float64 {
		v := float64(channelOf(c, i)) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 1.05 / (0.2126*channel(1) + 0.7152*channel(3) + 0.0722*channel(5) + 0.05)
}

// Readable reports whether text of this colour can be read on white, and white
// text on it.
func Readable(c string) bool { return ContrastOnWhite(c) >= minContrast }

// NearestReadable returns the lightest shade of a colour that can be read on
// white: the colour itself if it can.
func NearestReadable(c string) string {
	if Readable(c) || !color.MatchString(c) {
		return c
	}
	for strength := 254; strength > 0; strength-- {
		shade := fmt.Sprintf("#%02x%02x%02x", channelOf(c, 1)*strength/255, channelOf(c, 3)*strength/255, channelOf(c, 5)*strength/255)
		if Readable(shade) {
			return shade
		}
	}
	return "#000000"
}

// channelOf returns the number in the two hexadecimal digits at i.
func channelOf(c string, i int) int {
	n, err := strconv.ParseUint(c[i:i+2], 16, 8)
	if err != nil {
		return 0
	}
	return int(n)
}
