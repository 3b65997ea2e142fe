package docx

import (
	"strconv"
	"strings"
)

// maxFields bounds the nesting of fields, maxInstruction the length of an
// instruction.
const (
	maxFields      = 64
	maxInstruction = 4096
)

// field is a complex field that has begun (§17.16.18).
type field struct {
	instruction []byte
	result      bool // past its separator
	computed    bool // its stored result is replaced by ours
}

// fieldKind returns the field's name, e.g. PAGE.
func fieldKind(instruction string) string {
	words := strings.Fields(instruction)
	if len(words) == 0 {
		return ""
	}
	return strings.ToUpper(words[0])
}

// fieldText returns the text stored in a computed field's item: the kind and
// the number format of the instruction.
func fieldText(instruction string) string {
	words := strings.Fields(instruction)
	for i, w := range words {
		if w != `\*` || i+1 == len(words) {
			continue
		}
		if f := fieldFormats[words[i+1]]; f != "" {
			return fieldKind(instruction) + " " + f
		}
	}
	return fieldKind(instruction)
}

var fieldFormats = map[string]string{
	"roman": "lowerRoman", "ROMAN": "upperRoman", "Roman": "upperRoman",
	"alphabetic": "lowerLetter", "ALPHABETIC": "upperLetter", "Arabic": "decimal", "ordinal": "ordinal",
}

func isComputed(kind string) bool { return kind == "PAGE" || isTotal(kind) }

func isTotal(kind string) bool { return kind == "NUMPAGES" || kind == "SECTIONPAGES" }

func (c *collector) fieldChar(k *node, f *format) {
	d := c.d
	switch k.attr("w:fldCharType") {
	case "begin":
		if len(d.fields) < maxFields {
			d.fields = append(d.fields, &field{})
		}
		c.formField(k.child("w:ffData"), f)
	case "separate":
		if top := d.topField(); top != nil && !top.result {
			c.compute(top, f)
			top.result = true
		}
	case "end":
		if top := d.topField(); top != nil {
			if !top.result {
				c.compute(top, f)
			}
			d.fields = d.fields[:len(d.fields)-1]
		}
	}
}

func (c *collector) compute(top *field, f *format) {
	outer := c.d.fields[:len(c.d.fields)-1]
	if s := string(top.instruction); isComputed(fieldKind(s)) && !hidesContent(outer) {
		top.computed = true
		c.add(item{kind: fieldItem, f: f, text: fieldText(s)})
	}
}

// formField shows a legacy check box, whose state is not in its text.
func (c *collector) formField(ff *node, f *format) {
	if ff == nil {
		return
	}
	c.d.findings.add("form_field")
	box := ff.child("w:checkBox")
	if box == nil {
		return
	}
	checked := box.child("w:checked")
	if checked == nil {
		checked = box.child("w:default")
	}
	if readToggle(checked) == on {
		c.text("☒", f)
	} else {
		c.text("☐", f)
	}
}

func (c *collector) simpleField(k *node) {
	s := k.attr("w:instr")
	if len(s) > maxInstruction || !isComputed(fieldKind(s)) {
		c.content(k)
		return
	}
	f := c.d.format(c.props(k.child("w:r", "w:rPr")), c.dark)
	c.add(item{kind: fieldItem, f: f, text: fieldText(s)})
}

func (d *document) topField() *field {
	if len(d.fields) == 0 {
		return nil
	}
	return d.fields[len(d.fields)-1]
}

func (d *document) instruction(s string) {
	if top := d.topField(); top != nil && !top.result && len(top.instruction)+len(s) <= maxInstruction {
		top.instruction = append(top.instruction, s...)
	}
}

// inInstruction reports whether the current content is hidden.
func (d *document) inInstruction() bool { return hidesContent(d.fields) }

func hidesContent(fields []*field) bool {
	for _, f := range fields {
		if !f.result || f.computed {
			return true
		}
	}
	return false
}

// endParagraph drops fields that should have ended: a field without an end
// must not hide the rest of a contract.
func (d *document) endParagraph() {
	for i, f := range d.fields {
		if !f.result || f.computed {
			d.fields = d.fields[:i]
			return
		}
	}
}

// fieldValue returns a computed field's text on the current page.
func (d *document) fieldValue(text string) string {
	kind, format, _ := strings.Cut(text, " ")
	n := d.flow.number
	switch kind {
	case "NUMPAGES":
		n = max(d.totals.pages, d.flow.pages)
	case "SECTIONPAGES":
		n = max(d.totals.section(d.flow.index), 1)
	default:
		format = orString(d.flow.section.numberFormat, format)
	}
	if format == "" {
		return strconv.Itoa(n)
	}
	return d.nums.number(n, format)
}

func (t totals) section(i int) int {
	if i < len(t.sections) {
		return t.sections[i]
	}
	return 0
}
