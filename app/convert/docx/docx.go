// Package docx draws DOCX files (ISO/IEC 29500, transitional and strict) on
// pages, for installations without an office suite.
//
// Callers may rely on this: every paragraph, table cell, footnote and text box
// is drawn, in reading order, and deviations from Word's output are listed in
// the findings. Fonts are ignored: all text is in the canvas's sans face, so
// lines and pages break elsewhere than in Word. Input is hostile: sizes, depth,
// counts and pages are bounded, and errors and findings never quote the
// document.
package docx

// Canvas receives the drawing operations. Lengths are points, the origin is the
// top left of the page, y grows downwards, colours are 0 to 1.
type Canvas interface {
	NewPage(width, height float64)
	Text(x, y, size float64, bold, italic bool, red, green, blue float64, s string) // y is the baseline; shapes and orders s itself
	Measure(size float64, bold, italic bool, s string) float64
	Line(x1, y1, x2, y2, width float64, red, green, blue float64)
	Rect(x, y, w, h float64, red, green, blue float64) // filled
	Image(x, y, w, h float64, data []byte) error       // JPEG or PNG
}

// Finding is one kind of deviation from Word's output.
type Finding struct {
	Code     string // stable, e.g. "chart"
	Severity string // "info": looks different; "warning": something is missing
	Count    int    // how often
}
