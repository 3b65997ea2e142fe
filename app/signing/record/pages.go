package record

import (
	"fmt"
	"slices"
	"strings"

	"paraph/app/fault"
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

// How a recipient read a document that has to be read to the end.
const (
	ReadingShown     = "shown"     // every page was shown to them
	ReadingConfirmed = "confirmed" // they confirmed that they have read all pages
)

// Reading says which pages a recipient was shown, or that they confirm having read all of them.
type Reading struct {
	Pages     []int // shown to them, numbered from 1 through all files
	Confirmed bool  // they have read all of them
}

// CountPages counts the pages of all files.
func CountPages(d *Document) (n int) {
	for i := range d.Files {
		n += len(d.Files[i].Pages)
	}
	return n
}

// Check returns how a document that has to be read to the end was read, "" if nothing is known.
// If that is required, it refuses unless all pages were read.
func (r Reading) Check(f *fault.Fields, d *Document, required bool) string {
	if !d.ReadToEnd {
		return ""
	}
	unread := r.unread(CountPages(d))
	switch {
	case unread == "":
		return ReadingShown
	case r.Confirmed:
		return ReadingConfirmed
	case required:
		f.Add("pages", "pages_unread", fault.Text("pages", unread))
	}
	return ""
}

// unread lists the pages that were not shown, such as "2, 4–7".
func (r Reading) unread(total int) string {
	shown := make([]bool, total+1)
	for _, n := range r.Pages {
		if n >= 1 && n <= total {
			shown[n] = true
		}
	}
	var out []string
	for n := 1; n <= total; n++ {
		if shown[n] {
			continue
		}
		first := n
		for n < total && !shown[n+1] {
			n++
		}
		part := fmt.Sprint(first)
		if n > first {
			part += "–" + fmt.Sprint(n)
		}
		out = append(out, part)
	}
	return strings.Join(out, ", ")
}
