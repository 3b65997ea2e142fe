package record

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"paraph/app/fault"
	"paraph/app/pdf/document"
	"paraph/app/signing/detect"
)

// PageChoice is a page that a file has, of those it was uploaded with.
type PageChoice struct {
	Page   int // of the upload, from 1
	Rotate int // degrees clockwise that it is turned by: 0, 90, 180 or 270
}

// Arrangement is a choice of the pages that a file was uploaded with.
type Arrangement struct {
	Whole Whole
	Pages []PageChoice // in their new order
}

// Whole holds what a file is like with all pages that it was uploaded with.
type Whole struct {
	Base      string
	BaseSize  int64
	Pages     []Size
	PDFA      string
	Flattened bool
	Findings  []Finding
}

// WholeFile returns what the file is like with all its pages.
func (f *File) WholeFile() Whole {
	if f.Arranged != nil {
		return f.Arranged.Whole
	}
	return Whole{f.Base, f.BaseSize, f.Pages, f.PDFA, f.Flattened, f.Findings}
}

// PageChoices returns the pages that the file has, of those it was uploaded with.
func (f *File) PageChoices() []PageChoice {
	if f.Arranged != nil {
		return f.Arranged.Pages
	}
	out := make([]PageChoice, len(f.Pages))
	for i := range out {
		out[i].Page = i + 1
	}
	return out
}

// CheckPages checks a choice of pages of the file.
func (f *File) CheckPages(faults *fault.Fields, pages []PageChoice) {
	all := len(f.WholeFile().Pages)
	if len(pages) == 0 {
		faults.Required("pages")
		return
	}
	used := map[int]bool{}
	for i, p := range pages {
		at := "pages." + strconv.Itoa(i) + "."
		switch {
		case p.Page < 1 || p.Page > all:
			faults.Between(at+"page", 1, all)
		case used[p.Page]:
			faults.Add(at+"page", "page_repeated", fault.Number("page", p.Page))
		}
		if !slices.Contains([]int{0, 90, 180, 270}, p.Rotate) {
			faults.OneOf(at+"rotate", "0", "90", "180", "270")
		}
		used[p.Page] = true
	}
}

// Rearranged returns the file with a choice of its pages. made is the PDF that has only these; it is
// ignored if they are all pages as they were uploaded.
func (f *File) Rearranged(pages []PageChoice, made Whole) File {
	out, whole := *f, f.WholeFile()
	if f.IsWhole(pages) {
		out.Arranged = nil
		out.setWhole(whole)
		return out
	}
	out.Arranged = &Arrangement{whole, pages}
	// The upload, which would show pages that were left out, is attached only to all of them.
	made.Flattened = whole.Flattened && len(pages) == len(whole.Pages)
	made.Findings = slices.DeleteFunc(slices.Clone(whole.Findings), func(x Finding) bool {
		return x.Code == "pdfa" && made.PDFA != whole.PDFA || x.Code.Word() == "flattened" && !made.Flattened
	})
	out.setWhole(made)
	return out
}

// IsWhole reports whether a choice has all pages as they were uploaded.
func (f *File) IsWhole(pages []PageChoice) bool {
	upload := File{Pages: f.WholeFile().Pages}
	return slices.Equal(pages, upload.PageChoices())
}

func (f *File) setWhole(w Whole) {
	f.Base, f.BaseSize, f.Pages, f.PDFA, f.Flattened, f.Findings = w.Base, w.BaseSize, w.Pages, w.PDFA, w.Flattened, w.Findings
}

// ReplaceArranged replaces a file by the same one with other pages. Its fields move along with
// their pages; those on pages that are left out are removed.
func ReplaceArranged(d *Document, next File) {
	f := d.File(next.ID)
	before, after, sizes := f.PageChoices(), next.PageChoices(), f.Pages
	var kept []Field
	for _, x := range d.Fields {
		if x.File != f.ID {
			kept = append(kept, x)
			continue
		}
		if x.Page > len(before) { // it has no page yet, and none that happens to have its number
			x.Page, x.Anchor = x.Page-len(before)+len(after), nil
			kept = append(kept, x)
			continue
		}
		page, turn := follow(before, after, x.Page)
		if page == 0 {
			continue
		}
		x.turn(turn, sizes[x.Page-1], next.Pages[page-1])
		x.Page, x.Anchor, x.Covered = page, nil, followAreas(before, after, x.Covered)
		kept = append(kept, x)
	}
	*f, d.Fields = next, kept
}

