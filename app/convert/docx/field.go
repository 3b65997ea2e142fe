package docx

import (
	"slices"
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
	shown       bool // its result has a text
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

// Days lists the fields that show a day or a time, which their author's program has saved with them.
var Days = []string{"DATE", "TIME", "SAVEDATE", "CREATEDATE", "PRINTDATE"}

func isDay(kind string) bool { return slices.Contains(Days, kind) }

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
		if top := d.fields.top(); top != nil && !top.result {
			c.compute(top, f)
			top.result = true
		}
	case "end":
		if top := d.fields.top(); top != nil {
			if !top.result {
				c.compute(top, f)
			}
			if !top.shown && isDay(fieldKind(string(top.instruction))) {
				d.findings.add("day_unsaved")
			}
			d.fields = d.fields[:len(d.fields)-1]
		}
	}
}

func (c *collector) compute(top *field, f *format) {
	outer := c.d.fields[:len(c.d.fields)-1]
	s := string(top.instruction)
	switch kind := fieldKind(s); {
	case outer.hidesContent():
	case isComputed(kind):
		top.computed = true
		c.add(item{kind: fieldItem, f: f, text: fieldText(s)})
	case kind == "FILENAME" && c.d.name != "":
		top.computed = true
		c.text(c.d.name, f)
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
	kind := fieldKind(s[:min(len(s), maxInstruction)])
	named := kind == "FILENAME" && c.d.name != ""
	if saved := k.find("w:t"); isDay(kind) && (saved == nil || saved.text == "") {
		c.d.findings.add("day_unsaved")
	}
	if len(s) > maxInstruction || !isComputed(kind) && !named {
		c.content(k)
		return
	}
	f := c.d.format(c.props(k.child("w:r", "w:rPr")), c.dark)
	if named {
		c.text(c.d.name, f)
		return
	}
	c.add(item{kind: fieldItem, f: f, text: fieldText(s)})
}

// fieldStack holds the fields that have begun and not ended, the innermost last.
type fieldStack []*field

// top returns the innermost field, or nil.
func (s fieldStack) top() *field {
	if len(s) == 0 {
		return nil
	}
	return s[len(s)-1]
}

// instruct adds to the instruction of the innermost field.
func (s fieldStack) instruct(text string) {
	if top := s.top(); top != nil && !top.result && len(top.instruction)+len(text) <= maxInstruction {
		top.instruction = append(top.instruction, text...)
	}
}

// hidesContent reports whether the current content is hidden.
func (s fieldStack) hidesContent() bool {
	for _, f := range s {
		if !f.result || f.computed {
			return true
		}
	}
	return false
}

// show notes that the results of all fields have a text.
func (s fieldStack) show() {
	for _, f := range s {
		f.shown = f.shown || f.result
	}
}

// ended returns the fields without those that should have ended with the paragraph: a field
// without an end must not hide the rest of a contract.
func (s fieldStack) ended() fieldStack {
	for i, f := range s {
		if !f.result || f.computed {
			return s[:i]
		}
	}
	return s
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
