package page

import (
	"html/template"
	"strings"

	"paraph/app/signing/lists"
)

// Marked returns a text with marks around the parts that a search found.
func Marked(text string, spans []lists.Span) template.HTML {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(template.HTMLEscapeString(text[at:s.From]))
		b.WriteString("<mark>" + template.HTMLEscapeString(text[s.From:s.To]) + "</mark>")
		at = s.To
	}
	b.WriteString(template.HTMLEscapeString(text[at:]))
	return template.HTML(b.String())
}
