package pdf

import (
	"fmt"
	"paraph/app/pdf/document"
	"slices"
)

// A HideError indicates that a new field would lie over what somebody has signed with, or filled in, in
// a signed upload.
type HideError struct {
	Field string // Name of the FieldSpec or SignatureSpec
	Over  string // full name of the field of the upload
	Page  int    // from 0
}

func (e *HideError) Error() string {
	return fmt.Sprintf("pdf: field %s would hide %s on page %d", e.Field, e.Over, e.Page+1)
}

// unhidden returns a HideError if a new field would hide a field of a signed upload that has a signature
// or another value.
func (p *preparation) unhidden() error {
	if !p.signed {
		return nil
	}
	type given struct {
		name string
		rect document.Rect
	}
	byPage := map[int][]given{}
	for _, x := range p.f.formFields() {
		if x.Page >= 0 && (x.Signed || x.Value != "" && x.Value != "Off") {
			box := document.Box{X: x.X, Y: x.Y, Width: x.Width, Height: x.Height}
			byPage[x.Page] = append(byPage[x.Page], given{x.Name, p.f.Pages()[x.Page].Rect(box)})
		}
	}
	hides := func(name string, page int, b document.Box) error {
		if page < 0 || page >= len(p.f.Pages()) {
			return nil
		}
		r := p.f.Pages()[page].Rect(b)
		if i := slices.IndexFunc(byPage[page], func(g given) bool { return r.Hides(g.rect) }); i >= 0 {
			return &HideError{Field: name, Over: byPage[page][i].name, Page: page}
		}
		return nil
	}
	for _, s := range p.spec.Fields {
		if s.Existing != "" {
			continue
		}
		if err := hides(s.Name, s.Page, s.box()); err != nil {
			return err
		}
	}
	if p.level > 0 {
		return nil // signatures are invisible then
	}
	for _, s := range p.spec.Signatures {
		if err := hides(s.Name, s.Page, s.box()); err != nil {
			return err
		}
	}
	return nil
}
