package detect

import (
	"cmp"
	"context"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	end, left := 0.0, maxPageText
	for _, w := range words {
		if left -= utf8.RuneCountInString(w.Text); left < 0 {
			break
		}
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

var (
	tagPattern    = regexp.MustCompile(`\{\{([^{}]*)\}\}`)
	anchorPattern = regexp.MustCompile(`(?i)\\(o?[a-z]{1,3})(\d{1,2})\\|/(o?[a-z]{1,3})(\d{1,2})/|\*\*([a-z]+(?:_[a-z]+)?)_(\d{1,2})\*\*`)
	blankPattern  = regexp.MustCompile(`_{4,}`)
	boxPattern    = regexp.MustCompile(`[☐□◻❏❑❒⬜]|\[[ _]\]`)
)

// Limits of what is read. A file may have been made to exceed them, so that every place that
// looks like a field counts, also if it turns out to be none.
const (
	maxTag      = 1000    // characters of a text tag
	maxTagLines = 8       // that a text tag extends over
	maxPageText = 1 << 20 // characters of a page
	maxBeside   = 4000    // characters of the line below a blank, where its label may be
)

// Text finds tags, lines to write on and boxes to tick in the text of a file's pages. Pages without a
// size are skipped. If loose is set, every text in double braces is a tag. It ends early, with
// the error of ctx, when ctx ends.
func Text(ctx context.Context, pages []pdfium.PageText, sizes []Size, loose bool) ([]Field, error) {
	var out []Field
	signatures := 0
	for i := range min(len(pages), len(sizes)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		lines := textLines(pages[i].Words)
		found := append(tags(lines, sizes[i], loose), blanks(lines, sizes[i], &signatures)...)
		found = append(found, boxes(lines, sizes[i], max(1, signatures))...)
		slices.SortStableFunc(found, func(a, b Field) int {
			return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.X, b.X))
		})
		for _, x := range found {
			if len(out) == Most {
				return out, nil
			}
			x.Page = i + 1
			for k := range x.Covers {
				x.Covers[k].Page = i + 1
			}
			out = append(out, x)
		}
	}
	return out, nil
}

// tags finds the text tags of a page, which may extend over several lines.
func tags(lines []*textLine, size Size, loose bool) []Field {
	script, starts := joined(lines)
	var out []Field
	add := func(x Field, from, to int) {
		if !loose && x.Type == pdf.FieldSelect && len(x.Options) == 0 {
			return
		}
		x.Text = short(script[from:to])
		parts := spread(lines, starts, script, from, to)
		if len(parts) == 0 || len(parts) > maxTagLines {
			return
		}
		x.line = parts[0].line
		for _, p := range parts {
			x.Covers = append(x.Covers, lines[p.line].area(p.from, p.to))
		}
		place(&x, size, lines[x.line], parts[0].from, parts[0].to)
		out = append(out, x)
	}
	for _, m := range tagPattern.FindAllStringSubmatchIndex(script, Most) {
		if m[1]-m[0] > 4*maxTag {
			continue
		}
		if x, ok := Tag(script[m[2]:m[3]], loose); ok {
			add(x, m[0], m[1])
		}
	}
	for _, m := range anchorPattern.FindAllStringSubmatchIndex(script, Most) {
		i := 2
		for m[i] < 0 {
			i += 4
		}
		if x, ok := anchor(script[m[i]:m[i+1]], script[m[i+2]:m[i+3]]); ok {
			add(x, m[0], m[1])
		}
	}
	return out
}

// joined joins the lines of a page with spaces and returns where in the text each
// begins.
func joined(lines []*textLine) (text string, starts []int) {
	var b strings.Builder
	for _, l := range lines {
		starts = append(starts, b.Len())
		b.WriteString(string(l.text))
		b.WriteByte(' ')
	}
	return b.String(), starts
}

// part is a part of a line, in characters.
type part struct{ line, from, to int }

// spread returns the parts of lines that a part of the joined text consists of.
func spread(lines []*textLine, starts []int, script string, from, to int) []part {
	line, exact := slices.BinarySearch(starts, from)
	if !exact {
		line--
	}
	var out []part
	for ; line < len(lines) && starts[line] < to && len(out) <= maxTagLines; line++ {
		l := lines[line]
		a := utf8.RuneCountInString(script[starts[line]:max(from, starts[line])])
		b := a + utf8.RuneCountInString(script[max(from, starts[line]):to])
		if b = min(b, len(l.text)); a < b {
			out = append(out, part{line, a, b})
		}
	}
	return out
}

