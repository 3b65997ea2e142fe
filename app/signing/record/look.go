package record

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/pdf"
)

// Masks of a field's value.
const (
	MaskAll   = "all"   // dots on paper and in the evidence
	MaskPaper = "paper" // dots on paper; the evidence has the value
)

// maxCells limits the cells of a field.
const maxCells = 100

// leastSize is the smallest size of text, in points. Nothing smaller is drawn.
const leastSize = 6

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

// LookInput holds the settings of a look. Empty ones are cleared.
type LookInput struct {
	FontSize            *float64
	Align               *string
	Weight, Color       *string
	VerticalAlign, Mask *string
	Cells               *int
}

func (in *LookInput) apply(f *fault.Fields, x *Look) {
	choice := func(name string, to, v *string, all ...string) {
		switch {
		case v == nil:
		case *v == "":
			*to = ""
		default:
			*to = input.OneOf(f, name, v, all...)
		}
	}
	if in.Align != nil {
		x.Align = input.OneOf(f, "align", in.Align, "left", "center", "right")
	}
	choice("font_weight", &x.Weight, in.Weight, "normal", "bold")
	choice("vertical_align", &x.VerticalAlign, in.VerticalAlign, "top", "middle", "bottom")
	choice("mask", &x.Mask, in.Mask, MaskAll, MaskPaper)
	if in.FontSize != nil {
		if x.FontSize = *in.FontSize; x.FontSize != 0 && (x.FontSize < leastSize || x.FontSize > 144) {
			f.Between("font_size", leastSize, 144)
		}
	}
	if in.Color != nil {
		x.Color = strings.ToLower(*in.Color)
		if _, ok := channels(x.Color); !ok && x.Color != "" {
			f.Add("color", "not_a_color")
		}
	}
	if in.Cells != nil {
		if x.Cells = *in.Cells; x.Cells < 0 || x.Cells > maxCells {
			f.Between("cells", 0, maxCells)
		}
	}
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
