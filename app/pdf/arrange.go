package pdf

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// A PageChoice is a page of a file that becomes part of a copy.
type PageChoice struct {
	Page   int // from 0
	Rotate int // degrees clockwise that it is turned by, a multiple of 90
}

// Arrange writes a copy of an unsigned file that has only the given pages, each at most once,
// in their order. If pages are left out, nothing of them remains in the copy: no content, form
// field, bookmark, or text for screen readers. Bookmarks and such text exist only for the file as a
// whole, so that the copy has none at all then.
//
// The error wraps ErrSpec, ErrSigned, ErrDamaged or ErrTooComplex, or comes from w.
func Arrange(ctx context.Context, w io.Writer, f *File, pages []PageChoice) error {
	c := newCopying(ctx, w)
	a, err := newArrangement(c, f)
	if err != nil {
		return err
	}
	version, err := f.BytesAt(int64(len("%PDF-")), len("1.7"))
	if err != nil {
		return err
	}
	if err := cmp.Or(a.choose(pages), c.begin(string(version))); err != nil {
		return err
	}
	a.changed[f.RootRef.Number] = a.catalog()
	trailer := dict{"Root": a.value(f.RootRef)}
	if info := f.Trailer["Info"]; info != nil {
		trailer["Info"] = a.value(info)
	}
	return cmp.Or(a.write(), c.finish(trailer))
}

// Rewrite writes a copy of an unsigned file that holds what this package reads of it, in a form that other
// readers read alike. Lists of what is on pages and in the form lose what is missing.
//
// The error wraps ErrSigned, ErrDamaged or ErrTooComplex, or comes from w.
func Rewrite(ctx context.Context, w io.Writer, f *File) error {
	c := newCopying(ctx, w)
	a, err := newArrangement(c, f)
	if err != nil {
		return err
	}
	pages := make([]PageChoice, len(f.Pages()))
	for i := range pages {
		pages[i].Page = i
	}
	if err := cmp.Or(a.choose(pages), c.begin("1.7")); err != nil {
		return err
	}
	catalog := a.catalog()
	catalog["Type"] = name("Catalog")
	if labels := f.Catalog()["PageLabels"]; labels != nil {
		catalog["PageLabels"] = labels
	}
	a.entry = a.present
	a.changed[f.RootRef.Number] = catalog
	trailer := dict{"Root": a.value(f.RootRef)}
	if f.Dict(f.Trailer["Info"]) != nil {
		trailer["Info"] = a.value(f.Trailer["Info"])
	}
	return cmp.Or(a.write(), c.finish(trailer))
}

// present leaves out of lists what is not there.
func (a *arrangement) present(_ dict, key name, v any) any {
	if key != "Annots" && key != "Fields" && key != "Kids" {
		return v
	}
	list := a.f.Array(v)
	missing := func(e any) bool { return a.f.Resolve(e) == nil }
	if !slices.ContainsFunc(list, missing) {
		return v
	}
	return slices.DeleteFunc(slices.Clone(list), missing)
}

// An arrangement copies the objects that some pages of a file need.
type arrangement struct {
	*copying
	f       *File
	root    ref  // of the page tree
	partial bool // pages are left out
	sparing bool // resources that no page uses are left out
	gone    map[int]bool
	changed map[int]any                        // objects that differ from those of the file
	numbers map[int]int                        // of objects, in the copy
	queue   []int                              // objects to be written, which have a number already
	data    int64                              // bytes of stream data written
	named   map[int]map[name]bool              // the names in content streams, once they were read
	targets map[string]any                     // named destinations, to be replaced by what they stand for
	entry   func(of dict, key name, v any) any // what takes the place of an entry, nil to leave it out
}

func newArrangement(c *copying, f *File) (*arrangement, error) {
	root, ok := f.Catalog()["Pages"].(ref)
	if !ok {
		return nil, reader.Damaged("page tree")
	}
	if len(f.Inspect().Signed) > 0 {
		return nil, ErrSigned
	}
	return &arrangement{copying: c, f: f, root: root, gone: map[int]bool{}, changed: map[int]any{},
		numbers: map[int]int{}, named: map[int]map[name]bool{}}, nil
}

// choose decides which pages the copy has.
func (a *arrangement) choose(pages []PageChoice) error {
	kids, err := a.kids(pages)
	if err != nil {
		return err
	}
	turns := map[int]int{}
	for i, p := range pages {
		turns[kids[i].(ref).Number] = p.Rotate
	}
	err = a.f.EachPage(func(r ref, d dict, in document.Inherited) error {
		turn, ok := turns[r.Number]
		if !ok {
			return a.leaveOut(r, d)
		}
		kept, err := a.page(d, in, turn)
		a.changed[r.Number] = kept
		return cmp.Or(err, a.ctx.Err())
	})
	if err != nil {
		return err
	}
	a.changed[a.root.Number] = dict{"Type": name("Pages"), "Kids": kids, "Count": len(kids)}
	for _, v := range kids {
		annotations := a.f.Array(a.f.Dict(v)["Annots"])
		if err := a.f.Spend(visitCost * int64(len(annotations))); err != nil {
			return err
		}
		for _, annotation := range annotations {
			if r, ok := annotation.(ref); ok {
				delete(a.gone, r.Number)
			}
		}
	}
	return a.f.Fault
}

