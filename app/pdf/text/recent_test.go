package text_test

import (
	"reflect"
	"strconv"
	"sync"
	"testing"

	"paraph/app/pdf/text"
)

// TestCachedLinesAreIdentical checks that a line is laid out the same whether or
// not it was cached, by several goroutines at once, and that the cache distinguishes
// styles, sizes and texts.
func TestCachedLinesAreIdentical(t *testing.T) {
	t.Parallel()
	type line struct {
		style text.Style
		size  float64
		text  string
	}
	lines := []line{
		{text.Style{}, 12, samples["latin"]}, {text.Style{}, 9, samples["latin"]}, {text.Style{Bold: true}, 12, samples["latin"]},
		{text.Style{}, 12, samples["arabic"]}, {text.Style{}, 12, "\U000F0000"}, {text.Style{}, 12, ""},
	}
	width := func(r text.Run) float64 {
		sum := 0.0
		for _, g := range r.Glyphs {
			sum += g.Advance
		}
		return sum
	}
	var fresh []text.Run
	for _, l := range lines {
		fresh = append(fresh, text.New().Layout(l.style, l.size, l.text))
	}
	shared := text.New()
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for n := range 300 { // more glyphs than are kept
				shared.Layout(text.Style{}, 12, strconv.Itoa(n)+samples["latin"]+samples["latin"])
				for i, l := range lines {
					got, want := shared.Layout(l.style, l.size, l.text), fresh[i]
					if width(got) != width(want) || !reflect.DeepEqual(got.Missing, want.Missing) ||
						got.RightToLeft != want.RightToLeft {
						t.Errorf("%q at %g: %v and %v", l.text, l.size, got.Width, want.Width)
					}
				}
			}
		})
	}
	all.Wait()
}
