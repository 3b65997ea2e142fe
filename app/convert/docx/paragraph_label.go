package docx

import "strings"

// label counts the paragraph in its list.
func (d *document) label(p *paragraph) *label {
	u, i := d.nums.find(p.props.num, p.props.level)
	if u == nil {
		return nil
	}
	return d.nums.next(u, i)
}

// addLabel puts the label in front of the paragraph's content.
func (d *document) addLabel(p *paragraph, l *label, run runProps, dark bool) {
	run.underline, run.highlight, run.vanish, run.strike = "none", "", off, off
	f := *d.format(run.over(l.run), dark)
	f.hidden = false
	text := printable(symbolText(l.text, f))
	if text == "o" && l.run.font == "Courier New" { // the hollow bullet of Word's lists
		text = "◦"
	}
	if f.caps {
		text = strings.ToUpper(text)
	}
	if text == "" {
		return
	}
	c := &collector{d: d}
	switch l.align {
	case "right", "end":
		c.add(item{kind: skipItem, f: d.intern(f), text: text})
	case "center":
		half := f
		half.size /= 2
		c.add(item{kind: skipItem, f: d.intern(half), text: text})
	}
	f.symbol, f.wingdings, f.caps = false, false, false
	c.text(text, d.intern(f))
	switch l.suffix {
	case "space":
		c.text(" ", d.intern(f))
	case "tab":
		c.add(item{kind: tabItem, f: d.intern(f)})
	}
	p.labelPieces = len(c.items)
	p.items = append(c.items, p.items...)
}
