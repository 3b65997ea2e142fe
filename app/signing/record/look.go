package record

import (
	"strconv"
	"unicode/utf8"

	"paraph/app/pdf"
)

// Masks of a field's value.
const (
	MaskAll   = "all"   // dots on paper and in the evidence
	MaskPaper = "paper" // dots on paper; the evidence has the value
)

// maxCells limits the cells of a field.
const maxCells = 100

// Sizes of text, in points. Nothing smaller is drawn.
const (
	leastSize   = 6
	largestSize = 144
)

// dots replaces a masked value. Their number says nothing about its length.
const dots = "••••••"

// Look determines how the text of a field is drawn.
type Look struct {
	FontSize      float64
	Align         string
	Weight        string `json:",omitempty"` // "bold", "" for normal
	Color         string `json:",omitempty"` // "#rrggbb", "" for black
	VerticalAlign string `json:",omitempty"` // top, middle or bottom, "" by the height of the field
	Cells         int    `json:",omitempty"` // one character in each; 0 for running text
	Mask          string `json:",omitempty"` // MaskAll or MaskPaper, "" shows the value
}

// channels returns red, green and blue of a colour such as #1d5bd1, each from 0 to 1.
func channels(s string) (rgb [3]float64, ok bool) {
	if len(s) != 7 || s[0] != '#' {
		return rgb, false
	}
	n, err := strconv.ParseUint(s[1:], 16, 32)
	for i := range rgb {
		rgb[i] = float64(n>>(16-8*i)&0xff) / 255
	}
	return rgb, err == nil
}

// RGB returns the colour of the text, each channel from 0 to 1.
func (l *Look) RGB() [3]float64 {
	rgb, _ := channels(l.Color)
	return rgb
}

// Divided reports whether the field's text is drawn into cells.
func (x *Field) Divided() bool {
	return x.Cells > 0 && (x.Type == pdf.FieldText || x.Type == pdf.FieldNumber)
}

// Prints reports whether the value of the field is drawn as text.
func (x *Field) Prints() bool {
	switch x.Type {
	case pdf.FieldText, pdf.FieldName, pdf.FieldEmail, pdf.FieldCompany, pdf.FieldJobTitle, pdf.FieldNumber,
		pdf.FieldPhone, pdf.FieldDate, pdf.FieldDateSigned, pdf.FieldSelect:
		return true
	}
	return false
}

// Masked returns a value as everybody may read it: dots if it is masked.
func (x *Field) Masked(v string) string {
	if x.Mask == "" || v == "" || !x.Prints() {
		return v
	}
	if x.Divided() {
		return dots[:min(x.Cells, utf8.RuneCountInString(dots))*len("•")]
	}
	return dots
}

// Evident returns a value as the evidence has it.
func (x *Field) Evident(v string) string {
	if x.Mask == MaskPaper {
		return v
	}
	return x.Masked(v)
}
