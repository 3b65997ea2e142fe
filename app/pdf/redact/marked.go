package redact

import "paraph/app/pdf/object"

// A mark is a sequence of marked content (ISO 32000-2 §14.6).
type mark struct {
	start, end    int    // of the operator that begins it, in the new content
	plain         []byte // that operator without texts; nil if it has none
	mcid          int    // -1 for none
	structParents int
	properties    name // the resource that it names, if it is replaced by plain
	changed       bool // something in it was removed
}

// described lists the entries with text that stands for marked content.
var described = []name{"ActualText", "Alt", "E", "Contents", "Title"}

// marked follows the operators of marked content and reports whether op is one.
func (c *content) marked(op string, operands []any, raw []byte) bool {
	switch op {
	case "BMC", "BDC":
		m := mark{start: c.out.Len(), mcid: -1, structParents: c.structParents}
		if op == "BDC" && len(operands) >= 2 {
			c.describe(&m, operands[len(operands)-2], operands[len(operands)-1])
		}
		if m.plain == nil {
			c.keep(object.Keyword(op), operands, raw)
		} else {
			c.emit(raw)
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
	plain, has := d.Clone(), false
	for _, key := range described {
		has = has || plain[key] != nil
		delete(plain, key)
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