// Split puts the pages of a file from one on into a file of their own, which comes next. first and
// second are the two parts; fields stay on their pages.
func Split(d *Document, first, second File) {
	i := slices.IndexFunc(d.Files, func(f File) bool { return f.ID == first.ID })
	d.Files[i] = first
	d.Files = slices.Insert(d.Files, i+1, second)
	for i := range d.Files {
		d.Files[i].Position = i + 1
	}
	for i := range d.Fields {
		x := &d.Fields[i]
		if x.File != first.ID {
			continue
		}
		before := len(first.Pages)
		if x.Page > before {
			x.File, x.Page = second.ID, x.Page-before
			for j := range x.Covered {
				x.Covered[j].Page -= before
			}
		}
		x.Anchor = nil
		x.Covered = slices.DeleteFunc(x.Covered, func(a detect.Area) bool {
			return a.Page < 1 || x.File == first.ID && a.Page > before
		})
	}
}

// Part is an upload whose pages are part of a merged file.
type Part struct {
	Name        string
	ContentType string
	Upload      string // blob of the upload, named by its SHA-256
	Size        int64
	Pages       int // of the upload
}

// parts returns the uploads that a file is made of.
func (f *File) parts() []Part {
	if f.Merged != nil {
		return f.Merged
	}
	return []Part{{f.Name, f.ContentType, f.Upload, f.Size, len(f.WholeFile().Pages)}}
}

// Joined returns the file that takes the place of the first of several files, or of one of which
// parts were blacked out. made is the PDF that has the pages of all of them; it becomes the upload.
func Joined(files []*File, made Whole, name string) File {
	first := files[0]
	out := File{ID: first.ID, Name: name, Position: first.Position, CreatedAt: first.CreatedAt,
		ContentType: "application/pdf", Upload: made.Base, SHA256: made.Base, Size: made.BaseSize}
	confirmed := true
	for _, f := range files {
		out.Merged = append(out.Merged, f.parts()...)
		if f.ConvertedBy == "builtin" {
			out.ConvertedBy, confirmed = f.ConvertedBy, confirmed && f.Confirmed
		}
		for _, x := range f.Findings {
			known := slices.ContainsFunc(made.Findings, func(o Finding) bool { return o.Code == x.Code && maps.Equal(o.Args, x.Args) })
			if !known && x.Code != "pdfa" && x.Code.Word() != "flattened" {
				made.Findings = append(made.Findings, x)
			}
		}
	}
	out.Confirmed = confirmed && out.ConvertedBy != ""
	out.setWhole(made)
	return out
}

// maxRegions is the maximum number of parts of a file that are blacked out at once.
const maxRegions = 1000

// CheckRegions checks parts of the pages of the file that are to be blacked out.
func (f *File) CheckRegions(faults *fault.Fields, regions []detect.Area) {
	switch {
	case len(regions) == 0:
		faults.Required("regions")
		return
	case len(regions) > maxRegions:
		faults.TooMany("regions", maxRegions)
		return
	}
	checkAreas(faults, "regions", regions, f)
	for i, r := range regions {
		at := faults.At("regions", i)
		if r.Width == 0 {
			at.Required("width")
		}
		if r.Height == 0 {
			at.Required("height")
		}
	}
}

