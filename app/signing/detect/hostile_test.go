package detect_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"paraph/app/pdf/pdfium"
	"paraph/app/signing/detect"
)

// line returns words side by side on one line of a page, the n-th from the top.
func line(n int, words ...string) []pdfium.Word {
	out := make([]pdfium.Word, len(words))
	width := 1 / float64(len(words))
	for i, w := range words {
		out[i] = pdfium.Word{Text: w, X: float64(i) * width, Y: float64(n) * .02, W: width, H: .015}
	}
	return out
}

func page(lines ...[]pdfium.Word) []pdfium.PageText {
	return []pdfium.PageText{{Words: slices.Concat(lines...)}}
}

var a4 = []detect.Size{{Width: 595, Height: 842}}

// TestPagesFullOfFieldsAreBounded reads pages with hundreds of thousands of what could be a
// field on one line. With work that grows by the square of them it would take many minutes.
func TestPagesFullOfFieldsAreBounded(t *testing.T) {
	t.Parallel()
	many := func(s string, n int) []string { return slices.Repeat([]string{s}, n) }
	for name, pages := range map[string][]pdfium.PageText{
		"boxes":                page(line(0, many("[_]", 250_000)...)),
		"boxes in one word":    page(line(0, strings.Repeat("☐", 1<<20))),
		"tags":                 page(line(0, many("{{sign1}}", 100_000)...)),
		"tags in one word":     page(line(0, strings.Repeat("{{sign1}}", 100_000))),
		"short tags":           page(line(0, many(`\s1\`, 200_000)...)),
		"unknown tags":         page(line(0, strings.Repeat(`\zzz1\`, 150_000))),
		"braces":               page(line(0, strings.Repeat("{", 1<<20))),
		"a tag without an end": page(line(0, "{{"+strings.Repeat("sign", 1<<18))),
		"blanks":               page(line(0, many("____", 100_000)...), line(1, many("name", 100_000)...)),
		"named blanks":         page(line(0, strings.Repeat("Name____", 100_000))),
		"lines":                page(slices.Repeat(line(0, "[_]{{sign1}}Name____"), 50_000)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := detect.Text(t.Context(), pages, a4, true)
			if err != nil || len(found) > detect.Most {
				t.Errorf("%d fields, %v", len(found), err)
			}
			for _, x := range found {
				if len(x.Label) > 1100 || len(x.Text) > 1100 {
					t.Fatalf("a label of %d and a text of %d bytes", len(x.Label), len(x.Text))
				}
			}
		})
	}
}

// TestAnchorsInLongTextsAreBounded looks for phrases that occur very often, or almost do.
func TestAnchorsInLongTextsAreBounded(t *testing.T) {
	t.Parallel()
	pages, sizes := page(line(0, strings.Repeat("a", 1<<20))), a4
	for range 3 {
		pages, sizes = append(pages, pages...), append(sizes, sizes...)
	}
	phrases := detect.NewPhrases(pages, sizes)
	for _, tt := range []struct {
		text       string
		occurrence int
		found      bool
	}{{strings.Repeat("a", 255), 10_000, true}, {strings.Repeat("a", 254) + "b", 1, false}, {"a", 10_000, true}} {
		for range 20 {
			x := detect.Field{Type: "text"}
			if phrases.Place(&x, detect.Anchor{Text: tt.text, Occurrence: tt.occurrence, Position: detect.At, Cover: true}) != tt.found {
				t.Fatalf("occurrence %d of %.10q: found %v", tt.occurrence, tt.text, !tt.found)
			}
		}
	}
}

// TestDetectionEndsWithItsContext begins to read a text for a caller who has left.
func TestDetectionEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if found, err := detect.Text(ctx, page(line(0, "{{sign1}}")), a4, true); !errors.Is(err, context.Canceled) || found != nil {
		t.Errorf("%v, %v", found, err)
	}
}
