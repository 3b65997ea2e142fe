// Package detect finds the places of a PDF that seem to call for a field: the
// fields of its own form, text tags, and lines to sign or write on.
//
// For the forms of text tags, see [Tag].
package detect

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

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

	// Settings are properties of the field that a tag or a form names, as the API calls them and as programs write
	// them. Those that make no sense are ignored.
	Settings    map[string]string
	Formula     string // of a tag
	Text        string // of the tag
	Covers      []Area // the place of the tag
	line        int    // of the page
	Unsupported string // the type that the tag asks for, if there is no such type
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
	maxValue     = 10_000 // characters
)

// Form converts the form fields on a file's first pages. In a signed file, nothing may lie over those that
// have a value.
func Form(fields []pdf.FormField, pages int, signed bool) []Field {
	var out []Field
	groups := buttons{state: map[[2]string]string{}, on: map[string]string{}}
	for i, x := range fields {
		filled := x.Value != "" && x.Value != "Off"
		switch {
		case x.Page < 0, x.Page >= pages, x.ReadOnly, x.Hidden, x.Signed, signed && filled, !slices.Contains(pdf.FieldTypes(), x.Type), !onPage(x):
			continue
		}
		found := Field{Source: InForm, Confidence: 1, Recipient: 1, Type: x.Type,
			Name: short(x.Name), Label: short(x.Label),
			Page: x.Page + 1, X: x.X, Y: x.Y, Width: x.Width, Height: x.Height,
			Required: x.Required || x.Type == pdf.FieldSignature}
		switch x.Type {
		case pdf.FieldRadio:
			groups.add(&found, x, i)
		case pdf.FieldCheckbox:
			if x.Exclusive {
				groups.add(&found, x, i)
				found.set("group_max", "1")
			}
			found.tick(x)
		case pdf.FieldSelect:
			if found.Options = choices(x.Options); len(found.Options) == 0 {
				continue
			}
			if v := short(x.Value); slices.Contains(found.Options, v) {
				found.Value = v
			}
			found.look(x)
		case pdf.FieldText:
			found.text(x)
			found.look(x)
		}
		if out = append(out, found); len(out) == Most {
			break
		}
	}
	return out
}

// buttons knows the groups of a form's buttons.
type buttons struct {
	state map[[2]string]string // by group and name
	on    map[string]string    // which state of a group of radio buttons is on
}

// add makes a button one of a group, which has the name of its field. Buttons of a group have the same name only if they
// are chosen together.
func (b buttons) add(f *Field, x pdf.FormField, n int) {
	state := cmp.Or(x.State, "none")
	if x.Alone || x.State == "" {
		state += " " + strconv.Itoa(n)
	}
	f.Group, f.Name = f.Name, short(x.Export)
	f.Label = cmp.Or(f.Label, f.Name)
	for i, name := 2, f.Name; b.state[[2]string{f.Group, f.Name}] != "" && b.state[[2]string{f.Group, f.Name}] != state; i++ {
		f.Name = short(name) + " " + strconv.Itoa(i)
	}
	b.state[[2]string{f.Group, f.Name}] = state
	if f.tick(x); f.Value == "" || x.Type != pdf.FieldRadio {
		return
	}
	if on := b.on[f.Group]; on != "" && on != state { // readers show the first
		f.Value = ""
		return
	}
	b.on[f.Group] = state
}

func (f *Field) tick(x pdf.FormField) {
	if x.On {
		f.Value = "true"
	}
}

// text sets what a text field holds and accepts. A value that is longer than the field accepts stays.
func (f *Field) text(x pdf.FormField) {
	f.Value = strings.TrimSpace(lines(x.Value))
	if x.Password {
		f.set("mask", "all")
	}
	if n := utf8.RuneCountInString(f.Value); x.MaxLength > 0 && n <= x.MaxLength {
		f.set("max", strconv.Itoa(x.MaxLength))
		if x.Comb && !strings.Contains(f.Value, "\n") {
			f.set("cells", strconv.Itoa(x.MaxLength))
		}
	}
}

// look sets how text is drawn.
func (f *Field) look(x pdf.FormField) {
	f.set("align", x.Align)
	if x.Bold {
		f.set("font_weight", "bold")
	}
	if x.FontSize > 0 {
		f.set("font_size", strconv.FormatFloat(math.Round(x.FontSize*10)/10, 'f', -1, 64))
	}
	if x.Color != [3]float64{} {
		f.set("color", fmt.Sprintf("#%02x%02x%02x", channel(x.Color[0]), channel(x.Color[1]), channel(x.Color[2])))
	}
}

// set sets a property, unless it is empty.
func (f *Field) set(name, value string) {
	if value == "" {
		return
	}
	if f.Settings == nil {
		f.Settings = map[string]string{}
	}
	f.Settings[name] = value
}

func channel(v float64) int { return int(math.Round(v * 255)) }

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

// lines returns a text from a file with its line breaks, which PDF writes as carriage returns, and without
// invalid and control characters.
func lines(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(s, ""))
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return ' '
		}
		return r
	}, s)
	r := []rune(s)
	return string(r[:min(len(r), maxValue)])
}
