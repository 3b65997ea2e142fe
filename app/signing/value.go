package signing

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"paraph/app/mail"
)

// accept checks a value by the field's type and rules and gives it in the form
// that is kept and drawn. why completes the sentence "The … field must …" and
// is empty when the value is fine.
func (x *Field) accept(v string) (value, why string) {
	v = strings.TrimSpace(v)
	switch x.Type {
	case "number":
		v, why = x.acceptNumber(v)
	case "date", "date_signed":
		v, why = acceptDate(v)
	case "checkbox":
		v, why = acceptCheck(v)
	case "email":
		if !mail.ValidEmail(v) {
			why = "be a valid email address"
		}
	case "select":
		if !slices.Contains(x.Options, v) {
			why = "be one of: " + strings.Join(x.Options, ", ")
		}
	case "radio":
		v, why = x.acceptRadio(v)
	}
	if why == "" {
		why = plain(v)
	}
	if why == "" {
		why = x.acceptText(v)
	}
	return v, why
}

// plain says what makes a text unfit for any field.
func plain(v string) string {
	switch {
	case !utf8.ValidString(v):
		return "be valid UTF-8"
	case utf8.RuneCountInString(v) > maxValue:
		return fmt.Sprintf("not be greater than %d characters", maxValue)
	case strings.ContainsFunc(v, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' }):
		return "not contain control characters"
	}
	return ""
}

func (x *Field) acceptText(v string) string {
	if x.Type == "text" {
		n := float64(len([]rune(v)))
		if x.Min != nil && n < *x.Min {
			return fmt.Sprintf("have at least %g characters", *x.Min)
		}
		if x.Max != nil && n > *x.Max {
			return fmt.Sprintf("have at most %g characters", *x.Max)
		}
	}
	if x.Pattern != "" {
		if re, err := compilePattern(x.Pattern); err != nil || !re.MatchString(v) {
			return "match the format " + x.Pattern
		}
	}
	return ""
}

func (x *Field) acceptNumber(v string) (string, string) {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return v, "be a number"
	}
	if x.Min != nil && n < *x.Min {
		return v, fmt.Sprintf("be at least %g", *x.Min)
	}
	if x.Max != nil && n > *x.Max {
		return v, fmt.Sprintf("be at most %g", *x.Max)
	}
	return v, ""
}

func acceptDate(v string) (string, string) {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, v); err == nil && t.Year() >= 1 && t.Year() <= 9999 {
			return t.Format(time.DateOnly), ""
		}
	}
	return v, "be a date such as 2026-12-31"
}

// The kept values of a checkbox.
const (
	checked   = "true"
	unchecked = "false"
)

func acceptCheck(v string) (string, string) {
	switch strings.ToLower(v) {
	case "true", "1", "on", "yes", "checked":
		return checked, ""
	case "", "false", "0", "off", "no":
		return unchecked, ""
	}
	return v, "be true or false"
}

// acceptRadio takes an option's name where the field has options of its own,
// else whether this button of its group is the chosen one.
func (x *Field) acceptRadio(v string) (string, string) {
	if len(x.Options) == 0 {
		return acceptCheck(v)
	}
	if !slices.Contains(x.Options, v) {
		return v, "be one of: " + strings.Join(x.Options, ", ")
	}
	return v, ""
}

// empty says whether a value counts as not given.
func (x *Field) empty(v string) bool {
	return v == "" || v == unchecked && (x.Type == "checkbox" || x.Type == "radio" && len(x.Options) == 0)
}
