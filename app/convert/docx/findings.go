package docx

import (
	"maps"
	"slices"
)

// severities of the findings, by code. A warning means that part of the document
// is not visible on the pages.
var severities = map[string]string{
	"chart":             "warning",
	"smartart":          "warning",
	"shape":             "warning",
	"object":            "warning",
	"picture_format":    "warning",
	"picture_missing":   "warning",
	"embedded_document": "warning",
	"equation":          "warning",
	"day_unsaved":       "warning",
	"text_box":          "info",
	"floating_picture":  "info",
	"floating_table":    "info",
	"picture_rotated":   "info",
	"tracked_changes":   "info",
	"comments":          "info",
	"footnotes":         "info",
	"columns":           "info",
	"text_direction":    "info",
	"number_format":     "info",
	"hidden_text":       "info",
	"watermark":         "info",
	"form_field":        "info",
	"page_borders":      "info",
	"fonts_replaced":    "info",
	"line_numbers":      "info",
	"ruby":              "info",
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
		out = append(out, Finding{Code: code, Severity: severities[code], Count: f.counts[code]})
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
