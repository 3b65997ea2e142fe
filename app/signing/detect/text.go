package detect

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"paraph/app/pdf"
	"paraph/app/pdf/pdfium"
)

// textLine is a line of a page with the position of every character, in fractions of
// the page.
type textLine struct {
	text        []rune
	left, right []float64
	top, bottom float64
}

// textLines groups the words of a page into lines, in reading order.
func textLines(words []pdfium.Word) []*textLine {
	var out []*textLine
	var line *textLine
	end := 0.0
	for _, w := range words {
		middle := w.Y + w.H/2
		if line == nil || middle < line.top || middle > line.bottom || w.X < end-0.01 {
			line = &textLine{top: w.Y, bottom: w.Y + w.H}
			out = append(out, line)
		} else {
			line.add(" ", end, w.X)
		}
		line.add(w.Text, w.X, w.X+w.W)
		line.top, line.bottom = min(line.top, w.Y), max(line.bottom, w.Y+w.H)
		end = w.X + w.W
	}
	return out
}

// add appends characters of equal width.
func (l *textLine) add(s string, from, to float64) {
	runes := []rune(s)
	step := (to - from) / float64(len(runes))
	for i, r := range runes {
		l.text = append(l.text, r)
		l.left = append(l.left, from+float64(i)*step)
		l.right = append(l.right, from+float64(i+1)*step)
	}
}

// runes converts a byte index to a character index.
func runes(s string, i int) int { return len([]rune(s[:i])) }

var (
	tagPattern   = regexp.MustCompile(`(?i)\{\{\s*([a-z_]+?)\s*:?\s*(\d{0,3})\s*((?:\|[^{}|]*)*)\}\}`)
	blankPattern = regexp.MustCompile(`_{4,}`)
)

// tagTypes maps further words of text tags to types.
var tagTypes = map[string]pdf.FieldType{
	"sig": pdf.FieldSignature, "sign": pdf.FieldSignature, "s": pdf.FieldSignature,
	"initial": pdf.FieldInitials, "ini": pdf.FieldInitials, "i": pdf.FieldInitials,
	"datesigned": pdf.FieldDateSigned, "signed": pdf.FieldDateSigned,
	"mail": pdf.FieldEmail, "title": pdf.FieldJobTitle, "check": pdf.FieldCheckbox,
	"t": pdf.FieldText, "d": pdf.FieldDate, "n": pdf.FieldName,
}

// Text finds tags and lines to write on in the text of a file's pages. Pages without a
// size are skipped.
func Text(pages []pdfium.PageText, sizes []Size) []Field {
	var out []Field
	signatures := 0
	for i := range min(len(pages), len(sizes)) {
		for _, x := range page(pages[i].Words, sizes[i], &signatures) {
			x.Page = i + 1
			out = append(out, x)
		}
	}
	return out
}

// page searches one page. signatures counts the signature lines found so far in the
// file: each is for the next person, as are the lines that follow it.
func page(words []pdfium.Word, size Size, signatures *int) []Field {
	var out []Field
	lines := textLines(words)
	for i, l := range lines {
		text := string(l.text)
		for _, m := range tagPattern.FindAllStringSubmatchIndex(text, -1) {
			x, ok := tag(text[m[2]:m[3]], text[m[4]:m[5]], text[m[6]:m[7]])
			if !ok {
				continue
			}
			place(&x, size, l, runes(text, m[0]), runes(text, m[1]))
			out = append(out, x)
		}
		from := 0
		for _, m := range blankPattern.FindAllStringIndex(text, -1) {
			a, b := runes(text, m[0]), runes(text, m[1])
			label := string(l.text[from:a])
			from = b
			if strings.TrimSpace(label) == "" && i+1 < len(lines) {
				label = lines[i+1].under(l, a, b)
			}
			kind, label := labelled(label)
			if kind == "" {
				continue
			}
			if kind == pdf.FieldSignature {
				*signatures++
			}
			x := Field{Source: InLine, Recipient: max(1, *signatures), Type: kind, Label: label, Required: true}
			place(&x, size, l, a, b)
			out = append(out, x)
		}
	}
	return out
}

// tag parses the parts of a text tag.
func tag(word, number, rest string) (Field, bool) {
	word = strings.ToLower(word)
	kind := cmp.Or(tagTypes[word], pdf.FieldType(word))
	if !slices.Contains(pdf.FieldTypes(), kind) || kind == pdf.FieldSelect || kind == pdf.FieldRadio {
		return Field{}, false
	}
	required := kind != pdf.FieldCheckbox && kind != pdf.FieldAttachment
	x := Field{Source: InTag, Recipient: 1, Type: kind, Required: required}
	if n, err := strconv.Atoi(number); err == nil {
		x.Recipient = max(1, n)
	}
	for part := range strings.SplitSeq(rest, "|") {
		switch part = strings.TrimSpace(part); strings.ToLower(part) {
		case "":
		case "required":
			x.Required = true
		case "optional":
			x.Required = false
		default:
			x.Label = short(part)
		}
	}
	x.Name = x.Label
	return x, true
}

// leastSize is the minimum size of a field by its type, in points.
var leastSize = map[pdf.FieldType]Size{
	pdf.FieldSignature: {Width: 150, Height: 40}, pdf.FieldInitials: {Width: 60, Height: 32}, pdf.FieldStamp: {Width: 120, Height: 60},
	pdf.FieldCheckbox: {Width: 14, Height: 14},
	pdf.FieldDate:     {Width: 80, Height: 18}, pdf.FieldDateSigned: {Width: 80, Height: 18}, pdf.FieldNumber: {Width: 60, Height: 18},
}

// place puts a field over a part of a line. A signature stands on the line and extends
// above it; typed text is as high as the line's text.
func place(x *Field, size Size, l *textLine, from, to int) {
	least, ok := leastSize[x.Type]
	if !ok {
		least = Size{Width: 120, Height: 18}
	}
	if x.Source == InLine {
		least.Width = min(least.Width, 40)
	}
	x.X = l.left[from]
	x.Width = max(l.right[to-1]-l.left[from], least.Width/size.Width)
	if x.Type == pdf.FieldCheckbox {
		x.Width = least.Width / size.Width
	}
	x.Height = least.Height / size.Height
	if x.Source == InTag && least.Height <= 18 {
		x.Height = max(x.Height, l.bottom-l.top)
		x.Y = (l.top+l.bottom)/2 - x.Height/2
	} else {
		x.Y = l.bottom - x.Height
	}
	x.Width, x.Height = min(x.Width, 1), min(x.Height, 1)
	x.X, x.Y = inPage(x.X, x.Width), inPage(x.Y, x.Height)
}

// inPage shifts a start position so that the length fits between 0 and 1.
func inPage(at, length float64) float64 {
	if math.IsNaN(at) {
		return 0
	}
	return max(0, min(at, 1-length))
}

// under returns the text of a line below a part of the one above, if it is close enough.
func (l *textLine) under(above *textLine, from, to int) string {
	if high := above.bottom - above.top; l.top < above.bottom-high || l.top > above.bottom+2*high {
		return ""
	}
	var b strings.Builder
	for i, r := range l.text {
		if middle := (l.left[i] + l.right[i]) / 2; middle >= above.left[from] && middle <= above.right[to-1] {
			b.WriteRune(r)
		}
	}
	return b.String()
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
