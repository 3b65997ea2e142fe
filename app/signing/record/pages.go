package record

import (
	"slices"

	"paraph/app/signing/detect"
)

// PageHash names the current picture of a page, counted from 1, by the hash of
// the file when the page last changed. A signature on page 9 leaves the pictures
// of the other pages valid.
func (d *Document) PageHash(f *File, page int) string {
	for i := len(f.Revisions) - 1; i >= 0; i-- {
		if r := &f.Revisions[i]; d.changed(f, r, page) {
			return r.SHA256
		}
	}
	return f.Base
}

// changed reports whether a revision is visible on a page.
func (d *Document) changed(f *File, r *Revision, page int) bool {
	if r.Kind != "prepare" && r.Kind != "signature" {
		return false
	}
	if f.Appended > 0 && page > len(f.Pages) {
		return true
	}
	for i := range d.Fields {
		x := &d.Fields[i]
		if r.Kind == "prepare" && x.File == f.ID && x.coversPart(page) {
			return true
		}
		if x.File == f.ID && x.Page == page && (r.Kind == "prepare" || x.Invitation == r.Invitation) {
			return true
		}
	}
	return false
}

// coversPart reports whether a part of a page is painted over for the field.
func (x *Field) coversPart(page int) bool {
	return slices.ContainsFunc(x.Covered, func(a detect.Area) bool { return a.Page == page })
}
