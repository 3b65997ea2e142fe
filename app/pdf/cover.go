package pdf

import (
	"fmt"
	"maps"
	"slices"

	"paraph/app/pdf/object"
)

// A Cover is a part of a page of the upload that is painted white.
type Cover struct {
	Page int // from 0
	Box
}

// cover paints over parts of the upload's pages. The content streams of the upload
// stay as they are: the page dictionary refers to them between two new ones.
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
	var resources map[ref]dict
	if p.f.lacksColours() {
		var err error
		if resources, err = pageResources(p.f); err != nil {
			return err
		}
	}
	save := p.u.Add(&object.Stream{Dict: dict{}, Data: []byte("q\n")})
	for _, n := range slices.Sorted(maps.Keys(byPage)) {
		if n < 0 || n >= len(p.f.pages) {
			return fmt.Errorf("%w: the upload has no page %d to paint over", ErrSpec, n)
		}
		page, d, err := p.page(n)
		if err != nil {
			return err
		}
		p.coverPage(page, d, byPage[n], save)
		if resources != nil {
			p.defineGray(resources[page.ref], d)
		}
	}
	return nil
}

func (p *preparation) coverPage(page Page, d dict, boxes []Box, save ref) {
	contents := array{save}
	switch old := p.f.Resolve(d["Contents"]).(type) {
	case array:
		contents = append(contents, old...)
	case nil:
	default:
		contents = append(contents, d["Contents"])
	}
	d["Contents"] = append(contents, p.u.Add(&object.Stream{Dict: dict{}, Data: paint(page, boxes)}))
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
