package page

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
)

// drawings are the pictures of pages that have nothing to show yet, on a grid of 120 by 80. They are drawn in the
// colours of the page, so that they suit every theme.
var drawings = map[string]string{
	"paper": `<path class="back" d="M36 16h40l10 10v48H36z"/>` +
		`<path class="front" d="M28 8h40l12 12v50H28z"/><path class="line" d="M68 8v12h12M36 28h26M36 36h34M36 44h30"/>` +
		`<path class="ink" d="M38 60c5-9 8-11 9-9s-4 8-1 8 5-7 7-6-1 6 2 6 3-3 8-3"/>` +
		`<path class="pen" d="m74 58 18-22 6 5-18 22-8 3zM88 41l6 5"/>`,
	"people": `<circle class="back" cx="84" cy="30" r="10"/><path class="back" d="M64 66c2-22 38-22 40 0z"/>` +
		`<circle class="front" cx="50" cy="26" r="13"/><path class="front" d="M24 68c2-30 50-30 52 0z"/>` +
		`<path class="ink" d="M38 60c4-6 6-8 7-6s-3 5 0 5 4-5 6-4-1 4 2 4 3-2 7-2"/>`,
	"done": `<circle class="back" cx="60" cy="42" r="32"/><path class="front" d="M34 12h38l12 12v46H34z"/>` +
		`<path class="line" d="M72 12v12h12M44 58h30"/><path class="ink" d="m46 40 9 9 18-20"/>`,
	"search": `<path class="front" d="M28 8h40l12 12v50H28z"/><path class="line" d="M68 8v12h12M36 28h26M36 36h34M36 44h20"/>` +
		`<circle class="pen" cx="78" cy="48" r="14"/><path class="ink" d="m88 58 12 12"/>`,
}

// Drawings returns the names of all drawings, in order.
func Drawings() []string { return slices.Sorted(maps.Keys(drawings)) }

// drawing returns the picture of an empty page; screen readers skip it. Lines and no fill are what is left of it
// where the style sheet of lists can't be loaded, as on the page shown offline.
func drawing(name string) (template.HTML, error) {
	shape, ok := drawings[name]
	if !ok {
		return "", fmt.Errorf("web: unknown drawing %q", name)
	}
	return template.HTML(`<svg class="drawing" viewBox="0 0 120 80" aria-hidden="true" focusable="false"` +
		` width="144" height="96" fill="none" stroke="currentColor">` + shape + `</svg>`), nil
}
