// Package redact writes content of PDF pages anew, without what lies in some rectangles of
// the page: characters, paths and images, also those in form XObjects. What stays is drawn
// exactly as before.
//
// If it is uncertain where something is drawn, more is removed rather than less. Objects of the
// file are never changed, as other pages may use them: changed copies take their place.
package redact

import (
	"errors"
	"slices"

	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// Short names for the object model.
type (
	name  = object.Name
	ref   = object.Ref
	array = object.Array
	dict  = object.Dict
)

// Limits of the work for the pages of one file.
const (
	maxContent = 128 << 20 // bytes of content that is read, forms counted as often as they are drawn
	maxForms   = 12        // depth of forms in forms
	maxStates  = 2000      // depth of saved graphics states
	maxPixels  = 40 << 20  // of an image that is decoded
)

// A Redactor removes content of the pages of one file.
type Redactor struct {
	f        *reader.File
	to       object.Writer
	textOnly bool
	fonts    map[any]*font
	left     int64
	tags     []Tag
	lost     int
	// visit, if not nil, is called with each character that would be removed.
	visit   func(font any, code object.String)
	ground  *ground // if not nil, what is drawn is added up there, and nothing is removed
	pixels  int64
	emptied map[int]*object.Stream
	spread  int              // of these
	drawn   map[int]*drawn   // by object number
	tiles   map[int]bool     // those that are patterns
	window  Rect             // of the page that is seen
	looking bool             // only what is seen is noted
	tiling  bool             // in a pattern
	muted   bool             // nothing is noted any more
	letters map[int]*letters // by object number of the font
}

// A Tag identifies marked content of which a part was removed: by the entry of the parent tree of
// the structure (ISO 32000-2 §14.7.5.4), and by its number there.
type Tag struct {
	StructParents int // -1 for none
	MCID          int // -1 for an annotation
}

// New returns a redactor for pages of a file. It writes changed copies of forms and images to a writer.
func New(f *reader.File, to object.Writer) *Redactor {
	return &Redactor{f: f, to: to, fonts: map[any]*font{}, left: maxContent}
}

// NewForText returns a redactor that removes only text, and only characters whose middle is in one of
// the rectangles.
func NewForText(f *reader.File, to object.Writer) *Redactor {
	r := New(f, to)
	r.textOnly = true
	return r
}

// Tags returns the marked content of which parts were removed so far.
func (r *Redactor) Tags() []Tag { return r.tags }

// Unreadable returns the number of pictures that were removed as a whole: images that could not be decoded, and
// characters.
func (r *Redactor) Unreadable() int { return r.lost }

// Page returns the content of a page without what lies in some rectangles of its user space, of which the window is
// seen, and the resources for it, nil if they are as before. If nothing was removed, ok is false. The graphics
// state at the end of the content is the one at its beginning.
func (r *Redactor) Page(page dict, resources any, window Rect, regions []Rect) (data []byte, used dict, ok bool, err error) {
	if len(regions) == 0 {
		return nil, nil, false, nil
	}
	r.window = window
	src, err := r.joined(page["Contents"])
	if err != nil {
		return nil, nil, false, err
	}
	parents, found := r.f.Int(page["StructParents"])
	if !found {
		parents = -1
	}
	c := &content{r: r, regions: regions, resources: r.f.Dict(resources), src: src, structParents: int(parents)}
	c.state = startState(identity)
	if err := c.run(); err != nil {
		return nil, nil, false, err
	}
	data = c.finished()
	described := func(m mark) bool { return m.changed && m.properties != "" }
	if !r.textOnly || len(c.added) > 0 || slices.ContainsFunc(c.all, described) {
		used = c.usedResources()
	}
	return data, used, c.changed, nil
}

// Characters calls visit with the font and the code of each character of a page whose middle is in one
// of some rectangles of its user space.
func Characters(f *reader.File, page dict, resources any, regions []Rect, visit func(font any, code object.String)) error {
	r := NewForText(f, discard{})
	r.visit = visit
	_, _, _, err := r.Page(page, resources, everywhere, regions)
	return err
}

// discard implements object.Writer for what nobody reads.
type discard struct{}

// Add implements object.Writer.
func (discard) Add(any) ref { return ref{} }

// joined returns the content streams of a page. What can't be decoded is left out.
func (r *Redactor) joined(contents any) ([]byte, error) {
	var out []byte
	all, ok := r.f.Resolve(contents).(array)
	if !ok {
		all = array{contents}
	}
	for _, v := range all {
		s, ok := r.f.Resolve(v).(*reader.Stream)
		if !ok {
			continue
		}
		data, err := r.decode(s)
		if err != nil {
			return nil, err
		}
		out = append(append(out, data...), '\n')
	}
	return out, r.f.Fault
}

// decode returns the data of a content stream, within the limits.
func (r *Redactor) decode(s *reader.Stream) ([]byte, error) {
	data, err := r.f.Decode(s)
	if r.left -= int64(len(data)) + 64; r.left < 0 {
		return nil, reader.TooComplex("more than %d bytes of content to remove parts of", maxContent)
	}
	if err := r.f.Stop(); err != nil {
		return nil, err
	}
	if errors.Is(err, reader.ErrDamaged) {
		return nil, nil
	}
	return data, err
}

// numbers returns the numbers of an array, nil if it has others or fewer.
func (r *Redactor) numbers(v any, least int) []float64 {
	var out []float64
	for _, e := range r.f.Array(v) {
		n, ok := object.Float(r.f.Resolve(e))
		if !ok {
			return nil
		}
		out = append(out, n)
	}
	if len(out) < least {
		return nil
	}
	return out
}

// matrix returns the matrix under a key; without one it is the identity.
func (r *Redactor) matrix(v any) matrix {
	if n := r.numbers(v, 6); n != nil {
		return matrix(n[:6])
	}
	return identity
}

// hit reports whether a character in a box is to be removed.
func (c *content) hit(box Rect) bool {
	if c.r.looking {
		return false
	}
	if !box.valid() {
		return true
	}
	if c.r.textOnly {
		x, y := (box[0]+box[2])/2, (box[1]+box[3])/2
		return slices.ContainsFunc(c.regions, func(r Rect) bool { return r.overlaps(Rect{x, y, x, y}) })
	}
	const border = 0.15 // what of a character may be covered without it being removed
	return c.touches(box.inset(border))
}

// touches reports whether a rectangle overlaps one of the regions.
func (c *content) touches(box Rect) bool {
	return !c.r.looking && (!box.valid() || slices.ContainsFunc(c.regions, box.overlaps))
}

// covers reports whether a rectangle lies in one of the regions.
func (c *content) covers(box Rect) bool {
	return !c.r.looking && slices.ContainsFunc(c.regions, func(r Rect) bool { return r.contains(box) })
}
