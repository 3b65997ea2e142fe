package pdfium

import (
	"bytes"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"
)

// paint returns RGBx pixels.
func paint(width, height int, f func(x, y int) (r, g, b byte)) []byte {
	pix := make([]byte, 0, 4*width*height)
	for y := range height {
		for x := range width {
			r, g, b := f(x, y)
			pix = append(pix, r, g, b, 0x77)
		}
	}
	return pix
}

// TestEncodePNG checks that every kind of picture decodes unchanged, or nearly
// so if a palette was used.
func TestEncodePNG(t *testing.T) {
	t.Parallel()
	noise := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name          string
		width, height int
		f             func(x, y int) (r, g, b byte)
		model         string
		within        int // per colour component
	}{
		{"white", 100, 30, func(int, int) (r, g, b byte) { return 255, 255, 255 }, "indexed", 0},
		{"one pixel", 1, 1, func(int, int) (r, g, b byte) { return 1, 2, 3 }, "indexed", 0},
		{"two colours", 9, 9, func(x, y int) (r, g, b byte) { return byte(x + y&1), 0, byte(255 * ((x + y) & 1)) }, "indexed", 15},
		{"flat colours", 33, 7, func(x, _ int) (r, g, b byte) { return byte(x / 11 * 90), 200, byte(x / 3 * 20) }, "indexed", 0},
		{"gray text", 201, 50, func(x, y int) (r, g, b byte) {
			if x%20 == 0 {
				v := byte(noise.IntN(256))
				return v, v, v
			}
			return 255, 255, 255
		}, "indexed", 15},
		{"gray gradient", 257, 9, func(x, _ int) (r, g, b byte) { return byte(x), byte(x), byte(x) }, "gray", 0},
		{"gradient", 300, 40, func(x, y int) (r, g, b byte) { return byte(x), byte(y * 6), 128 }, "rgb", 0},
		{"noise", 64, 64, func(int, int) (r, g, b byte) { return byte(noise.Uint32()), byte(noise.Uint32()), byte(noise.Uint32()) }, "rgb", 0},
	} {
		pix := paint(c.width, c.height, c.f)
		data, err := encodePNG(pix, c.width, c.height, 4*c.width)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var model string
		switch m := img.ColorModel().(type) {
		case color.Palette:
			model = "indexed"
		default:
			model = map[color.Model]string{color.GrayModel: "gray", color.RGBAModel: "rgb"}[m]
		}
		if model != c.model {
			t.Errorf("%s is %s, want %s", c.name, model, c.model)
		}
		worst := 0
		for i := range c.width * c.height {
			got := color.RGBAModel.Convert(img.At(i%c.width, i/c.width)).(color.RGBA)
			for j, v := range [3]byte{got.R, got.G, got.B} {
				worst = max(worst, magnitude(int(v)-int(pix[4*i+j])))
			}
		}
		if worst > c.within {
			t.Errorf("%s: differs by %d, want %d", c.name, worst, c.within)
		}
	}
}

// TestMergeKeepsHues checks that merging shades never turns a rare colour gray.
func TestMergeKeepsHues(t *testing.T) {
	t.Parallel()
	var shades []shade
	for i := range 64 {
		v := float64(255 - 4*i)
		shades = append(shades, shade{1e6, v, v, v, []int{i}})
	}
	shades = append(shades, shade{3, 0, 160, 0, []int{64}})
	got := merge(shades, paletteSize)
	if len(got) > paletteSize || got[len(got)-1].n != 3 {
		t.Errorf("%d shades, last %+v", len(got), got[len(got)-1])
	}
	if got[0].buckets[0] != 0 {
		t.Errorf("paper is no longer first: %+v", got[0])
	}
}
