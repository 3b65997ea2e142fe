package docx

import (
	"context"

	"paraph/app/convert/internal/refuse"
	"paraph/app/fault"
)

// document is one pass over a DOCX: its parsed parts, and the changing state of
// the layout.
type document struct {
	name     string // of the file, "" if not known
	ctx      context.Context
	pack     *pack
	main     *part
	pen      *pen
	styles   *styles
	nums     *numbering
	settings settings
	findings *findings
	pictures *pictures
	formats  map[format]*format
	fields   fieldStack
	margins  map[string]*marginPart
	computed bool // a field's value depends on the page
	notes    notes
	flow     *flow
	totals   totals // of the pass before, if there was one
	err      error  // the first error that stopped the layout
	depth    int    // nesting of tables and text boxes
}

// settings holds the settings of settings.xml that affect layout.
type settings struct {
	tab         float64   // distance of the default tab stops
	evenAndOdd  bool      // headers differ on even pages
	noteFormats [2]string // of footnotes and endnotes
}

// totals holds figures known only at the end of a pass.
type totals struct {
	pages    int
	sections []int // pages by section
}

func newDocument(ctx context.Context, p *pack, main *part, c Canvas, pics *pictures, found *findings) (*document, error) {
	d := &document{
		ctx: ctx, pack: p, main: main, pen: newPen(c), pictures: pics, findings: found,
		formats: map[format]*format{}, margins: map[string]*marginPart{},
	}
	root, err := main.related("styles")
	if err != nil {
		return nil, err
	}
	d.styles = readStyles(root)
	if root, err = main.related("numbering"); err != nil {
		return nil, err
	}
	d.nums = readNumbering(root)
	d.nums.unknown = func(string) { found.add("number_format") }
	if root, err = main.related("settings"); err != nil {
		return nil, err
	}
	d.settings = readSettings(root)
	return d, d.notes.read(d)
}

func readSettings(n *node) settings {
	s := settings{tab: 36, noteFormats: [2]string{"decimal", "lowerRoman"}}
	if t := twips(n.child("w:defaultTabStop").val()); t.set && t.points >= 5 {
		s.tab = t.points
	}
	s.evenAndOdd = readToggle(n.child("w:evenAndOddHeaders")) == on
	for i, name := range []string{"w:footnotePr", "w:endnotePr"} {
		s.noteFormats[i] = orString(s.noteFormats[i], n.child(name, "w:numFmt").val())
	}
	return s
}

// fail remembers the first error; layout goes on to its next check.
func (d *document) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// format returns the canonical value of a format.
func (d *document) format(p runProps, dark bool) *format {
	return d.intern(d.styles.resolve(p, dark))
}

func (d *document) intern(f format) *format {
	if known, ok := d.formats[f]; ok {
		return known
	}
	d.formats[f] = &f
	return &f
}

// maxNesting bounds the nesting of tables and text boxes.
const maxNesting = 24

// enter guards recursion through tables and text boxes.
func (d *document) enter() bool {
	if d.depth >= maxNesting {
		d.fail(refuse.TooLarge("docx_nesting", fault.Number("limit", maxNesting)))
		return false
	}
	d.depth++
	return true
}

func (d *document) leave() { d.depth-- }
