package pdf

import (
	"fmt"
	"maps"
	"slices"

	"paraph/app/pdf/object"
	"paraph/app/pdf/redact"
)

// A Cover is a part of a page of the upload that is painted white.
type Cover struct {
	Page int // from 0
	Box
}

// cover removes the text from parts of the upload's pages and paints over them. The content streams of
// the upload stay as they are: the page dictionary refers to new ones, of which those without text to
// remove have the old ones between them.
func (p *preparation) cover() error {
	if len(p.spec.Covers) == 0 {
		return nil
	}
	if p.signed {
		return fmt.Errorf("%w: pages of a signed file can't be painted over", ErrChangesForbidden)
	}
	byPage := map[int][]Box{}
	for _, c := range p.spec.Covers {
		byPage[c.Page] = append(byPage[c.Page], c.Box)
	}
	resources, err := pageResources(p.f)
	if err != nil {
		return err
	}
	gray := p.f.lacksColours()
	c := covering{p, redact.NewForText(p.f.File, p.u), p.u.Add(&object.Stream{Dict: dict{}, Data: []byte("q\n")})}
	for _, n := range slices.Sorted(maps.Keys(byPage)) {
		if n < 0 || n >= len(p.f.pages) {
			return fmt.Errorf("%w: the upload has no page %d to paint over", ErrSpec, n)
		}
		page, d, err := p.page(n)
		if err != nil {
			return err
		}
		used := resources[page.ref]
		changed, err := c.page(page, d, used, byPage[n])
		if err != nil {
			return err
		}
		if changed != nil {
			d["Resources"], used = changed, changed
		}
		if gray {
			p.defineGray(used, d)
		}
	}
	return nil
}

// covering covers parts of pages.
type covering struct {
	*preparation
	text *redact.Redactor
	save ref // content that saves the graphics state
}

// page covers parts of a page, and returns its resources if they are others then.
func (c covering) page(page Page, d, resources dict, boxes []Box) (dict, error) {
	data, changed, ok, err := c.text.Page(d, resources, page.regions(boxes))
	if err != nil {
		return nil, err
	}
	if ok {
		data = slices.Concat([]byte("q\n"), data, paint(page, boxes))
		d["Contents"] = c.u.Add(object.Compress(dict{}, data))
		return changed, nil
	}
	contents := array{c.save}
	switch old := c.f.Resolve(d["Contents"]).(type) {
	case array:
		contents = append(contents, old...)
	case nil:
	default:
		contents = append(contents, d["Contents"])
	}
	d["Contents"] = append(contents, c.u.Add(&object.Stream{Dict: dict{}, Data: paint(page, boxes)}))
	return nil, nil
}

// regions converts boxes to the page's user space.
func (p Page) regions(boxes []Box) []redact.Rect {
	out := make([]redact.Rect, len(boxes))
	for i, b := range boxes {
		out[i] = redact.Rect(p.Rect(b))
	}
	return out
}

// paint returns the content stream that paints boxes white. It first restores the
// graphics state that the content of the page began with.
func paint(page Page, boxes []Box) []byte {
	c := []byte("\nQ\n/Artifact BMC q 1 g")
	for _, b := range boxes {
		r := page.Rect(b)
		w, h := r.size()
		c = fmt.Appendf(c, " %g %g %g %g re", round(r[0]), round(r[1]), round(w), round(h))
	}
	return append(c, " f Q EMC\n"...)
}

// defineGray defines the colour of covers in the resources of a page of a PDF/A file
// that doesn't define it otherwise.
func (p *preparation) defineGray(resources, page dict) {
	resources = resources.Clone()
	spaces := p.f.Dict(resources["ColorSpace"]).Clone()
	if spaces["DefaultGray"] == nil {
		spaces["DefaultGray"] = p.f.colours()["DefaultGray"]
	}
	resources["ColorSpace"] = spaces
	page["Resources"] = resources
}

// pageResources returns the resources of every page, which may be inherited.
func pageResources(f *File) (map[ref]dict, error) {
	found := map[ref]dict{}
	err := f.eachPage(func(r ref, _ dict, in inherited) error {
		found[r] = f.Dict(in.resources)
		return nil
	})
	return found, err
}
