// Package merge fills in the placeholders of a DOCX (ISO/IEC 29500):
//
//	{{name}}                          a value
//	{{amount|#,##0.00}}               a value in a format
//	{{#if name}} … {{/if}}            only if there is a value other than false, no or 0
//	{{#unless name}} … {{/unless}}    the opposite
//	{{#if kind=lease}} … {{/if}}      only if the value is this one, ignoring case
//	{{#items}} … {{/items}}           repeated for every item of a list
//
// What stands between two markers may be part of a paragraph, a number of paragraphs, or
// rows of a table: of markers in the same row, the whole row is repeated or left out. Word
// divides text into runs as it likes, so a placeholder may begin in one and end in another;
// the value looks like its first character. Everything else in the file stays as it is, byte
// for byte. Markers without their counterpart are text like any other.
//
// The input is hostile: the size of the parts, the number of placeholders and the size of
// the result are bounded.
package merge

import (
	"regexp"
	"strings"

	"paraph/app/variable"
)

// Limits of one part.
const (
	maxPart     = 64 << 20 // bytes, before and after
	maxElements = 200_000  // in paragraphs with braces
	maxMarkers  = 10_000
	maxText     = 1 << 20 // bytes of one paragraph with braces
	maxTimes    = 100_000 // repetitions of sections
)

// Kind distinguishes what a placeholder does.
type Kind string

// The kinds of placeholders.
const (
	Value     Kind = ""          // is replaced
	Condition Kind = "condition" // keeps or removes a section
	List      Kind = "list"      // repeats a section
)

// Placeholder names a value that a file needs.
type Placeholder struct {
	Name   string // folded, see [variable.Fold]
	Kind   Kind   `json:",omitempty"`
	Format string `json:",omitempty"` // of a value
	// Of is the list whose items may have the value, "" outside of lists. Lists are always of
	// the document, also within each other.
	Of string `json:",omitempty"`
	// Optional says that a value is in a section that is there only if it has one.
	Optional bool `json:",omitempty"`
}

// Item holds the values of one item of a list, by name.
type Item map[string]string

// Data holds the values that fill a file. Names are those of [Placeholder].
type Data struct {
	Values map[string]string
	Lists  map[string][]Item
	// Write formats a value; the format may be "".
	Write func(value, format string) string
}

// Skip reports whether something between double braces is not for this package, such as a
// text tag.
type Skip func(body string) bool

// kind is the kind of a marker in the text.
type kind int

const (
	value kind = iota
	begin
	end
)

// marker is one pair of braces in a paragraph.
type marker struct {
	Placeholder
	kind     kind
	negative bool    // unless
	equals   *string // what a condition compares with
	from, to int     // in the text of the paragraph
	position int     // in the part
	at       *paragraph
	other    *marker // of a section: its begin or end
	isText   bool    // it has no counterpart
}

// inline reports whether a section is within one paragraph.
func (m *marker) inline() bool { return m.kind != value && m.at == m.other.at }

var (
	braces   = regexp.MustCompile(`\{\{([^{}\n]{1,300})\}\}`)
	named    = regexp.MustCompile(`^[\p{L}\p{N}_][\p{L}\p{N}_. -]{0,99}$`)
	sections = regexp.MustCompile(`^#\s*(if|unless)\s+([^=]+?)\s*(?:=\s*(.*))?$`)
)

// read interprets the text between braces. ok is false if it is no placeholder.
func read(body string, skip Skip) (m marker, ok bool) {
	body = strings.TrimSpace(body)
	switch {
	case strings.HasPrefix(body, "/"):
		m.kind, m.Name = end, variable.Fold(body[1:])
		return m, named.MatchString(m.Name)
	case strings.HasPrefix(body, "#"):
		m.kind = begin
		if x := sections.FindStringSubmatch(body); x != nil {
			m.Kind, m.Name, m.negative = Condition, variable.Fold(x[2]), x[1] == "unless"
			if strings.Contains(body, "=") {
				m.equals = &x[3]
			}
			return m, named.MatchString(m.Name)
		}
		m.Kind, m.Name = List, variable.Fold(body[1:])
		return m, named.MatchString(m.Name)
	case skip(body):
		return m, false
	}
	name, format, _ := strings.Cut(body, "|")
	m.Name, m.Format = variable.Fold(name), strings.TrimSpace(format)
	return m, named.MatchString(m.Name)
}

// ends reports whether m is the end of a section.
func (m *marker) ends(section *marker) bool {
	switch {
	case section.Kind == List:
		return m.Name == section.Name
	case section.negative:
		return m.Name == "unless"
	}
	return m.Name == "if"
}

// holds reports whether a condition is true of a value.
func (m *marker) holds(value string) bool {
	value = strings.TrimSpace(value)
	if m.equals != nil {
		return strings.EqualFold(value, strings.TrimSpace(*m.equals)) != m.negative
	}
	switch strings.ToLower(value) {
	case "", "false", "no", "0":
		return m.negative
	}
	return !m.negative
}

// pair finds the two markers of every section. Those without the other are text.
func pair(all []*marker) {
	var open []*marker
	for _, m := range all {
		switch {
		case m.kind == begin:
			open = append(open, m)
		case m.kind == end && len(open) > 0 && m.ends(open[len(open)-1]):
			last := open[len(open)-1]
			last.other, m.other = m, last
			open = open[:len(open)-1]
		}
	}
	for _, m := range all {
		m.isText = m.kind != value && m.other == nil
	}
}
