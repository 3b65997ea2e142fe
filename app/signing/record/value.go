package record

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/mail"
	"paraph/app/pdf"
	"paraph/app/signing/format"
	"paraph/app/signing/pattern"
	"paraph/app/words"
)

// Flaw describes an invalid value.
type Flaw struct {
	code fault.Code
	args []fault.Arg
}

func NewFlaw(code fault.Code, args ...fault.Arg) *Flaw { return &Flaw{code, args} }

// Report adds the flaw to f under the field's name.
func (w *Flaw) Report(f *fault.Fields, x *Field) {
	f.Add("fields."+x.Key(), w.code, append(w.args, x.Arg())...)
}

// accept checks a value by the field's type and rules and returns the form in which
// it is stored and drawn. why is nil if the value is valid.
func (x *Field) accept(v string) (value string, why *Flaw) {
	v = strings.TrimSpace(input.Visible(v))
	switch x.Type {
	case pdf.FieldNumber:
		v, why = x.acceptNumber(v)
	case pdf.FieldDate, pdf.FieldDateSigned:
		v, why = acceptDate(v)
	case pdf.FieldCheckbox:
		v, why = acceptCheck(v)
	case pdf.FieldEmail:
		if !mail.ValidEmail(v) {
			why = NewFlaw("not_an_email")
		}
	case pdf.FieldPhone:
		if v = format.ASCIIDigits(v); !input.IsPhoneNumber(v) {
			why = NewFlaw("not_a_phone_number")
		}
	case pdf.FieldSelect:
		if !slices.Contains(x.Options, v) {
			why = NewFlaw("not_one_of", fault.Choices("choices", x.Options...))
		}
	case pdf.FieldRadio:
		v, why = x.acceptRadio(v)
	}
	if why == nil {
		why = plain(v)
	}
	if why == nil {
		why = x.acceptText(v)
	}
	return v, why
}

// plain returns the flaw that makes a text unfit for any field, or nil.
func plain(v string) *Flaw {
	switch {
	case !utf8.ValidString(v):
		return NewFlaw("not_utf8")
	case utf8.RuneCountInString(v) > MaxValue:
		return NewFlaw("too_long", fault.Number("limit", MaxValue))
	case strings.ContainsFunc(v, isForbidden):
		return NewFlaw("control_characters")
	}
	return nil
}

// isForbidden reports whether r is a control character other than white space.
func isForbidden(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r'
}

func (x *Field) acceptText(v string) *Flaw {
	if x.Divided() {
		if utf8.RuneCountInString(v) > x.Cells {
			return NewFlaw("too_many_characters", fault.Number("limit", x.Cells))
		}
		if strings.Contains(v, "\n") {
			return NewFlaw("not_one_line")
		}
	}
	if x.Type == pdf.FieldText {
		n := float64(len([]rune(v)))
		if x.Min != nil && n < *x.Min {
			return NewFlaw("too_few_characters", fault.Decimal("limit", *x.Min))
		}
		if x.Max != nil && n > *x.Max {
			return NewFlaw("too_many_characters", fault.Decimal("limit", *x.Max))
		}
	}
	switch {
	case x.Pattern == "":
	case utf8.RuneCountInString(v) > pattern.MaxValue:
		return NewFlaw("too_long", fault.Number("limit", pattern.MaxValue))
	case pattern.Match(x.Pattern, v):
	case x.PatternMessage != "":
		return NewFlaw("not_in_format.own", fault.Text("message", x.PatternMessage))
	default:
		return NewFlaw("not_in_format", fault.Text("format", x.Pattern))
	}
	return nil
}

func (x *Field) acceptNumber(v string) (string, *Flaw) {
	v, ok := format.Canonical(v)
	if !ok {
		return v, NewFlaw("not_a_number")
	}
	n, err := strconv.ParseFloat(v, 64)
	switch shown, plain := format.ParseNumber(x.Format); {
	case err != nil:
		return v, NewFlaw("not_a_number")
	case x.Min != nil && n < *x.Min:
		return v, NewFlaw("too_small", fault.Decimal("limit", *x.Min))
	case x.Max != nil && n > *x.Max:
		return v, NewFlaw("too_great", fault.Decimal("limit", *x.Max))
	case plain == nil && !shown.Fits(v):
		return v, NewFlaw("too_many_decimals", fault.Number("limit", shown.Decimals()))
	}
	return v, nil
}