// Merge replaces files by one with the pages of all of them, in the order of ids. It takes the
// place of the first; fields stay on their pages.
func Merge(d *Document, ids []string, made File) {
	start, pages := map[string]int{}, 0
	for _, id := range ids {
		start[id] = pages
		pages += len(d.File(id).Pages)
	}
	for i := range d.Fields {
		x := &d.Fields[i]
		by, ok := start[x.File]
		if !ok {
			continue
		}
		if own := len(d.File(x.File).Pages); x.Page > own { // it has no page yet
			by = pages - own
		}
		x.File, x.Page, x.Anchor, x.Covered = made.ID, x.Page+by, nil, slices.Clone(x.Covered)
		for j := range x.Covered {
			x.Covered[j].Page += by
		}
	}
	*d.File(ids[0]) = made
	d.Files = slices.DeleteFunc(d.Files, func(f File) bool { return slices.Contains(ids[1:], f.ID) })
	for i := range d.Files {
		d.Files[i].Position = i + 1
	}
}

// follow returns where a page is after a rearrangement and by how many degrees it was turned; 0
// means that it was left out, or never was there.
func follow(before, after []PageChoice, page int) (to, turn int) {
	if page < 1 || page > len(before) {
		return 0, 0
	}
	old := before[page-1]
	i := slices.IndexFunc(after, func(p PageChoice) bool { return p.Page == old.Page })
	if i < 0 {
		return 0, 0
	}
	return i + 1, (after[i].Rotate - old.Rotate + 360) % 360
}

// turned returns a box on a page that is turned clockwise, all in fractions of the page.
func turned(turn int, b document.Box) document.Box {
	for ; turn > 0; turn -= 90 {
		b = document.Box{X: 1 - b.Y - b.Height, Y: b.X, Width: b.Height, Height: b.Width}
	}
	return b
}

// turn moves a field along with its page. It stays upright and keeps its size, around the same
// point of the page.
func (x *Field) turn(degrees int, from, to Size) {
	if degrees == 0 {
		return
	}
	b := turned(degrees, document.Box{X: x.X, Y: x.Y, Width: x.Width, Height: x.Height})
	width, height := min(1, x.Width*from.Width/to.Width), min(1, x.Height*from.Height/to.Height)
	x.X = max(0, min(1-width, b.X+(b.Width-width)/2))
	x.Y = max(0, min(1-height, b.Y+(b.Height-height)/2))
	x.Width, x.Height = width, height
}

func followAreas(before, after []PageChoice, areas []detect.Area) (out []detect.Area) {
	for _, a := range areas {
		page, turn := follow(before, after, a.Page)
		if page == 0 {
			continue
		}
		b := turned(turn, document.Box{X: a.X, Y: a.Y, Width: a.Width, Height: a.Height})
		out = append(out, detect.Area{Page: page, X: b.X, Y: b.Y, Width: b.Width, Height: b.Height})
	}
	return out
}

// HideUploads makes the PDF that people are asked to sign appear as what was uploaded, for those who were
// never meant to see more.
func HideUploads(d *Document) {
	for i := range d.Files {
		d.Files[i] = d.Files[i].WithoutUpload()
	}
}

// WithoutUpload returns the file as if its PDF had been uploaded. An upload that was converted may have more
// than its pages show, such as text that was deleted with its changes tracked, or the place of a photo.
func (f *File) WithoutUpload() File {
	out := *f
	if f.Secretive() || f.ContentType != "application/pdf" {
		out.Upload, out.SHA256, out.Size, out.ContentType = f.Base, f.Base, f.BaseSize, "application/pdf"
		out.Arranged, out.Merged = nil, nil
	}
	return out
}

// Secretive reports whether the uploads have what was taken out of the file since: pages that were left out, or
// parts that were blacked out.
func (f *File) Secretive() bool { return f.Arranged != nil || f.Merged != nil }

// DescribePages lists pages for the audit trail, such as "3, 1 (90°)".
func DescribePages(pages []PageChoice) string {
	out := make([]string, len(pages))
	for i, p := range pages {
		out[i] = strconv.Itoa(p.Page)
		if p.Rotate != 0 {
			out[i] += " (" + strconv.Itoa(p.Rotate) + "°)"
		}
	}
	return strings.Join(out, ", ")
}