// area returns the place of a part of a line.
func (l *textLine) area(from, to int) Area {
	a := Area{X: max(0, l.left[from]), Y: max(0, l.top)}
	a.Width, a.Height = min(l.right[to-1], 1)-a.X, min(l.bottom, 1)-a.Y
	return a
}

// blanks finds the lines of underscores on a page. signatures counts those to sign on
// that were found in the file: each is for the next person, as are the lines after it.
func blanks(lines []*textLine, size Size, signatures *int) []Field {
	var out []Field
	left := Most
	for i, l := range lines {
		text, from, read := string(l.text), 0, 0
		all := blankPattern.FindAllStringIndex(text, left)
		left -= len(all)
		for _, m := range all {
			a := from + utf8.RuneCountInString(text[read:m[0]])
			b := a + m[1] - m[0]
			label := string(l.text[from:a])
			from, read = b, m[1]
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
			x := Field{Source: InLine, Confidence: .9, Recipient: max(1, *signatures), Type: kind, Label: label,
				Required: true, line: i}
			place(&x, size, l, a, b)
			out = append(out, x)
		}
	}
	return out
}

// boxes finds the boxes to tick on a page, each with the text after it as its label.
func boxes(lines []*textLine, size Size, recipient int) []Field {
	var out []Field
	left := Most
	for i, l := range lines {
		text := string(l.text)
		all := boxPattern.FindAllStringIndex(text, left)
		left -= len(all)
		for k, m := range all {
			end := len(text)
			if k+1 < len(all) {
				end = all[k+1][0]
			}
			from := utf8.RuneCountInString(text[:m[0]])
			x := Field{Source: InBox, Confidence: .7, Recipient: recipient, Type: pdf.FieldCheckbox, Label: short(text[m[1]:end]), line: i}
			place(&x, size, l, from, from+utf8.RuneCountInString(text[m[0]:m[1]]))
			out = append(out, x)
		}
	}
	return out
}

// leastSize is the minimum size of a field by its type, in points.
var leastSize = map[pdf.FieldType]Size{
	pdf.FieldSignature: {Width: 150, Height: 40}, pdf.FieldInitials: {Width: 60, Height: 32}, pdf.FieldStamp: {Width: 120, Height: 60},
	pdf.FieldCheckbox: {Width: 14, Height: 14},
	pdf.FieldDate:     {Width: 80, Height: 18}, pdf.FieldDateSigned: {Width: 80, Height: 18}, pdf.FieldNumber: {Width: 60, Height: 18},
}

// place puts a field over a part of a line. Its size, if it has one, is in points until
// then, and in fractions of the page after it. A signature stands on the line and extends
// above it; typed text is as high as the line's text.
func place(x *Field, size Size, l *textLine, from, to int) {
	least := sizeOf(x)
	if x.Source == InLine {
		least.Width = min(least.Width, 40)
	}
	x.X = l.left[from]
	switch {
	case x.Width > 0:
		x.Width /= size.Width
	case x.Type == pdf.FieldCheckbox || x.Type == pdf.FieldRadio && len(x.Options) == 0:
		x.Width = least.Width / size.Width
	default:
		x.Width = max(l.right[to-1]-l.left[from], least.Width/size.Width)
	}
	beside := x.Source == InTag && least.Height <= 18
	switch {
	case x.Height > 0:
		x.Height /= size.Height
	case beside:
		x.Height = max(least.Height/size.Height, l.bottom-l.top)
	default:
		x.Height = least.Height / size.Height
	}
	x.Y = l.bottom - x.Height
	if beside {
		x.Y = (l.top+l.bottom)/2 - x.Height/2
	}
	x.Width, x.Height = max(SmallestEdge, min(x.Width, 1)), max(SmallestEdge, min(x.Height, 1))
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
	high := above.bottom - above.top
	if l.top < above.bottom-high || l.top > above.bottom+2*high || len(l.text) > maxBeside {
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
