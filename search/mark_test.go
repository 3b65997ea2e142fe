package search

import (
	"strings"
	"testing"
)

func TestMarkerShowsWhatWasFound(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ query, text, want, rest string }{
		{"lease", "Lease of a flat, and a sublease", "[Lease] of a flat, and a sublease", ""},
		{"lea fl", "Lease of a flat", "[Lea]se of a [fl]at", ""},
		{"lease garden", "Lease", "[Lease]", "garden"},
		{"oster", "Vladimir Lindqvist-Östergård", "Vladimir Lindqvist-[Öster]gård", ""},
		{"ostergard", "Östergård", "[Östergård]", ""},
		{"strasse", "Hauptstraße 1, Straße", "Hauptstraße 1, [Straße]", ""},
		{"cafe", "Cafe\u0301 au lait", "[Cafe\u0301] au lait", ""},
		{"ben@signer", "ben@signer.example", "[ben@signer].example", ""},
		{"meier-schmidt", "Meier Schmidt", "[Meier] [Schmidt]", ""},
		{"2024", "kaufvertrag_2024-03.pdf", "kaufvertrag_[2024]-03.pdf", ""},
		{"契約", "売買契約書", "売買[契約]書", ""},
		{"nothing", "Lease", "Lease", "nothing"},
		{"", "Lease", "Lease", ""},
		{"a", strings.Repeat("b ", 5), strings.Repeat("b ", 5), "a"},
		{"x", "\xff x", "\xff [x]", ""},
		{"end", strings.Repeat("é", 700) + " end", strings.Repeat("é", 700) + " [end]", ""},
	} {
		spans, rest := NewMarker(x.query).Find(x.text, 10)
		var b strings.Builder
		at := 0
		for _, s := range spans {
			if s.From < at || s.To < s.From || s.To > len(x.text) {
				t.Fatalf("%q in %q: %v", x.query, x.text, spans)
			}
			b.WriteString(x.text[at:s.From] + "[" + x.text[s.From:s.To] + "]")
			at = s.To
		}
		b.WriteString(x.text[at:])
		var left []string
		for _, w := range rest.words {
			left = append(left, w.whole)
		}
		if b.String() != x.want || strings.Join(left, " ") != x.rest {
			t.Errorf("%q in %q: %q, left %q", x.query, x.text, b.String(), left)
		}
	}
}

// FuzzMarker requires every part to be within the text, in order.
func FuzzMarker(f *testing.F) {
	f.Add("oster", "Vladimir Lindqvist-Östergård")
	f.Add("契約 a", "売買契約書 ab\xff")
	f.Fuzz(func(t *testing.T, query, text string) {
		spans, _ := NewMarker(query).Find(text, 5)
		at := 0
		for _, s := range spans {
			if s.From < at || s.To < s.From || s.To > len(text) {
				t.Fatalf("%v in a text of %d bytes", spans, len(text))
			}
			at = s.To
		}
	})
}
