package redact

import (
	"maps"
	"math"
	"slices"

	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// Images, forms and patterns may be drawn in several places. Where a part of one is removed, a copy takes its place.
// What others draw may still have that part without showing it, beyond the edge of a page or of a clip. So the
// object itself loses what was removed somewhere and is seen nowhere. The cells of a pattern can't be copied for one of
// many, so that they lose it everywhere.

// A drawn is an object of the file that is drawn, with parts of it in its own coordinates: of an image, fractions.
type drawn struct {
	cut, seen []Rect
	unsure    bool // it is also drawn where nobody knows what is seen of it
	cells     int  // of a pattern
	resources dict // of a form without its own
	done      []Rect
}

const (
	maxParts = 400 // of an object that is drawn
	maxCells = 256 // of a pattern, that are looked at
)

// drawnAt returns what is known of an object, nil if that doesn't matter.
func (r *Redactor) drawnAt(v any) *drawn {
	at, ok := v.(ref)
	if !ok || r.textOnly || r.ground != nil || r.muted {
		return nil
	}
	if r.drawn == nil {
		r.drawn = map[int]*drawn{}
	}
	d := r.drawn[at.Number]
	if d == nil {
		d = &drawn{}
		r.drawn[at.Number] = d
	}
	return d
}

// cuts notes that what is in some regions of a page is removed from an object with a box, drawn with a matrix.
func (d *drawn) cuts(m matrix, box Rect, regions []Rect) {
	if d == nil {
		return
	}
	back, ok := m.inverse()
	if !ok {
		d.cut = []Rect{everywhere}
		return
	}
	for _, x := range regions {
		part := back.rect(x)
		if !part.overlaps(box) {
			continue
		}
		if part = part.within(box); !slices.ContainsFunc(d.cut, part.isIn) {
			d.cut = append(d.cut, part)
		}
	}
	if len(d.cut) > maxParts {
		d.cut = []Rect{everywhere}
	}
}

// isIn reports whether r is a part of another rectangle.
func (r Rect) isIn(o Rect) bool { return o.within(r) == r }

// sees notes what is seen of an object with a box that is drawn with a matrix.
func (c *content) sees(d *drawn, m matrix, box, area Rect) {
	if d == nil {
		return
	}
	page := m.rect(box)
	area = area.within(c.state.clip).within(c.r.window).within(page)
	switch {
	case !page.valid() || c.unsure():
		d.unsure = true
		return
	case area[0] >= area[2] || area[1] >= area[3] || len(d.seen) > maxParts:
		return
	}
	back, ok := m.inverse()
	upright := m[1] == 0 && m[2] == 0 || m[0] == 0 && m[3] == 0
	pieces := Subtract([]Rect{area}, c.regions)
	if !ok || !upright && (area != page || len(pieces) != 1 || pieces[0] != area) {
		d.unsure = true
		return
	}
	for _, x := range pieces {
		part := box
		if x != page {
			part = back.rect(x).within(box)
		}
		if !slices.ContainsFunc(d.seen, part.isIn) {
			d.seen = append(d.seen, part)
		}
	}
}

// unsure reports whether what is drawn may not be seen where it is.
func (c *content) unsure() bool {
	for x := c; x != nil; x = x.parent {
		if x.deeper > 0 || slices.ContainsFunc(x.marks, func(m mark) bool { return m.layer }) {
			return true
		}
	}
	return c.state.unsure
}

// Subtract returns what remains of some rectangles without others, in rectangles.
func Subtract(from, others []Rect) []Rect {
	for _, o := range others {
		var left []Rect
		for _, r := range from {
			in := r.within(o)
			if in[0] >= in[2] || in[1] >= in[3] {
				left = append(left, r)
				continue
			}
			for _, part := range []Rect{
				{r[0], r[1], in[0], r[3]}, {in[2], r[1], r[2], r[3]}, {in[0], r[1], in[2], in[1]}, {in[0], in[3], in[2], r[3]},
			} {
				if part[0] < part[2] && part[1] < part[3] {
					left = append(left, part)
				}
			}
		}
		from = left
	}
	return from
}

// hidden returns the parts that were removed and are seen nowhere.
func (d *drawn) hidden() []Rect { return Subtract(d.cut, d.seen) }

// Sees notes what further content of the file shows: a page, or an appearance, of which the window is seen. All
// characters in it stay.
func (r *Redactor) Sees(page dict, resources any, window Rect) error {
	r.looking, r.window, r.left = true, window, maxContent
	defer func() { r.looking = false }()
	src, err := r.joined(page["Contents"])
	if err != nil {
		return err
	}
	c := &content{r: r, resources: r.f.Dict(resources), src: src, structParents: -1}
	c.state = startState(identity)
	return c.run()
}

// Elsewhere returns the number of objects of which a part was removed that is also seen where it stays.
func (r *Redactor) Elsewhere() (n int) {
	for number, d := range r.drawn {
		if _, cell := r.tiles[number]; !cell && !slices.Equal(d.hidden(), d.cut) {
			n++
		}
	}
	return n
}

// Spread returns the number of objects that lost parts wherever they are used.
func (r *Redactor) Spread() int {
	n := r.spread
	for _, d := range r.drawn {
		if len(d.hidden()) > 0 && (d.cells > 1 || d.cells == 0 && d.unsure) {
			n++
		}
	}
	return n
}

// Removed reports whether something was removed that other objects may still have.
func (r *Redactor) Removed() bool {
	for _, all := range r.letters {
		if len(all.removed) > 0 || all.blurred {
			return true
		}
	}
	for _, d := range r.drawn {
		if len(d.cut) > 0 {
			return true
		}
	}
	return false
}

// Shared returns, by object number, what takes the place of objects that lose parts. All content that stays must have
// been seen. What is returned makes an object when it is needed.
func (r *Redactor) Shared() (map[int]func() (any, error), error) {
	out := map[int]func() (any, error){}
	r.muted = true
	for range maxForms {
		again := false
		for _, number := range slices.Sorted(maps.Keys(r.drawn)) {
			d := r.drawn[number]
			s, ok := r.f.Resolve(ref{Number: number}).(*reader.Stream)
			parts := d.hidden()
			if !ok || len(parts) == 0 || slices.Equal(parts, d.done) {
				continue
			}
			again, d.done = true, parts
			if r.f.Name(s.Dict["Subtype"]) == "Image" {
				out[number] = func() (any, error) { return r.repaint(s, d) }
				continue
			}
			made, err := r.recut(s, d, parts)
			if err != nil {
				return nil, err
			}
			out[number] = func() (any, error) { return made, nil }
		}
		if !again {
			break
		}
	}
	return out, nil
}

// repaint returns an image without what is seen nowhere.
func (r *Redactor) repaint(s *reader.Stream, d *drawn) (any, error) {
	copied, err := r.painted(s, d.hidden(), 0)
	if copied == nil && err == nil {
		r.lost++
		empty := emptyForm
		copied = &empty
	}
	return copied, err
}

// recut returns a form or a pattern without what lies in some parts.
func (r *Redactor) recut(s *reader.Stream, d *drawn, parts []Rect) (any, error) {
	data, err := r.decode(s)
	if err != nil {
		return nil, err
	}
	resources, own := r.f.Resolve(s.Dict["Resources"]).(dict)
	if !own {
		resources = d.resources
	}
	parents, ok := r.f.Int(s.Dict["StructParents"])
	if !ok {
		parents = -1
	}
	c := &content{r: r, regions: parts, resources: resources, src: data, structParents: int(parents)}
	c.state = startState(identity)
	r.muted = false // what it draws loses the same parts
	defer func() { r.muted = true }()
	r.window = Rect{}
	if err := c.run(); err != nil {
		return nil, err
	}
	made := c.finished()
	return object.Compress(c.copied(s.Dict), made), nil
}

// A tile is a pattern that repeats a cell.
type tile struct {
	drawn   *drawn
	stream  *reader.Stream
	m       matrix // to the user space of the page
	box     Rect
	step    [2]float64
	endless bool // its cells can't be told apart
}

// tile returns the tiling pattern that an operand names.
func (c *content) tile(v any) *tile {
	s, ok := c.r.f.Resolve(v).(*reader.Stream)
	d := c.r.drawnAt(v)
	if !ok || d == nil {
		return nil
	}
	if kind, _ := c.r.f.Int(s.Dict["PatternType"]); kind != 1 {
		return nil
	}
	if c.r.tiles == nil {
		c.r.tiles = map[int]bool{}
	}
	c.r.tiles[v.(ref).Number] = true
	t := &tile{drawn: d, stream: s, m: c.r.matrix(s.Dict["Matrix"]).times(c.base), box: everywhere}
	if box := c.r.numbers(s.Dict["BBox"], 4); box != nil {
		t.box = Rect{min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3])}
	}
	for i, key := range []name{"XStep", "YStep"} {
		step, _ := object.Float(c.r.f.Resolve(s.Dict[key]))
		t.step[i] = math.Abs(step)
		t.endless = t.endless || !(t.step[i] > 1e-6)
	}
	return t
}

