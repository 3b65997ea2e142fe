package search

import (
	"bytes"
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Marker finds the words of a query in texts, to show why a document was found. It is safe for
// concurrent use.
type Marker struct{ words []word }

// Span is a part of a text, in bytes.
type Span struct{ From, To int }

// NewMarker returns the marker of a query's text.
func NewMarker(text string) *Marker {
	words, _ := parse(text)
	return &Marker{words}
}

// Empty reports whether there is no word to find.
func (m *Marker) Empty() bool { return len(m.words) == 0 }

// Find returns the first parts of a text that the query finds, at most limit of them, in order and
// without overlaps, and the marker of the words that are in none of them.
func (m *Marker) Find(text string, limit int) ([]Span, *Marker) {
	var spans []Span
	found := make([]bool, len(m.words))
	for at := 0; at < len(text) && len(spans) < limit; {
		piece := pieceOf(text[at:])
		for _, s := range m.inPiece(piece, found) {
			spans = append(spans, Span{at + s.From, at + s.To})
		}
		at += len(piece)
	}
	rest := &Marker{}
	for i, w := range m.words {
		if !found[i] {
			rest.words = append(rest.words, w)
		}
	}
	return spans[:min(len(spans), limit)], rest
}

// maxPiece is the length at which a text without spaces is cut.
const maxPiece = 512

// pieceOf returns the text up to the end of the next space. A word never extends beyond it.
func pieceOf(text string) string {
	for i, r := range text {
		if unicode.IsSpace(r) {
			return text[:i+utf8.RuneLen(r)]
		}
		if i >= maxPiece {
			return text[:i]
		}
	}
	return text
}

// inPiece returns the parts of a piece that the query finds, and notes the words.
func (m *Marker) inPiece(piece string, found []bool) []Span {
	folded := fold(piece)
	var spans []Span
	at := 0
	for r := range runs(folded) {
		at += bytes.Index(folded[at:], r.text) // what runs skips is not in a run
		for i, w := range m.words {
			for _, prefix := range append([]string{w.whole}, w.parts...) {
				for _, start := range r.starts(prefix) {
					spans, found[i] = append(spans, Span{at + start, at + start + len(prefix)}), true
				}
			}
		}
		at += len(r.text)
	}
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	var merged []Span
	for _, s := range unfolded(piece, len(folded), spans) {
		if n := len(merged); n > 0 && s.From <= merged[n-1].To {
			merged[n-1].To = max(merged[n-1].To, s.To)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// starts returns where the index has words of a run with this beginning.
func (r *run) starts(prefix string) (out []int) {
	if r.pairs {
		for at := 0; ; {
			i := bytes.Index(r.text[at:], []byte(prefix))
			if i < 0 {
				return out
			}
			out = append(out, at+i)
			at += i + len(prefix)
		}
	}
	for _, start := range r.parts {
		if bytes.HasPrefix(r.text[start:], []byte(prefix)) {
			out = append(out, start)
		}
	}
	return out
}

// unfolded converts parts of a folded piece into those of the piece itself.
func unfolded(piece string, length int, spans []Span) []Span {
	if len(spans) == 0 || isASCII(piece) {
		return spans
	}
	// ends holds the end of each rune's folded form, and of the rune.
	var ends [][2]int
	total := 0
	for i, r := range piece {
		total += len(fold(string(r)))
		ends = append(ends, [2]int{total, i + len(string(r))})
	}
	if total != length {
		return []Span{{0, len(piece)}} // marks were composed with their letters
	}
	var out []Span
	for _, s := range spans {
		from, to, last := 0, 0, 0
		for _, e := range ends {
			if e[0] <= s.From {
				from = e[1]
			}
			if last < s.To || e[0] == s.To { // with the marks that follow
				to = e[1]
			}
			last = e[0]
		}
		out = append(out, Span{from, max(from, to)})
	}
	return out
}
