// Package variable replaces variables in texts, written {{name}}.
package variable

import (
	"regexp"
	"strings"
)

// pattern matches a variable: a name of letters, digits, underscores, hyphens,
// spaces and dots in double braces.
var pattern = regexp.MustCompile(`\{\{\s*([\p{L}\p{N}_][\p{L}\p{N}_. -]{0,99}?)\s*\}\}`)

// Fold returns the canonical name of a variable, ignoring case and the number of
// spaces.
func Fold(name string) string {
	return strings.ToLower(strings.Join(strings.Fields(name), " "))
}

// Folded returns the values keyed by their folded names.
func Folded(values map[string]string) map[string]string {
	out := make(map[string]string, len(values))
	for name, value := range values {
		out[Fold(name)] = value
	}
	return out
}

// Names lists the folded names of the variables in a text, in order of appearance.
func Names(text string) []string {
	var out []string
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		out = append(out, Fold(m[1]))
	}
	return out
}

// Most is the maximum size of a filled text in bytes. It exceeds the limit of every text, so
// a text that is cut off would be refused anyway, or repeats itself.
const Most = 64 << 10

// Fill replaces the variables of a text with their values, by folded name. Variables
// without a value remain. Values are not searched for variables. The result is cut at
// [Most]: a short text may name a long value thousands of times.
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
