package docx

import (
	"paraph/app/convert/internal/refuse"
	"paraph/app/fault"
)

// marginPart is a parsed header or footer.
type marginPart struct {
	root  *node
	part  *part
	boxes []box // laid out for width, if the same on every page
	width float64
}

// marginPart reads a header or footer, once.
func (d *document) marginPart(name string) (*marginPart, error) {
	if m, ok := d.margins[name]; ok {
		return m, nil
	}
	m := &marginPart{}
	if d.pack.zip.Has(name) {
		var err error
		if m.root, err = d.pack.tree(name); err != nil {
			return m, err
		}
		if n := m.root.size(); n > maxMarginNodes {
			return m, refuse.TooLarge("docx_margin", fault.Number("limit", maxMarginNodes))
		}
		if m.part, err = d.pack.part(name); err != nil {
			return m, err
		}
	}
	d.margins[name] = m
	return m, nil
}

func (n *node) size() int {
	total := 1
	for _, k := range n.kids {
		total += k.size()
	}
	return total
}

// mentionsTotals reports whether a header or footer shows the number of pages.
func (t *part) mentionsTotals(p *pack) (bool, error) {
	for _, r := range t.rels {
		if r.external || r.kind != "header" && r.kind != "footer" || !p.zip.Has(r.target) {
			continue
		}
		root, err := p.tree(r.target)
		if err != nil {
			return false, err
		}
		if root.asksTotals() {
			return true, nil
		}
	}
	return false, nil
}

func (n *node) asksTotals() bool {
	if n.name == "w:fldSimple" && asksTotals(n.attr("w:instr")) {
		return true
	}
	text := ""
	for _, k := range n.kids {
		if k.asksTotals() {
			return true
		}
		for _, r := range k.kids {
			if r.name == "w:instrText" && len(text) < maxInstruction {
				text += r.text
			}
		}
	}
	return asksTotals(text)
}

// counters is a snapshot of the counters of the lists in use.
type counters []counter

type counter struct {
	list    *list
	counts  [maxLevels]int
	started [maxLevels]bool
}

func (n *numbering) save() counters {
	c := make(counters, 0, len(n.used))
	for _, l := range n.used {
		c = append(c, counter{l, l.counts, l.started})
	}
	return c
}

// restore resets the counters to those returned by save.
func (n *numbering) restore(c counters) {
	for _, l := range n.used[len(c):] {
		l.counts, l.started, l.inUse = [maxLevels]int{}, [maxLevels]bool{}, false
	}
	n.used = n.used[:len(c)]
	for _, v := range c {
		v.list.counts, v.list.started = v.counts, v.started
	}
}
