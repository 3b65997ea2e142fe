package docx

import (
	"maps"
	"slices"
)

// messages of the findings, by code. A warning means that part of the document
// is not visible on the pages.
var messages = map[string]struct{ severity, message string }{
	"chart":             {"warning", "A chart is not shown; an empty frame stands in its place."},
	"smartart":          {"warning", "A SmartArt diagram is not shown; an empty frame stands in its place."},
	"shape":             {"warning", "A drawn shape is not shown."},
	"object":            {"warning", "An embedded object is not shown, or only as the picture that was stored with it."},
	"picture_format":    {"warning", "A picture has a format that cannot be shown; an empty frame stands in its place."},
	"picture_missing":   {"warning", "A picture is linked from elsewhere, missing or damaged; an empty frame stands in its place."},
	"embedded_document": {"warning", "Another document embedded in this one is not shown."},
	"equation":          {"warning", "An equation is shown as plain text."},
	"text_box":          {"info", "The text of a text box is shown below the paragraph that it belongs to."},
	"floating_picture":  {"info", "A picture that text flows around is shown within the line."},
	"floating_table":    {"info", "A table that text flows around is shown in the place where it is anchored."},
	"picture_rotated":   {"info", "A rotated or mirrored picture is shown as it is stored."},
	"tracked_changes":   {"info", "Tracked changes are shown as if all were accepted."},
	"comments":          {"info", "Comments are left out."},
	"footnotes":         {"info", "Footnotes and endnotes are shown at the end of the document."},
	"columns":           {"info", "Columns of text are not balanced at their end."},
	"text_direction":    {"info", "Text that runs vertically is shown horizontally."},
	"number_format":     {"info", "A numbering style is shown with ordinary digits."},
	"hidden_text":       {"info", "Hidden text is left out."},
	"watermark":         {"info", "A watermark is left out."},
	"form_field":        {"info", "Form fields of the document are shown with the text that they hold."},
	"page_borders":      {"info", "Borders around pages are left out."},
	"fonts_replaced":    {"info", "All text is shown in one sans-serif font, so lines and pages break elsewhere than in the original."},
	"line_numbers":      {"info", "Line numbers are left out."},
	"ruby":              {"info", "Reading aids above characters are shown in parentheses after them."},
}

// findings counts by code, in order of appearance.
type findings struct {
	order  []string
	counts map[string]int
}

func (f *findings) add(code string) {
	if f.counts[code] == 0 {
		f.order = append(f.order, code)
	}
	f.counts[code]++
}

func (f *findings) clone() *findings {
	return &findings{order: slices.Clone(f.order), counts: maps.Clone(f.counts)}
}

// list returns the findings, warnings first.
func (f *findings) list() []Finding {
	out := make([]Finding, 0, len(f.order))
	for _, code := range f.order {
		m := messages[code]
		out = append(out, Finding{Code: code, Severity: m.severity, Message: m.message, Count: f.counts[code]})
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		switch {
		case a.Severity == b.Severity:
			return 0
		case a.Severity == "warning":
			return -1
		}
		return 1
	})
	return out
}
