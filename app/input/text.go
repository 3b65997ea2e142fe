package input

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"paraph/app/fault"
)

// Line checks a one-line text: it is trimmed, limited, and may not contain control characters.
// Characters that nobody sees are removed, see [Visible].
func Line(f *fault.Fields, field string, v *string, limit int) string {
	if v == nil {
		return ""
	}
	s := strings.TrimSpace(Visible(*v))
	switch {
	case !utf8.ValidString(s):
		f.Add(field, "not_utf8")
	case utf8.RuneCountInString(s) > limit:
		f.TooLong(field, limit)
	case strings.ContainsFunc(s, unicode.IsControl):
		f.Add(field, "control_characters")
	}
	return s
}

// Lines is like Line for a text that may have line breaks.
func Lines(f *fault.Fields, field string, v *string, limit int) string {
	if v == nil {
		return ""
	}
	s := strings.TrimSpace(Visible(strings.ReplaceAll(*v, "\r\n", "\n")))
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	switch {
	case !utf8.ValidString(s):
		f.Add(field, "not_utf8")
	case utf8.RuneCountInString(s) > limit:
		f.TooLong(field, limit)
	case strings.ContainsFunc(s, control):
		f.Add(field, "control_characters")
	}
	return s
}

// Subset checks a choice among several words, and returns it in the order of all. It returns nil
// for none and for all of them, neither of which restricts anything.
func Subset(f *fault.Fields, field string, from []string, all ...string) (out []string) {
	for i, v := range from {
		if !slices.Contains(all, v) {
			f.OneOf(field+"."+strconv.Itoa(i), all...)
		}
	}
	for _, v := range all {
		if slices.Contains(from, v) {
			out = append(out, v)
		}
	}
	if len(out) == len(all) {
		return nil
	}
	return out
}

// OneOf checks a choice.
func OneOf[T ~string](f *fault.Fields, field string, v *T, allowed ...T) T {
	if v == nil {
		return ""
	}
	if !slices.Contains(allowed, *v) {
		names := make([]string, 0, len(allowed))
		for _, a := range allowed {
			names = append(names, string(a))
		}
		f.OneOf(field, names...)
	}
	return *v
}
