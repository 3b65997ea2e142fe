package detect

import (
	"strings"
	"unicode/utf8"

	"paraph/app/pdf"
)

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
	pdf.FieldImage:    {Width: 160, Height: 100},
	pdf.FieldCheckbox: {Width: 14, Height: 14},
	pdf.FieldDate:     {Width: 80, Height: 18}, pdf.FieldDateSigned: {Width: 80, Height: 18}, pdf.FieldNumber: {Width: 60, Height: 18},
}
