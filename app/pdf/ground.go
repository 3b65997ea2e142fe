package pdf

import (
	"fmt"

	"paraph/app/pdf/document"
	"paraph/app/pdf/redact"
)

// darkest is how much of a place may be covered for it to be as good as white.
const darkest = 0.3

// Bare reports for each of some places on a page, counted from 0, whether it is white but for some text and thin
// lines. It is quick compared to drawing the page; what it isn't sure of is not bare.
func (f *File) Bare(page int, places []document.Box) ([]bool, error) {
	if page < 0 || page >= len(f.Pages()) {
		return nil, fmt.Errorf("%w: the file has no page %d", ErrSpec, page)
	}
	inherited, err := pageResources(f)
	if err != nil {
		return nil, err
	}
	p := f.Pages()[page]
	d := f.Dict(p.Ref)
	boxes := areas(p, places)
	shares, err := redact.Shares(f.File.File, d, inherited[p.Ref], boxes)
	if err != nil {
		return nil, err
	}
	annotations := f.Array(d["Annots"])
	if err := f.Spend(visitCost * int64(len(annotations)*len(boxes))); err != nil {
		return nil, err
	}
	for _, v := range annotations {
		a := f.Dict(v)
		rect, ok := f.Rect(a["Rect"])
		if !ok || a["AP"] == nil {
			continue
		}
		for i, b := range boxes {
			if !rect.Intersect(document.Rect(b)).Empty() {
				shares[i] = 1
			}
		}
	}
	bare := make([]bool, len(shares))
	for i, share := range shares {
		bare[i] = share < darkest
	}
	return bare, f.Fault
}