// kids returns the references of the chosen pages.
func (a *arrangement) kids(pages []PageChoice) (array, error) {
	if len(pages) == 0 {
		return nil, fmt.Errorf("%w: no pages", ErrSpec)
	}
	used := make([]bool, len(a.f.Pages()))
	kids := make(array, len(pages))
	for i, p := range pages {
		if p.Page < 0 || p.Page >= len(used) || used[p.Page] || p.Rotate%90 != 0 {
			return nil, fmt.Errorf("%w: page %d, turned by %d", ErrSpec, p.Page, p.Rotate)
		}
		used[p.Page], kids[i] = true, a.f.Pages()[p.Page].Ref
	}
	a.partial = len(pages) < len(used)
	a.sparing = a.sparing || a.partial
	return kids, nil
}

// leaveOut drops a page and its annotations.
func (a *arrangement) leaveOut(r ref, d dict) error {
	a.gone[r.Number] = true
	annotations := a.f.Array(d["Annots"])
	for _, v := range annotations {
		if annotation, ok := v.(ref); ok {
			a.gone[annotation.Number] = true
		}
	}
	return a.f.Spend(visitCost * int64(len(annotations)))
}

// ofPage lists the entries of a page that describe it alone. Others, such as articles, parts of the
// document and the private data of programs, may go on to pages that are left out.
var ofPage = []name{
	"Type", "Parent", "Resources", "MediaBox", "CropBox", "BleedBox", "TrimBox", "ArtBox", "BoxColorInfo", "Contents",
	"Rotate", "Group", "Thumb", "Dur", "Trans", "Annots", "AA", "Metadata", "Tabs", "UserUnit", "VP", "OutputIntents",
}

// page returns a page for the new tree, with what it inherited from the old one.
func (a *arrangement) page(d dict, in document.Inherited, turn int) (dict, error) {
	d = d.Clone()
	d["Type"], d["Parent"] = name("Page"), a.root
	if list := a.f.Array(d["Contents"]); list != nil {
		d["Contents"] = slices.DeleteFunc(slices.Clone(list), func(e any) bool { return !a.f.isStream(e) })
	}
	for key, v := range map[name]any{"MediaBox": in.Media, "CropBox": in.Crop, "Resources": in.Resources, "Rotate": in.Rotate} {
		if v != nil {
			d[key] = v
		}
	}
	if turn != 0 {
		old, _ := a.f.Int(in.Rotate)
		d["Rotate"] = ((int(old%360)+turn)%360 + 360) % 360
	}
	if a.partial || a.targets != nil {
		maps.DeleteFunc(d, func(key name, _ any) bool { return !slices.Contains(ofPage, key) })
	}
	if !a.sparing {
		return d, nil
	}
	var err error
	d["Resources"], err = a.prune(d["Resources"], d["Contents"])
	return d, err
}

// wholeFile lists the entries of the catalog that don't describe the content of pages.
var wholeFile = []name{
	"Type", "Version", "Extensions", "Pages", "Lang", "ViewerPreferences", "PageLayout", "OCProperties",
	"OutputIntents", "URI", "AF", "Collection", "Metadata", "AcroForm", "Names", "Dests", "AA",
}

func (a *arrangement) catalog() dict {
	c := a.f.Catalog().Clone()
	delete(c, "PageLabels") // the numbers of the old order
	delete(c, "Perms")      // usage rights, which hold only for the bytes of the file
	if !a.partial {
		return c
	}
	if c["StructTreeRoot"] != nil {
		delete(c, "Metadata") // may claim that the file is accessible (ISO 19005, ISO 14289)
	}
	maps.DeleteFunc(c, func(key name, _ any) bool { return !slices.Contains(wholeFile, key) })
	if c["AcroForm"] != nil {
		form := a.f.Form().Clone()
		delete(form, "XFA") // has all fields once more
		a.dropFields(form["Fields"], map[int]bool{}, 0)
		c["AcroForm"] = form
	}
	if c["Dests"] != nil {
		named := a.f.Dict(c["Dests"]).Clone()
		maps.DeleteFunc(named, func(_ name, v any) bool { return a.leadsAway(v) })
		c["Dests"] = named
	}
	if c["Names"] != nil {
		c["Names"] = a.names(a.f.Dict(c["Names"]))
	}
	return c
}

