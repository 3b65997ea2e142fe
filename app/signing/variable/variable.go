// Package variable fills in the variables of texts, written {{name}}.
package variable

import (
	"regexp"
	"strings"
)

// pattern matches a variable: a name of letters, digits, underscores, hyphens,
// spaces and dots in double braces.
var pattern = regexp.MustCompile(`\{\{\s*([\p{L}\p{N}_][\p{L}\p{N}_. -]{0,99}?)\s*\}\}`)

// Fold returns the name under which a variable is known, whatever its case and
// however many spaces it is written with.
func Fold(name string) string {
	return strings.ToLower(strings.Join(strings.Fields(name), " "))
}

// Folded returns the values under their folded names.
func Folded(values map[string]string) map[string]string {
	out := make(map[string]string, len(values))
	for name, value := range values {
		out[Fold(name)] = value
	}
	return out
}

// Names lists the folded names of the variables in a text, in their order.
func Names(text string) []string {
	var out []string
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		out = append(out, Fold(m[1]))
	}
	return out
}

// Most is the number of bytes that a filled text holds at most. It is more than any text may
// have, so what is cut off is refused or repeats itself.
const Most = 64 << 10

// Fill replaces the variables of a text by their values, by folded name. A
// variable without a value stays. Values are not searched for variables. The result is cut
// once it is longer than [Most]: a short text may name a long value thousands of times.
func Fill(text string, values map[string]string) string {
	var out strings.Builder
	from := 0
	for _, at := range pattern.FindAllStringSubmatchIndex(text, -1) {
		value, ok := values[Fold(text[at[2]:at[3]])]
		if !ok {
			continue
		}
		out.WriteString(text[from:at[0]])
		out.WriteString(value)
		if from = at[1]; out.Len() > Most {
			return strings.ToValidUTF8(out.String()[:Most], "")
		}
	}
	out.WriteString(text[from:])
	return out.String()
}
