package docx

// rowBoxes returns a box for every row.
func (d *document) rowBoxes(rows []*row, together []bool, left float64) []box {
	var repeat []box
	for _, r := range rows {
		if !r.header {
			break
		}
		repeat = append(repeat, rowBox(r, left))
	}
	if len(repeat) == len(rows) || height(repeat) > d.tallest()/2 {
		repeat = nil
	}
	out := make([]box, 0, len(rows))
	for i, r := range rows {
		b := rowBox(r, left)
		b.keep = together[i] || i < len(repeat)
		if i >= len(repeat) {
			b.repeat = repeat
		}
		if r.whole && r.height <= d.tallest() || together[i] || i > 0 && together[i-1] {
			b.split = nil
		}
		if i == 0 && r.keepNext() || i > 0 && i < len(rows)-1 && r.keepNext() {
			b.keep = true
		}
		out = append(out, b)
	}
	return out
}

// keepNext reports whether all paragraphs of a row stay with the next.
func (r *row) keepNext() bool {
	for _, c := range r.cells {
		if n := len(c.content); n == 0 || !c.content[n-1].keep {
			return false
		}
	}
	return true
}

func rowBox(r *row, left float64) box {
	return box{
		height: r.height,
		draw:   func(d *document, x, y float64) { r.draw(d, x+left, y) },
		split: func(room float64) (*box, *box) {
			head, tail := r.split(room)
			if head == nil {
				return nil, nil
			}
			h, t := rowBox(head, left), rowBox(tail, left)
			return &h, &t
		},
	}
}

func (r *row) draw(d *document, x, y float64) {
	for _, c := range r.cells {
		if s := c.shade; s != nil {
			d.pen.canvas.Rect(x+c.x, y, c.width, r.height, s[0], s[1], s[2])
		}
	}
	for _, c := range r.cells {
		c.drawContent(d, x+c.x+c.left, y, r.height)
	}
	for _, c := range r.cells {
		c.drawBorders(d, x+c.x, y, r.height)
	}
}

func (c *cell) drawContent(d *document, x, y, rowHeight float64) {
	room := rowHeight
	if c.total > 0 {
		room = c.total
		if s := c.shade; s != nil && c.down > 1 {
			d.pen.canvas.Rect(x-c.left, y, c.width, room, s[0], s[1], s[2])
		}
	}
	switch c.align {
	case "center":
		y += max((room-c.heightOf)/2, 0)
	case "bottom":
		y += max(room-c.heightOf, 0)
	}
	y += c.top
	for _, b := range c.content {
		y += b.before
		if b.draw != nil {
			b.draw(d, x, y)
		}
		y += b.height + b.after
	}
}

func (c *cell) drawBorders(d *document, x, y, h float64) {
	line := func(b border, x1, y1, x2, y2 float64) {
		if b.visible() {
			d.pen.canvas.Line(x1, y1, x2, y2, b.width, b.colour[0], b.colour[1], b.colour[2])
		}
	}
	e := c.borders
	if c.isTop {
		line(e.top, x, y, x+c.width, y)
	}
	if c.isLast {
		line(e.bottom, x, y+h, x+c.width, y+h)
	}
	line(e.left, x, y, x, y+h)
	line(e.right, x+c.width, y, x+c.width, y+h)
}

// split cuts a row so that its first part is no higher than room. Nothing is
// cut if not even one line of a cell with content fits.
func (r *row) split(room float64) (head, tail *row) {
	h := &row{columns: r.columns}
	t := &row{columns: r.columns, height: 4}
	progress, left := false, false
	for _, c := range r.cells {
		first, rest := c.split(room)
		progress = progress || len(first.content) > 0
		left = left || len(rest.content) > 0
		h.cells, t.cells = append(h.cells, first), append(t.cells, rest)
		h.height = max(h.height, first.heightOf)
		t.height = max(t.height, rest.heightOf)
	}
	if !progress || !left || h.height > room+0.01 {
		return nil, nil
	}
	h.height = room
	return h, t
}

// smallRoom is how much of a page, in points, may stay empty to keep related
// lines of a cell together.
const smallRoom = 200

// together returns how much of the content can end a page without separating
// lines that stay together.
func (c *cell) together() int {
	n := len(c.content)
	for n > 0 && c.content[n-1].keep {
		n--
	}
	return n
}

func (c *cell) split(room float64) (head, tail *cell) {
	h, t := *c, *c
	h.align, t.align, h.total, t.total = "top", "top", 0, 0
	used := c.top + c.bottom
	h.content, t.content = nil, nil
	for i, b := range c.content {
		if used+b.before+b.height <= room && !(i > 0 && b.pageBreak) {
			used += b.before + b.height + b.after
			h.content = append(h.content, b)
			continue
		}
		t.content = c.content[i:]
		if b.split != nil {
			if first, rest := b.split(room - used - b.before); first != nil {
				first.before = b.before
				h.content = append(h.content, *first)
				used += first.before + first.height
				t.content = append([]box{*rest}, c.content[i+1:]...)
			}
		}
		break
	}
	if n := h.together(); n < len(h.content) && len(t.content) > 0 && (n > 0 || room < smallRoom) {
		h.content, t.content = c.content[:n:n], c.content[n:]
		used = height(h.content) + c.top + c.bottom
	}
	h.heightOf = min(used, room)
	if len(t.content) > 0 {
		first := t.content[0]
		first.before = 0
		t.content = append([]box{first}, t.content[1:]...)
	}
	t.heightOf = height(t.content) + t.top + t.bottom
	return &h, &t
}
