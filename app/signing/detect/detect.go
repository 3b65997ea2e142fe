// Package detect finds the places of a PDF that seem to call for a field: the
// fields of its own form, text tags, and lines to sign or write on.
//
// For the forms of text tags, see [Tag].
package detect

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"paraph/app/pdf"
)

// Where a field was found.
const (
	InForm = "form" // a form field of the upload
	InTag  = "tag"  // a text tag such as {{signature1}}
	InLine = "line" // a line to sign or write on
	InBox  = "box"  // a box to tick
)

// Sources lists where fields are found.
func Sources() []string { return []string{InForm, InTag, InLine, InBox} }

// Field is a place that seems to call for a field. X, Y, Width and Height are
// fractions of the page from its top left corner.
type Field struct {
	Source     string
	Confidence float64 // between 0 and 1
	Recipient  int     // index from 1 among those who sign or approve, in signing order
	Role       string  // of the recipient, as named by the tag; "" if it names none
	Type       pdf.FieldType
	Name       string
	Label      string
	Group      string
	Options    []string
	Value      string
	Page       int // from 1
	X, Y       float64
	Width      float64
	Height     float64
	Required   bool

	// Of text tags only.
	ReadOnly         bool
	Min, Max         *float64
	Earliest, Latest string // of a date
	Pattern, Format  string
	Formula          string
	Align            string
	FontSize         float64
	Bold             bool
	Color            string // #rrggbb
	VerticalAlign    string
	Cells            int
	Masked           bool
	SignatureTypes   []string
	Text             string // of the tag
	Covers           []Area // the place of the tag
	line             int    // of the page
	Unsupported      string // the type that the tag asks for, if there is no such type
}

// Area is a part of a page, in fractions of it from its top left corner.
type Area struct {
	Page                int // from 1
	X, Y, Width, Height float64
}

// Size is the size of a page in points.
type Size struct{ Width, Height float64 }

// Limits of what is found.
const (
	Most         = 1000  // fields of one file
	SmallestEdge = 0.001 // of a field, as a fraction of the page
	maxName      = 255   // characters of a name
	maxOptions   = 500
)

// Form converts the form fields on a file's first pages.
func Form(fields []pdf.FormField, pages int) []Field {
	var out []Field
	for _, x := range fields {
		if x.Page < 0 || x.Page >= pages || x.ReadOnly || x.Signed || !slices.Contains(pdf.FieldTypes(), x.Type) || !onPage(x) {
			continue
		}
		found := Field{Source: InForm, Confidence: 1, Recipient: 1, Type: x.Type,
			Name: short(x.Name), Label: short(x.Label),
			Page: x.Page + 1, X: x.X, Y: x.Y, Width: x.Width, Height: x.Height,
			Required: x.Required || x.Type == pdf.FieldSignature}
		switch x.Type {
		case pdf.FieldRadio:
			found.Group, found.Name, found.Label = found.Name, short(x.Export), cmp.Or(found.Label, short(x.Export))
		case pdf.FieldSelect:
			if found.Options = choices(x.Options); len(found.Options) == 0 {
				continue
			}
		case pdf.FieldText:
			found.Value = x.Value
		}
		if out = append(out, found); len(out) == Most {
			break
		}
	}
	return out
}

// onPage reports whether a form field is visible on its page.
func onPage(x pdf.FormField) bool {
	const rounding = 1e-6
	return x.X >= 0 && x.Y >= 0 && x.Width >= SmallestEdge && x.Height >= SmallestEdge &&
		x.X+x.Width <= 1+rounding && x.Y+x.Height <= 1+rounding
}

// short truncates a text from a file to the length of a name.
func short(s string) string {
	r := []rune(oneLine(s))
	return string(r[:min(len(r), maxName)])
}

// choices returns the valid options of a select field: no duplicates, none empty.
func choices(from []string) []string {
	var out []string
	for _, o := range from {
		if o = short(o); o != "" && !slices.Contains(out, o) && len(out) < maxOptions {
			out = append(out, o)
		}
	}
	return out
}

// oneLine joins a text from a file into one line and drops invalid and control characters.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.Join(strings.Fields(s), " ")
}