// cells calls visit with the matrix of each cell that may touch an area of the page; ok is false if there are too many.
func (t *tile) cells(area Rect, visit func(matrix)) (ok bool) {
	back, invertible := t.m.inverse()
	in := back.rect(area)
	if t.endless || !invertible || !in.valid() {
		return false
	}
	var from, to [2]float64
	for i := range 2 {
		from[i] = math.Floor((in[i]-t.box[i+2])/t.step[i]) + 1
		to[i] = math.Ceil((in[i+2]-t.box[i])/t.step[i]) - 1
	}
	ok = (to[0]-from[0]+1)*(to[1]-from[1]+1) <= maxCells
	left := maxCells
	for y := from[1]; y <= to[1] && left > 0; y++ {
		for x := from[0]; x <= to[0] && left > 0; x++ {
			left--
			visit(t.m.moved(x*t.step[0], y*t.step[1]))
		}
	}
	return ok
}

// cutTile removes what lies in the regions from the cells of a pattern.
func (c *content) cutTile(t *tile) {
	if t == nil || c.r.looking {
		return
	}
	for _, region := range c.regions {
		if !t.cells(region, func(m matrix) { t.drawn.cuts(m, t.box, []Rect{region}) }) {
			t.drawn.cut = []Rect{everywhere}
		}
	}
}

