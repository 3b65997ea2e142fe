package redact

import (
	"bytes"
	"io"
	"slices"
	"strconv"

	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// content is a content stream that is written anew.
type content struct {
	r             *Redactor
	regions       []Rect // in the user space of the page
	resources     dict
	src           []byte
	parent        *content // that draws this one
	drawn         []int    // the forms that this one is in, by object number
	structParents int      // -1 for none
	base          matrix   // at the beginning

	state   state
	saved   []state
	text    position
	path    path
	marks   []mark // those that are open
	deeper  int    // further ones
	all     []mark // closed ones that may change
	out     bytes.Buffer
	changed bool

	fonts map[name]*font
	added map[name]dict          // resources by kind
	used  map[name]map[name]bool // names of resources by kind
	names int                    // given to added resources
}

// state is the part of the graphics state that matters for where things are drawn.
type state struct {
	ctm                      matrix
	font                     *font
	size, scale              float64
	charSpace, wordSpace     float64
	leading, rise, lineWidth float64
	white                    bool       // areas and text are as white as paper; only for what is drawn beneath something
	blended                  bool       // they may not be, whatever their colour
	space                    any        // of the colour of areas
	patterns                 [2]drawing // for filling and for strokes
	tiles                    [2]*tile   // likewise
	unsure                   bool       // what is drawn may not be seen where it is
	clip                     Rect       // around what isn't clipped away, in the user space of the page
}

func startState(ctm matrix) state { return state{ctm: ctm, scale: 1, lineWidth: 1, clip: everywhere} }

// run writes the content anew.
func (c *content) run() error {
	c.fonts, c.added, c.used = map[name]*font{}, map[name]dict{}, map[name]map[name]bool{}
	c.text.reset()
	c.base = c.state.ctm
	l := object.NewLexer(c.src, 0)
	var operands []any
	l.Space()
	start := l.Pos()
	for {
		v, err := l.Next()
		if err == io.EOF {
			break
		}
		if err != nil { // Readers differ in what they make of the rest.
			c.remove()
			c.draws(everywhere)
			break
		}
		op, ok := v.(object.Keyword)
		if !ok {
			if operands = append(operands, v); len(operands) > maxOperands {
				c.remove()
				c.draws(everywhere)
				break
			}
			continue
		}
		if op == "BI" {
			if !c.inlineImage(l, start) {
				c.remove()
				c.draws(everywhere)
				break
			}
		} else if err := c.operator(op, operands, c.src[start:l.Pos()]); err != nil {
			return err
		}
		operands = operands[:0]
		l.Space()
		start = l.Pos()
	}
	for range c.saved {
		c.emit([]byte("Q"))
	}
	for _, m := range c.marks {
		c.closed(m)
	}
	return c.r.f.Stop()
}

// maxOperands is the maximum number of operands of an operator.
const maxOperands = 10_000

// remove records that something at the current place was removed.
func (c *content) remove() {
	for _, t := range c.state.tiles {
		c.cutTile(t)
	}
	for _, pattern := range c.state.patterns {
		if c.r.emptyAll(pattern) {
			c.r.spread++
		}
	}
	for x := c; x != nil; x = x.parent {
		x.changed = true
		for i := len(x.marks) - 1; i >= 0 && !x.marks[i].changed; i-- {
			x.marks[i].changed = true
		}
	}
}

// resourceKinds lists the kinds of the resources that operators name, in their last operand but for Tf.
var resourceKinds = map[object.Keyword]name{
	"Tf": "Font", "gs": "ExtGState", "Do": "XObject", "SCN": "Pattern", "scn": "Pattern", "sh": "Shading",
	"BDC": "Properties", "DP": "Properties",
}

// keep writes an operator as it is.
func (c *content) keep(op object.Keyword, operands []any, raw []byte) {
	if kind, ok := resourceKinds[op]; ok {
		if op == "Tf" {
			operands = operands[:max(0, len(operands)-1)]
		}
		if n, ok := lastOf(operands).(name); ok {
			c.use(kind, n)
		}
	}
	c.emit(c.plain(op, operands, raw))
}

// plain returns an operator without comments, and without operands that it has no use for.
func (c *content) plain(op object.Keyword, operands []any, raw []byte) []byte {
	used := c.operandsOf(op, operands)
	changed := bytes.IndexByte(raw, '%') >= 0
	if items, ok := lastOf(used).(array); ok && op == "TJ" && slices.ContainsFunc(items, strange) {
		used, changed = []any{slices.DeleteFunc(slices.Clone(items), strange)}, true
	}
	if c.r.textOnly || len(used) == len(operands) && !changed {
		return raw
	}
	var b []byte
	for _, v := range used {
		if next, err := object.Append(b, v); err == nil {
			b = append(next, ' ')
		}
	}
	return append(b, op...)
}

// operandsOf returns the operands that an operator has a use for.
func (c *content) operandsOf(op object.Keyword, operands []any) []any {
	most := func(n int) []any { return operands[max(0, len(operands)-n):] }
	switch op {
	case "Tj", "TJ", "'", "BMC":
		return most(1)
	case "d", "BDC", "Tf":
		return most(2)
	case "\"":
		return most(3)
	}
	_, named := resourceKinds[op]
	named = named || op == "cs" || op == "CS" || op == "ri"
	return slices.DeleteFunc(slices.Clone(operands), func(v any) bool {
		_, number := object.Float(v)
		_, isName := v.(name)
		return !number && (!isName || !named)
	})
}

// strange reports whether something is neither a string nor a number.
func strange(v any) bool {
	_, number := object.Float(v)
	_, text := v.(object.String)
	return !number && !text
}

// use records that a resource is used.
func (c *content) use(kind, n name) {
	if c.used[kind] == nil {
		c.used[kind] = map[name]bool{}
	}
	c.used[kind][n] = true
}

func (c *content) emit(raw []byte) {
	c.out.Write(raw)
	c.out.WriteByte('\n')
}

// write writes an operator with new operands.
func (c *content) write(op string, operands ...any) {
	var b []byte
	for _, v := range operands {
		next, err := object.Append(b, v)
		if err != nil {
			return // None of the operands that are written here has another type.
		}
		b = append(next, ' ')
	}
	c.emit(append(b, op...))
}

// others lists the operators that are kept as they are, but for those that are followed elsewhere. What isn't
// known may have anything for operands, and draws nothing.
var others = map[object.Keyword]bool{
	"q": true, "Q": true, "cm": true, "w": true, "J": true, "j": true, "M": true, "d": true, "ri": true, "i": true,
	"CS": true, "cs": true, "SC": true, "SCN": true, "sc": true, "scn": true, "G": true, "g": true, "RG": true, "rg": true,
	"K": true, "k": true, "d0": true, "d1": true, "BX": true, "EX": true,
}

// operator follows one operator and writes what remains of it.
func (c *content) operator(op object.Keyword, operands []any, raw []byte) error {
	switch {
	case c.path.operator(c, string(op), operands, raw):
		return nil
	case c.textOperator(string(op), operands, raw):
		return nil
	case c.marked(string(op), operands, raw):
		return nil
	}
	switch op {
	case "q":
		if len(c.saved) >= maxStates {
			return reader.TooComplex("more than %d saved graphics states", maxStates)
		}
		c.saved = append(c.saved, c.state)
	case "Q":
		if len(c.saved) == 0 {
			return nil
		}
		c.state = c.saved[len(c.saved)-1]
		c.saved = c.saved[:len(c.saved)-1]
	case "cm":
		if n := last(operands, 6); n != nil {
			c.state.ctm = matrix(n).times(c.state.ctm)
		}
	case "w":
		if n := last(operands, 1); n != nil {
			c.state.lineWidth = n[0]
		}
	case "sc":
		c.ink(op, operands)
	case "SCN", "scn":
		c.colour(op, operands)
		if op == "scn" {
			c.ink(op, operands)
		}
	case "g", "rg", "k":
		c.state.patterns[0], c.state.tiles[0] = nil, nil
		c.ink(op, operands)
	case "cs":
		c.state.patterns[0], c.state.tiles[0], c.state.white = nil, nil, false
		if c.state.space = c.resource("ColorSpace", lastOf(operands)); c.state.space == nil {
			c.state.space = lastOf(operands)
		}
	case "G", "RG", "K", "CS":
		c.state.patterns[1], c.state.tiles[1] = nil, nil
	case "sh":
		c.shade(operands, raw)
		return nil
	case "gs":
		return c.graphicsState(operands, raw)
	case "Do":
		return c.object(operands, raw)
	}
	if c.r.textOnly || others[op] {
		c.keep(op, operands, raw)
	}
	return nil
}

// last returns the last n operands, nil unless they are numbers.
func last(operands []any, n int) []float64 {
	if len(operands) < n {
		return nil
	}
	out := make([]float64, n)
	for i, v := range operands[len(operands)-n:] {
		x, ok := object.Float(v)
		if !ok {
			return nil
		}
		out[i] = x
	}
	return out
}

func lastOf(operands []any) any {
	if len(operands) == 0 {
		return nil
	}
	return operands[len(operands)-1]
}

// resource returns the resource of a kind that an operand names.
func (c *content) resource(kind name, operand any) any {
	n, ok := operand.(name)
	if !ok {
		return nil
	}
	return c.r.f.Dict(c.resources[kind])[n]
}

// add adds a resource and returns its name.
func (c *content) add(kind name, v any) name {
	taken := c.r.f.Dict(c.resources[kind])
	for {
		n := name("Redacted" + strconv.Itoa(c.names))
		c.names++
		if _, ok := taken[n]; ok {
			continue
		}
		if c.added[kind] == nil {
			c.added[kind] = dict{}
		}
		c.added[kind][n] = v
		return n
	}
}

// byName lists the resources that are used by name only; colour spaces may be used otherwise.
var byName = []name{"XObject", "Font", "ExtGState", "Pattern", "Shading", "Properties"}

// usedResources returns the resources for the new content. Where more than text is removed,
// those that are no longer used are left out.
func (c *content) usedResources() dict {
	out := c.resources.Clone()
	for _, kind := range byName {
		some := c.r.f.Dict(c.resources[kind]).Clone()
		if !c.r.textOnly || kind == "Properties" { // which may have texts that stand for others
			for n := range some {
				if !c.used[kind][n] {
					delete(some, n)
				}
			}
		}
		for n, v := range c.added[kind] {
			some[n] = v
		}
		if c.resources[kind] != nil || len(some) > 0 {
			out[kind] = some
		}
	}
	return out
}

// finished returns the new content, without the texts that describe what was removed.
func (c *content) finished() []byte {
	slices.SortFunc(c.all, func(a, b mark) int { return a.start - b.start })
	data, out, at := c.out.Bytes(), []byte(nil), 0
	for _, m := range c.all {
		if !m.changed {
			continue
		}
		if m.mcid >= 0 {
			c.r.tags = append(c.r.tags, Tag{m.structParents, m.mcid})
		}
		if m.plain == nil {
			continue
		}
		out = append(append(out, data[at:m.start]...), m.plain...)
		at = m.end
	}
	return append(out, data[at:]...)
}

// graphicsState follows the operator gs: fonts may be set and masks drawn by it.
func (c *content) graphicsState(operands []any, raw []byte) error {
	d := c.r.f.Dict(c.resource("ExtGState", lastOf(operands)))
	if set := c.r.f.Array(d["Font"]); len(set) == 2 {
		c.state.font = c.r.font(set[0])
		c.state.size, _ = object.Float(c.r.f.Resolve(set[1]))
	}
	if n, ok := object.Float(c.r.f.Resolve(d["LW"])); ok {
		c.state.lineWidth = n
	}
	c.state.blend(c.r.f, d)
	for _, key := range []name{"ca", "CA"} {
		if opaque, ok := object.Float(c.r.f.Resolve(d[key])); ok && opaque < 1 {
			c.state.unsure = true
		}
	}
	mask, ok := c.r.f.Resolve(d["SMask"]).(dict)
	if !ok {
		c.keep("gs", operands, raw)
		return nil
	}
	c.state.unsure = true
	form, changed, err := c.form(mask["G"])
	if err != nil {
		return err
	}
	if !changed {
		c.keep("gs", operands, raw)
		return nil
	}
	d, mask = d.Clone(), mask.Clone()
	mask["G"], d["SMask"] = form, mask
	if form == (ref{}) {
		d["SMask"] = name("None")
	}
	c.write("gs", c.add("ExtGState", d))
	return nil
}

// object follows the operator Do, which draws an image or a form.
func (c *content) object(operands []any, raw []byte) error {
	v := c.resource("XObject", lastOf(operands))
	s, ok := c.r.f.Resolve(v).(*reader.Stream)
	if !ok {
		return nil // drawn by no reader
	}
	var made ref
	var changed bool
	var err error
	switch c.r.f.Name(s.Dict["Subtype"]) {
	case "Form":
		made, changed, err = c.form(v)
	case "Image":
		if !c.r.textOnly {
			made, changed, err = c.image(v, s)
		}
	default:
		return nil
	}
	switch {
	case err != nil:
		return err
	case !changed:
		c.keep("Do", operands, raw)
	case made != ref{}:
		c.write("Do", c.add("XObject", made))
	}
	return nil
}

// form returns a copy of a form XObject without what lies in the regions if it is drawn here. The zero
// reference means that it can't be drawn.
func (c *content) form(v any) (made ref, changed bool, err error) {
	s, ok := c.r.f.Resolve(v).(*reader.Stream)
	if !ok {
		return ref{}, true, nil
	}
	number := 0
	if r, ok := v.(ref); ok {
		number = r.Number
	}
	if len(c.drawn) >= maxForms || slices.Contains(c.drawn, number) {
		c.remove()
		c.draws(everywhere)
		return ref{}, true, nil
	}
	data, err := c.r.decode(s)
	if err != nil {
		return ref{}, false, err
	}
	resources, own := c.r.f.Resolve(s.Dict["Resources"]).(dict)
	if !own {
		resources = c.resources
	}
	parents, ok := c.r.f.Int(s.Dict["StructParents"])
	if !ok {
		parents = -1
	}
	below := &content{r: c.r, regions: c.regions, resources: resources, src: data, parent: c,
		drawn: append(slices.Clip(c.drawn), number), structParents: int(parents)}
	below.state = c.state
	below.state.ctm = c.r.matrix(s.Dict["Matrix"]).times(c.state.ctm)
	all, m := everywhere, below.state.ctm
	if box := c.r.numbers(s.Dict["BBox"], 4); box != nil {
		all = Rect{min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3])}
		below.state.clip = below.state.clip.within(m.rect(all))
	}
	below.state.unsure = below.state.unsure || s.Dict["OC"] != nil
	if err := below.run(); err != nil {
		return ref{}, false, err
	}
	if at := c.r.drawnAt(v); at != nil {
		if at.resources = resources; below.changed {
			at.cuts(m, all, c.regions)
		} else {
			c.sees(at, m, all, everywhere)
		}
	}
	if c.r.looking {
		return ref{}, false, nil
	}
	if c.r.ground != nil {
		return ref{}, false, nil
	}
	content := below.finished()
	if !below.changed && (own || c.r.textOnly) {
		return ref{}, false, nil
	}
	return c.r.to.Add(object.Compress(below.copied(s.Dict), content)), true, nil
}

// ofForm lists the entries of a form that its copy has. Others, such as the private data of programs, may
// have what was removed.
var ofForm = []name{
	"Type", "Subtype", "FormType", "BBox", "Matrix", "Group", "OC", "StructParents", "StructParent",
	"PatternType", "PaintType", "TilingType", "XStep", "YStep", // of a pattern
}

// copied returns the dictionary of the copy of a form.
func (c *content) copied(d dict) dict {
	out := dict{"Resources": c.usedResources()}
	for _, key := range ofForm {
		if v := d[key]; v != nil {
			out[key] = v
		}
	}
	return out
}
