package pdf

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

	ref ref
	box Rect // CropBox∩MediaBox, user space
}

// Pages returns the pages in order.
func (f *File) Pages() []Page { return f.pages }

const pageTreeDepth = 60

// inherited holds the attributes that a page takes from the nodes above it.
type inherited struct {
	media, crop, rotate, resources any
}

func (i inherited) with(d dict) inherited {
	for _, p := range []struct {
		to  *any
		key name
	}{{&i.media, "MediaBox"}, {&i.crop, "CropBox"}, {&i.rotate, "Rotate"}, {&i.resources, "Resources"}} {
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
	err := f.eachPage(func(r ref, d dict, in inherited) error {
		if len(pages) >= f.Limits.Pages {
			return f.Over("more than %d pages", f.Limits.Pages)
		}
		pages = append(pages, f.page(r, in))
		return nil
	})
	if err == nil && len(pages) == 0 {
		err = f.OrDamaged("no pages")
	}
	return pages, err
}

func (f *File) eachPage(visit func(ref, dict, inherited) error) error {
	seen := map[int]bool{}
	var walk func(v any, in inherited, depth int) error
	walk = func(v any, in inherited, depth int) error {
		r, ok := v.(ref)
		if !ok || seen[r.Number] || depth > pageTreeDepth {
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
	if err := walk(f.Catalog()["Pages"], inherited{}, 0); err != nil {
		return err
	}
	return f.Fault
}

func (f *File) page(r ref, in inherited) Page {
	media, ok := f.rect(in.media)
	if !ok || media.empty() {
		media = Rect{0, 0, 612, 792} // the default in all viewers
	}
	box := media
	if crop, ok := f.rect(in.crop); ok {
		if both := crop.intersect(media); !both.empty() {
			box = both
		}
	}
	turn, _ := f.Int(in.rotate)
	p := Page{ref: r, box: box, Rotate: int((turn%360+360)%360) / 90 * 90}
	p.Width, p.Height = box.size()
	if p.sideways() {
		p.Width, p.Height = p.Height, p.Width
	}
	return p
}

func (f *File) rect(v any) (r Rect, ok bool) {
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
		if anyOverlap(f.shownRects(f.Array(f.Dict(p.ref)["Annots"]))) {
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
		r, ok := f.rect(d["Rect"])
		if ok && !r.empty() && flags&unseen == 0 && f.Name(d["Subtype"]) != "Popup" {
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
			if w, h := a.intersect(b).size(); w > border && h > border {
				return true
			}
		}
	}
	return false
}
