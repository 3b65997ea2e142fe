package redact

import (
	"maps"
	"slices"

	"paraph/app/pdf/object"
)

// A mark is a sequence of marked content (ISO 32000-2 §14.6).
type mark struct {
	layer         bool   // it is shown only with a layer
	start, end    int    // of the operator that begins it, in the new content
	plain         []byte // that operator without texts; nil if it has none
	mcid          int    // -1 for none
	structParents int
	properties    name // the resource that it names, if it is replaced by plain
	changed       bool // something in it was removed
}

// described lists the entries with text that stands for marked content.
var described = []name{"ActualText", "Alt", "E", "Contents", "Title"}

// structural lists the entries that tell what marked content is, none of which has text.
var structural = []name{"MCID", "Lang", "Type", "Subtype", "BBox", "Attached"}

// marks lists the names that marked content has for what it is (ISO 32000-1 §14.8.4). Others may be anything.
var marks = []name{
	"Artifact", "OC", "Tx", "Clip", "Document", "Part", "Art", "Sect", "Div", "BlockQuote", "Caption", "TOC", "TOCI", "Index", "NonStruct",
	"Private", "P", "H", "H1", "H2", "H3", "H4", "H5", "H6", "L", "LI", "Lbl", "LBody", "Table", "TR", "TH", "TD", "THead", "TBody", "TFoot",
	"Span", "Quote", "Note", "Reference", "BibEntry", "Code", "Link", "Annot", "Ruby", "RB", "RT", "RP", "Warichu", "WT", "WP", "Figure",
	"Formula", "Form", "Standard", "Textbody", "Title", "Em", "Strong", "Aside", "FENote", "Sub", "DocumentFragment",
}

// marked follows the operators of marked content and reports whether op is one.
func (c *content) marked(op string, operands []any, raw []byte) bool {
	switch op {
	case "BMC", "BDC":
		m := mark{start: c.out.Len(), mcid: -1, structParents: c.structParents}
		if len(operands) > 0 {
			m.layer = operands[0] == any(name("OC"))
		}
		if op == "BDC" && len(operands) >= 2 {
			c.describe(&m, operands[len(operands)-2], operands[len(operands)-1])
		} else if tag, ok := lastOf(operands).(name); ok && !c.r.textOnly && !slices.Contains(marks, tag) {
			m.plain = []byte("/Span BMC\n")
		}
		if m.plain == nil {
			c.keep(object.Keyword(op), operands, raw)
		} else {
			c.emit(c.plain(object.Keyword(op), operands, raw))
		}
		m.end = c.out.Len()
		if len(c.marks) < maxStates {
			c.marks = append(c.marks, m)
			return true
		}
		c.deeper++ // too deep to find out what is in it
		m.changed = true
		c.closed(m)
		return true
	case "MP", "DP": // a place, which isn't seen
		if c.r.textOnly {
			c.keep(object.Keyword(op), operands, raw)
		}
		return true
	case "EMC":
		if c.deeper > 0 {
			c.deeper--
		} else if n := len(c.marks); n > 0 {
			c.closed(c.marks[n-1])
			c.marks = c.marks[:n-1]
		}
		c.keep(object.Keyword(op), operands, raw)
		return true
	}
	return false
}

// closed remembers a sequence of which a part was removed.
func (c *content) closed(m mark) {
	switch {
	case !m.changed:
		c.use("Properties", m.properties)
	case m.plain != nil || m.mcid >= 0:
		c.all = append(c.all, m)
	}
}

// describe reads the properties of marked content.
func (c *content) describe(m *mark, tag, properties any) {
	if n, ok := properties.(name); ok {
		properties = c.r.f.Resolve(c.resource("Properties", n))
		m.properties = n
	}
	d, ok := properties.(dict)
	if !ok {
		return
	}
	if n, ok := c.r.f.Int(d["MCID"]); ok {
		m.mcid = int(n)
	}
	if tag == any(name("OC")) {
		return // a layer, which is named where all are
	}
	plain := d.Clone()
	maps.DeleteFunc(plain, func(key name, _ any) bool {
		return slices.Contains(described, key) || !c.r.textOnly && !slices.Contains(structural, key)
	})
	has := len(plain) < len(d)
	if t, ok := tag.(name); ok && !c.r.textOnly && !slices.Contains(marks, t) {
		tag, has = name("Span"), true
	}
	if !has {
		return
	}
	for key, v := range plain { // Content can't refer to objects.
		if refers(v) {
			delete(plain, key)
		}
	}
	if b, err := object.Append(nil, array{tag, plain}); err == nil {
		m.plain = append(b[1:len(b)-1], " BDC\n"...)
	}
}

func refers(v any) bool {
	switch x := v.(type) {
	case ref:
		return true
	case array:
		for _, e := range x {
			if refers(e) {
				return true
			}
		}
	case dict:
		for _, e := range x {
			if refers(e) {
				return true
			}
		}
	}
	return false
}