// Typed returns what a person who reads a language has typed, in the form in which [Field.Fill] accepts it:
// numbers and dates are written differently in each. What can't be read stays as it is, and is refused.
func (x *Field) Typed(s string, l *words.Language, today time.Time) string {
	switch x.Type {
	case pdf.FieldNumber:
		if shown, err := format.ParseNumber(x.Format); err == nil {
			s = shown.Bare(s)
		}
		if n, ok := format.Read(s, l.Tag()); ok {
			return n
		}
	case pdf.FieldDate:
		return ReadDate(s, l, today)
	case pdf.FieldPhone:
		return format.ASCIIDigits(s)
	}
	return s
}

// Writing tells how values are written that come from a program or from a table: as programs write them, or as people
// do in the language of the document.
type Writing struct {
	Language *words.Language // nil: only as programs write them
	Today    time.Time
}

// Read returns a value that was written so in the form in which fields accept it. What can't be read stays as it is,
// and is refused.
func (w Writing) Read(x *Field, s string) string {
	if w.Language == nil {
		return s
	}
	if _, plain := format.Canonical(s); plain && x.Type == pdf.FieldNumber {
		return s
	}
	return x.Typed(s, w.Language, w.Today)
}

// ReadDate returns a day that a person who reads a language has typed as programs write it. What can't be read stays
// as it is.
func ReadDate(s string, l *words.Language, today time.Time) string {
	if day, why := acceptDate(strings.TrimSpace(s)); why == nil {
		return day
	}
	day, _ := format.ReadDate(s, format.Dates{Order: l.DateOrder(), Months: l.MonthNames()}, today)
	return day
}

// InInput returns a value as a person types it who reads a language.
func (x *Field) InInput(v string, l *words.Language) string {
	switch x.Type {
	case pdf.FieldNumber:
		return format.Typed(v, l.Tag())
	case pdf.FieldDate:
		if day, err := time.Parse(time.DateOnly, v); err == nil {
			return l.InFigures(day)
		}
	}
	return v
}

// Understood returns how a number or a day was understood, for a person who reads a language: the number as it will
// be drawn, the day with the name of its month, which can't be mistaken.
func (x *Field) Understood(v string, reader, document *words.Language) string {
	if day, err := time.Parse(time.DateOnly, v); err == nil && x.Type == pdf.FieldDate {
		return reader.Date(day)
	}
	return x.Shown(v, document)
}

// Shown formats a value in the field's format, or else as the document's language writes it.
func (x *Field) Shown(v string, l *words.Language) string {
	switch x.Type {
	case pdf.FieldNumber:
		if shown, err := format.ParseNumber(x.Format); err == nil {
			return shown.Write(v, l.Tag())
		}
		return format.Decimal(v, l.Tag())
	case pdf.FieldDate, pdf.FieldDateSigned:
		day, err := time.Parse(time.DateOnly, v)
		if err != nil {
			return v
		}
		if shown, err := format.ParseDate(x.Format); err == nil {
			return shown.Write(day, l.Month)
		}
		return l.ShortDate(day)
	}
	return v
}

func acceptDate(v string) (string, *Flaw) {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, v); err == nil && t.Year() >= 1 && t.Year() <= 9999 {
			return t.Format(time.DateOnly), nil
		}
	}
	return v, NewFlaw("not_a_date")
}

// The stored values of a checkbox.
const (
	Checked   = "true"
	unchecked = "false"
)

func acceptCheck(v string) (string, *Flaw) {
	switch strings.ToLower(v) {
	case "true", "1", "on", "yes", "checked":
		return Checked, nil
	case "", "false", "0", "off", "no":
		return unchecked, nil
	}
	return v, NewFlaw("not_true_or_false")
}

// acceptRadio accepts an option's name if the field has options, otherwise whether
// this button of its group is selected.
func (x *Field) acceptRadio(v string) (string, *Flaw) {
	if len(x.Options) == 0 {
		return acceptCheck(v)
	}
	if !slices.Contains(x.Options, v) {
		return v, NewFlaw("not_one_of", fault.Choices("choices", x.Options...))
	}
	return v, nil
}

// empty reports whether a value counts as missing.
func (x *Field) empty(v string) bool {
	return v == "" || v == unchecked && (x.Type == pdf.FieldCheckbox || x.Type == pdf.FieldRadio && len(x.Options) == 0)
}
