package docx

import "strconv"

// notes holds footnotes and endnotes, shown at the end in the order of their
// references.
type notes struct {
	byID  [2]map[string]*node // footnotes, endnotes
	parts [2]*part
	used  []note
	seen  map[noteKey]string
	count [2]int
}

type noteKey struct {
	kind int
	id   string
}

type note struct {
	kind   int
	number string
	body   *node
}

var noteParts = [2]string{"footnotes", "endnotes"}

func (n *notes) read(d *document) error {
	n.seen = map[noteKey]string{}
	for kind, rel := range noteParts {
		n.byID[kind] = map[string]*node{}
		root, err := d.main.related(rel)
		if err != nil {
			return err
		}
		if root == nil {
			continue
		}
		if n.parts[kind], err = d.pack.part(d.main.byKind(rel)); err != nil {
			return err
		}
		for _, k := range root.kids {
			n.byID[kind][k.attr("w:id")] = k
		}
	}
	return nil
}

// noteReference adds the raised number of a note.
func (c *collector) noteReference(k *node, f *format) {
	kind := 0
	if k.name == "w:endnoteReference" {
		kind = 1
	}
	number := c.d.notes.refer(c.d, kind, k.attr("w:id"))
	if number == "" || readFlag(k.attr("w:customMarkFollows")) == on {
		return
	}
	if f.raise == 0 {
		raised := *f
		raised.raise, raised.size = f.size*0.35, f.size*0.65
		f = c.d.intern(raised)
	}
	c.text(number, f)
}

func (n *notes) refer(d *document, kind int, id string) string {
	key := noteKey{kind, id}
	if number, ok := n.seen[key]; ok {
		return number
	}
	body := n.byID[kind][id]
	if body == nil {
		return ""
	}
	d.findings.add("footnotes")
	n.count[kind]++
	number := d.nums.number(n.count[kind], d.settings.noteFormats[kind])
	if number == "" {
		number = strconv.Itoa(n.count[kind])
	}
	n.seen[key] = number
	n.used = append(n.used, note{kind, number, body})
	return number
}

// endNotes lays the notes out below a short line.
func (d *document) endNotes() {
	for i := 0; i < len(d.notes.used) && d.err == nil; i++ {
		if i == 0 {
			d.flow.add(box{before: 12, height: 6, keep: true, draw: func(d *document, x, y float64) {
				d.pen.canvas.Line(x, y, x+144, y, 0.5, 0, 0, 0)
			}})
		}
		n := d.notes.used[i]
		env := environment{width: d.flow.width(), note: n.number}
		for _, b := range d.blocks(n.body.kids, d.notes.parts[n.kind], env) {
			d.flow.add(b)
		}
	}
}
