package detect

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"paraph/app/pdf"
	"paraph/app/pdf/pdfium"
)

// textLine is a line of a page with the position of every character, in fractions of
// the page.
type textLine struct {
	text        []rune
	left, right []float64
	ink         []span // of the word that each character belongs to, from its top to its bottom
	top, bottom float64
	backward    bool // it is read from right to left
	vertical    bool // it is written from top to bottom, or from bottom to top
}

// span is a part of the height of a page, as fractions of it. It is empty if both ends are the same.
type span struct{ top, bottom float64 }

// textLines groups the words of a page into lines, in reading order.
func textLines(words []pdfium.Word, size Size) []*textLine {
	left := maxPageText
	for i, w := range words {
		if left -= utf8.RuneCountInString(w.Text); left < 0 {
			words = words[:i]
			break
		}
	}
	var out []*textLine
	var line *textLine
	end, open := 0.0, tagState{}
	for _, r := range rowsOf(columns(words, size)) {
		if r.backward {
			open.begin()
			was := open.open
			line, open.open = r.line(size, was)
			if open.open != was {
				open.lines = 0
			}
			out, line = append(out, line), nil
			continue
		}
		open.next(r.words)
		for _, w := range r.words {
			middle := w.Y + w.H/2
			switch {
			case line == nil || middle < line.top || middle > line.bottom || !w.Glued && w.X < end-0.01:
				line = &textLine{top: w.Y, bottom: w.Y + w.H, vertical: size.tall(w)}
				out = append(out, line)
			case !w.Glued:
				line.add(" ", end, w.X, span{})
			}
			line.add(normal(w.Text), w.X, w.X+w.W, span{w.Top, w.Bottom})
			line.top, line.bottom = min(line.top, w.Y), max(line.bottom, w.Y+w.H)
			end = w.X + w.W
		}
	}
	return out
}

// add appends characters of equal width, or each as wide as a vertical line.
func (l *textLine) add(s string, from, to float64, ink span) {
	runes := []rune(s)
	step := (to - from) / float64(len(runes))
	for i, r := range runes {
		left, right := from+float64(i)*step, from+float64(i+1)*step
		if l.vertical {
			left, right = from, to
		}
		l.text = append(l.text, r)
		l.left = append(l.left, left)
		l.right = append(l.right, right)
		l.ink = append(l.ink, ink)
	}
}

// extent returns where a part of a line begins and ends on the page, whichever way it is read.
func (l *textLine) extent(from, to int) (left, right float64) {
	return slices.Min(l.left[from:to]), slices.Max(l.right[from:to])
}

// normal returns the usual form of what may be written in several ways (Unicode UAX #15): letters with
// their accents, and letters for the forms that they have in words and for their ligatures.
func normal(s string) string {
	var b strings.Builder
	for _, r := range norm.NFC.String(s) {
		if r >= 0xFB00 && r <= 0xFDFF || r >= 0xFE70 && r <= 0xFEFC {
			b.WriteString(norm.NFKC.String(string(r)))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// area returns the place of a part of a line: as high as what is drawn of it, because fonts are often
// higher than the distance of lines.
func (l *textLine) area(from, to int) Area {
	top, bottom := l.bottom, l.top
	for _, ink := range l.ink[from:to] {
		if ink.top < ink.bottom {
			top, bottom = min(top, ink.top), max(bottom, ink.bottom)
		}
	}
	if margin := (l.bottom - l.top) / 50; top < bottom { // for the edges, which are smoothed
		top, bottom = max(top-margin, l.top), min(bottom+margin, l.bottom)
	} else {
		top, bottom = l.top, l.bottom
	}
	left, right := l.extent(from, to)
	a := Area{X: max(0, left), Y: max(0, top)}
	a.Width, a.Height = min(right, 1)-a.X, min(bottom, 1)-a.Y
	return a
}

// under returns the text of a line below a part of the one above, if it is close enough.
func (l *textLine) under(above *textLine, from, to int) string {
	high := above.bottom - above.top
	if l.top < above.bottom-high || l.top > above.bottom+2*high || len(l.text) > maxBeside {
		return ""
	}
	var b strings.Builder
	left, right := above.extent(from, to)
	for i, r := range l.text {
		if middle := (l.left[i] + l.right[i]) / 2; middle >= left && middle <= right {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// maxEdges is the maximum number of positions across or down one page that fields are aligned with.
const maxEdges = 200

// Edges returns the positions on a page, as fractions of it, that fields are aligned with: where
// lines of text begin, where lines to write on begin and end, and the bottoms of both.
func Edges(words []pdfium.Word, size Size) (across, down []float64) {
	for _, l := range textLines(words, size) {
		left, right := l.extent(0, len(l.text))
		if across = append(across, left); l.backward {
			across = append(across, right)
		}
		down = append(down, l.bottom)
		for from := 0; from < len(l.text); from++ {
			to := from
			for to < len(l.text) && l.text[to] == '_' {
				to++
			}
			if to-from >= minBlank {
				left, right := l.extent(from, to)
				across = append(across, left, right)
			}
			from = max(from, to)
		}
	}
	return distinct(across), distinct(down)
}

// distinct sorts positions on a page and removes those that are closer than a pixel.
func distinct(all []float64) []float64 {
	out := all[:0]
	slices.Sort(all)
	for _, v := range all {
		v = math.Round(v*1e4) / 1e4
		if v > 0 && v < 1 && (len(out) == 0 || v-out[len(out)-1] > .001) && len(out) < maxEdges {
			out = append(out, v)
		}
	}
	return out
}

// labels are the words that say what to write on a line.
var labels = []struct {
	kind  pdf.FieldType
	words []string
}{
	{pdf.FieldInitials, []string{"initials", "paraphe", "kürzel", "iniciales"}},
	{pdf.FieldSignature, []string{"signature", "signed by", "sign here", "unterschrift", "firma", "assinatura", "handtekening", "podpis", "underskrift"}},
	{pdf.FieldDateSigned, []string{"date", "datum", "fecha", "dato"}},
	{pdf.FieldEmail, []string{"e-mail", "email"}},
	{pdf.FieldCompany, []string{"company", "société", "firmenname", "empresa"}},
	{pdf.FieldJobTitle, []string{"title", "position"}},
	{pdf.FieldName, []string{"name", "nombre", "nom", "naam"}},
}

// maxLabel is the maximum length of a label: anything longer is a sentence.
const maxLabel = 40

// labelled returns the kind of field that a label before a line asks for, "" for none.
func labelled(s string) (kind pdf.FieldType, label string) {
	label = oneLine(s)
	if i := strings.LastIndexAny(label, ".;)]"); i >= 0 {
		label = label[i+1:]
	}
	label = strings.TrimFunc(label, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(":_-–", r) })
	if label == "" || len([]rune(label)) > maxLabel {
		return "", ""
	}
	words := strings.FieldsFunc(strings.ToLower(label), func(r rune) bool { return !unicode.IsLetter(r) && r != '-' })
	text := " " + strings.Join(words, " ") + " "
	for _, l := range labels {
		if slices.ContainsFunc(l.words, func(w string) bool { return strings.Contains(text, " "+w+" ") }) {
			return l.kind, label
		}
	}
	return "", ""
}
