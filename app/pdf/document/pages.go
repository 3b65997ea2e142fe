package document

import (
	"cmp"
	"errors"
	"slices"

	"paraph/app/pdf/object"
)

// errStop ends a walk early.
var errStop = errors.New("stop")

// A Page is one page as a reader shows it.
type Page struct {
	// Width and Height are in points as displayed: the crop box within the
	// media box, rotated by Rotate. UserUnit is not applied.
	Width, Height float64
	// Rotate is the clockwise rotation of the page: 0, 90, 180 or 270.
	Rotate int

	Ref  ref
	Area Rect // CropBox∩MediaBox, user space
}

// Pages returns the pages in order.
func (f *File) Pages() []Page { return f.pages }

const PageTreeDepth = 60

// Inherited holds the attributes that a page takes from the nodes above it.
type Inherited struct {
	Media, Crop, Rotate, Resources any
}

func (i Inherited) with(d dict) Inherited {
	for _, p := range []struct {
		to  *any
		key name
	}{{&i.Media, "MediaBox"}, {&i.Crop, "CropBox"}, {&i.Rotate, "Rotate"}, {&i.Resources, "Resources"}} {
		if v := d[p.key]; v != nil {
			*p.to = v
		}
	}
	return i
}

// readPages walks the page tree (ISO 32000-2 §7.7.3). A missing or repeated
// node counts as damage: guessing would shift the page numbers.
func (f *File) readPages() ([]Page, error) {
	var pages []Page
	err := f.EachPage(func(r ref, d dict, in Inherited) error {
		if len(pages) >= f.Limits.Pages {
			return f.Over("more than %d pages", f.Limits.Pages)
		}
		pages = append(pages, f.PageOf(r, in))
		return nil
	})
	if err == nil && len(pages) == 0 {
		err = f.OrDamaged("no pages")
	}
	return pages, err
}

// EachPage calls visit with every page, in order, and what it inherits.
func (f *File) EachPage(visit func(ref, dict, Inherited) error) error {
	seen := map[int]bool{}
	var walk func(v any, in Inherited, depth int) error
	walk = func(v any, in Inherited, depth int) error {
		r, ok := v.(ref)
		if !ok || seen[r.Number] || depth > PageTreeDepth {
			return f.OrDamaged("page tree")
		}
		seen[r.Number] = true
		d := f.Dict(r)
		if d == nil {
			return f.OrDamaged("page tree: object %d is missing", r.Number)
		}
		in = in.with(d)
		kids, isNode := f.Resolve(d["Kids"]).(array)
		if !isNode || f.Name(d["Type"]) == "Page" {
			return visit(r, d, in)
		}
		for _, k := range kids {
			if err := walk(k, in, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(f.Catalog()["Pages"], Inherited{}, 0); err != nil {
		return err
	}
	return f.Fault
}

// PageOf returns how readers show a page.
func (f *File) PageOf(r ref, in Inherited) Page {
	media, ok := f.Rect(in.Media)
	if !ok || media.Empty() {
		media = Rect{0, 0, 612, 792} // the default in all viewers
	}
	box := media
	if crop, ok := f.Rect(in.Crop); ok {
		if both := crop.Intersect(media); !both.Empty() {
			box = both
		}
	}
	turn, _ := f.Int(in.Rotate)
	p := Page{Ref: r, Area: box, Rotate: int((turn%360+360)%360) / 90 * 90}
	p.Width, p.Height = box.Size()
	if p.sideways() {
		p.Width, p.Height = p.Height, p.Width
	}
	return p
}

// Rect reads a rectangle; its corners may be in any order.
func (f *File) Rect(v any) (r Rect, ok bool) {
	a := f.Array(v)
	if len(a) < 4 {
		return r, false
	}
	for i := range r {
		n, ok := object.Float(f.Resolve(a[i]))
		if !ok || n < -1e7 || n > 1e7 {
			return r, false
		}
		r[i] = n
	}
	return Rect{min(r[0], r[2]), min(r[1], r[3]), max(r[0], r[2]), max(r[1], r[3])}, true
}

// Overlaps returns the pages, from 1, on which visible annotations overlap: one
// may hide the content of another.
func (f *File) Overlaps() []int {
	var out []int
	for i, p := range f.pages {
		if anyOverlap(f.shownRects(f.Array(f.Dict(p.Ref)["Annots"]))) {
			out = append(out, i+1)
		}
	}
	return out
}

// shownRects returns the rectangles of annotations that can be seen or clicked.
func (f *File) shownRects(annots array) []Rect {
	const unseen = 2 | 32 // hidden, not viewed
	var out []Rect
	for _, v := range annots {
		d := f.Dict(v)
		flags, _ := f.Int(d["F"])
		r, ok := f.Rect(d["Rect"])
		if ok && !r.Empty() && flags&unseen == 0 && f.Name(d["Subtype"]) != "Popup" {
			out = append(out, r)
		}
	}
	return out
}

// anyOverlap reports whether two rectangles share more than a border.
func anyOverlap(all []Rect) bool {
	const border = 0.5 // in points
	slices.SortFunc(all, func(a, b Rect) int { return cmp.Compare(a[0], b[0]) })
	for i, a := range all {
		for _, b := range all[i+1:] {
			if b[0] >= a[2]-border {
				break
			}
			if w, h := a.Intersect(b).Size(); w > border && h > border {
				return true
			}
		}
	}
	return false
}

// FirstPage finds the first page without walking the others.
func (f *File) FirstPage() (Page, error) {
	var first Page
	err := f.EachPage(func(r ref, _ dict, in Inherited) error {
		first = f.PageOf(r, in)
		return errStop
	})
	if err == errStop {
		err = nil
	}
	return first, err
}