// tiled follows a path that is painted with a pattern.
func (c *content) tiled(t *tile, parts []part, fills bool) {
	if t == nil {
		return
	}
	if slices.ContainsFunc(parts, func(x part) bool { return c.touches(x.box) }) {
		c.cutTile(t)
	}
	for _, x := range parts {
		inside := 0
		t.cells(x.box.within(c.state.clip).within(c.r.window), func(m matrix) {
			t.drawn.cells++
			if !fills || !x.upright {
				return
			}
			c.sees(t.drawn, m, t.box, x.box)
			if inside++; inside <= 4 {
				c.within(t, m, x.box)
			}
		})
	}
}

// within notes what a cell of a pattern shows.
func (c *content) within(t *tile, m matrix, area Rect) {
	if len(c.drawn) >= maxForms || c.r.tiling {
		return
	}
	data, err := c.r.decode(t.stream)
	if err != nil {
		return
	}
	before := c.r.looking
	c.r.looking, c.r.tiling = true, true
	defer func() { c.r.looking, c.r.tiling = before, false }()
	below := &content{r: c.r, regions: c.regions, resources: c.r.f.Dict(t.stream.Dict["Resources"]), src: data, parent: c, structParents: -1}
	below.state = startState(m)
	below.state.unsure = c.state.unsure
	below.state.clip = c.state.clip.within(area).within(m.rect(t.box))
	_ = below.run() // It only adds to what is seen.
}