// dropFields drops the fields whose widgets are all on pages that are left out, and reports
// whether these are all of kids.
func (a *arrangement) dropFields(kids any, seen map[int]bool, depth int) (all bool) {
	all = true
	for _, v := range a.f.Array(kids) {
		r, ok := v.(ref)
		if !ok || seen[r.Number] || depth > document.FieldDepth {
			all = false
			continue
		}
		seen[r.Number] = true
		d := a.f.Dict(r)
		if page, ok := d["P"].(ref); ok && a.gone[page.Number] {
			a.gone[r.Number] = true
		}
		if own := d["Kids"]; len(a.f.Array(own)) > 0 && a.dropFields(own, seen, depth+1) {
			a.gone[r.Number] = true
		}
		all = all && a.gone[r.Number]
	}
	return all
}

// names returns the named destinations on pages that stay, embedded files and scripts.
func (a *arrangement) names(d dict) dict {
	kept := dict{}
	for _, key := range []name{"EmbeddedFiles", "JavaScript"} {
		if v := d[key]; v != nil {
			kept[key] = v
		}
	}
	if d["Dests"] != nil {
		var here array
		for _, e := range a.f.NameTree(d["Dests"]) {
			if !a.leadsAway(e.Value) {
				here = append(here, e.Key, e.Value)
			}
		}
		kept["Dests"] = dict{"Names": here}
	}
	return kept
}

// leadsAway reports whether a destination is on a page that is left out.
func (a *arrangement) leadsAway(v any) bool {
	v = a.f.Resolve(v)
	if d, ok := v.(dict); ok {
		v = a.f.Resolve(d["D"])
	}
	to, ok := v.(array)
	if !ok || len(to) == 0 {
		return true
	}
	page, ok := to[0].(ref)
	return ok && a.gone[page.Number]
}

// write writes the objects that were queued, and what they refer to.
func (a *arrangement) write() error {
	for len(a.queue) > 0 {
		n := a.queue[0]
		a.queue = a.queue[1:]
		if err := a.ctx.Err(); err != nil {
			return err
		}
		if err := a.object(n); err != nil {
			return err
		}
	}
	return a.f.Fault
}

func (a *arrangement) object(n int) error {
	v, ok := a.changed[n]
	if !ok {
		// An object that can't be read is null (ISO 32000-2 §7.3.10).
		if o, err := a.f.Load(n); err == nil {
			v = o.Value
		}
	}
	if make, ok := v.(func() (any, error)); ok {
		var err error
		if v, err = make(); err != nil {
			return err
		}
	}
	if made, ok := v.(*object.Stream); ok {
		delete(a.changed, n) // to free the memory
		d, _ := a.value(made.Dict).(dict)
		return a.put(ref{Number: a.numbers[n]}, &object.Stream{Dict: d, Data: made.Data})
	}
	if a.sparing {
		var err error
		if v, err = a.pruned(v); err != nil {
			return err
		}
	}
	content, _ := v.(*reader.Stream)
	if content != nil {
		d := content.Dict.Clone()
		d["Length"] = content.Length
		v = d
	}
	line, err := a.open(a.numbers[n], a.value(v))
	if err != nil {
		return err
	}
	// What many pages inherit is written many times.
	if err := a.f.Spend(int64(len(line))); err != nil {
		return err
	}
	if content == nil {
		return a.print(append(line, "\nendobj\n"...))
	}
	return a.stream(line, content)
}

// stream writes a stream. Those of a hostile file may overlap.
func (a *arrangement) stream(line []byte, content *reader.Stream) error {
	if a.data += content.Length; a.data > a.f.Size {
		return a.f.Over("streams of more than %d bytes", a.f.Size)
	}
	if err := a.print(append(line, "\nstream\n"...)); err != nil {
		return err
	}
	copied, err := io.Copy(io.MultiWriter(a.out, a.hash), a.f.Open(content))
	a.size += copied
	if err != nil {
		return err
	}
	return a.print([]byte("\nendstream\nendobj\n"))
}

// value returns a value as the copy has it, and queues what it refers to.
func (a *arrangement) value(v any) any {
	switch x := v.(type) {
	case ref:
		if a.gone[x.Number] || x.Number <= 0 {
			return nil
		}
		if a.numbers[x.Number] == 0 {
			a.numbers[x.Number] = a.reserve()
			a.queue = append(a.queue, x.Number)
		}
		return ref{Number: a.numbers[x.Number]}
	case array:
		return a.array(x)
	case dict:
		out := make(dict, len(x))
		for k, e := range a.explicit(x) {
			if a.entry != nil {
				if e = a.entry(x, k, e); e == nil {
					continue
				}
			}
			out[k] = a.value(e)
		}
		return out
	}
	return v
}

// array leaves out of lists what is gone. In a destination, the place of the page matters.
func (a *arrangement) array(x array) array {
	list := !slices.ContainsFunc(x, func(e any) bool {
		switch e.(type) {
		case ref, dict:
			return false
		}
		return true
	})
	out := make(array, 0, len(x))
	for _, e := range x {
		if r, ok := e.(ref); ok && list && a.gone[r.Number] {
			continue
		}
		out = append(out, a.value(e))
	}
	return out
}
