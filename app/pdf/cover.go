package pdf

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"html"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
	"paraph/app/pdf/redact"
)

// A Cover is a part of a page of the upload that is painted white.
type Cover struct {
	Page int // from 0
	document.Box
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
	byPage := map[int][]document.Box{}
	for _, c := range p.spec.Covers {
		byPage[c.Page] = append(byPage[c.Page], c.Box)
	}
	resources, err := pageResources(p.f)
	if err != nil {
		return err
	}
	gray := p.f.lacksColours()
	c := covering{p, redact.NewForText(p.f.File.File, p.u), p.u.Add(&object.Stream{Dict: dict{}, Data: []byte("q\n")})}
	for _, n := range slices.Sorted(maps.Keys(byPage)) {
		if n < 0 || n >= len(p.f.Pages()) {
			return fmt.Errorf("%w: the upload has no page %d to paint over", ErrSpec, n)
		}
		page, d, err := p.page(n)
		if err != nil {
			return err
		}
		used := resources[page.Ref]
		changed, err := c.page(page, d, used, byPage[n])
		if err != nil {
			return err
		}
		if changed != nil {
			d["Resources"], used = changed, changed
		}
		if gray {
			defineGray(p.f, used, d)
		}
		c.uncomment(page)
	}
	c.untag(c.text.Tags())
	c.renameBookmarks()
	c.describe()
	return p.f.Fault
}

// covering covers parts of pages.
type covering struct {
	*preparation
	text *redact.Redactor
	save ref // content that saves the graphics state
}

// page covers parts of a page, and returns its resources if they are others then.
func (c covering) page(page document.Page, d, resources dict, boxes []document.Box) (dict, error) {
	data, changed, ok, err := c.text.Page(d, resources, redact.Rect(page.Area), areas(page, boxes))
	if err != nil {
		return nil, err
	}
	if ok {
		data = slices.Concat([]byte("q\n"), data, paint(page, boxes, white))
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
	d["Contents"] = append(contents, c.u.Add(&object.Stream{Dict: dict{}, Data: paint(page, boxes, white)}))
	return nil, nil
}

// areas converts boxes to the user space of a page.
func areas(p document.Page, boxes []document.Box) []redact.Rect {
	out := make([]redact.Rect, len(boxes))
	for i, b := range boxes {
		out[i] = redact.Rect(p.Rect(b))
	}
	return out
}

// The shades that parts of pages are painted with, as DeviceGray.
const (
	black = 0
	white = 1
)

// paint returns the content stream that paints boxes. It first restores the
// graphics state that the content of the page began with.
func paint(page document.Page, boxes []document.Box, shade int) []byte {
	c := fmt.Appendf(nil, "\nQ\n/Artifact BMC q %d g", shade)
	for _, b := range boxes {
		r := page.Rect(b)
		w, h := r.Size()
		c = fmt.Appendf(c, " %g %g %g %g re", object.Round(r[0]), object.Round(r[1]), object.Round(w), object.Round(h))
	}
	return append(c, " f Q EMC\n"...)
}

// defineGray defines the colour of covers in the resources of a page of a PDF/A file
// that doesn't define it otherwise.
func defineGray(f *File, resources, page dict) {
	resources = resources.Clone()
	spaces := f.Dict(resources["ColorSpace"]).Clone()
	if spaces["DefaultGray"] == nil {
		spaces["DefaultGray"] = f.colours()["DefaultGray"]
	}
	resources["ColorSpace"] = spaces
	page["Resources"] = resources
}

// pageResources returns the resources of every page, which may be inherited.
func pageResources(f *File) (map[ref]dict, error) {
	found := map[ref]dict{}
	err := f.EachPage(func(r ref, _ dict, in document.Inherited) error {
		found[r] = f.Dict(in.Resources)
		return nil
	})
	return found, err
}

// A Redaction describes parts of pages that Redact removes.
type Redaction struct {
	Regions []Cover
	// Words are the words in the regions, as far as they are known. Bookmarks, and what the file
	// says about itself, don't have them afterwards either.
	Words []string
}

// Lost is what Redact removed beside the parts of pages.
type Lost struct {
	Pictures int // images as a whole, as they could not be decoded
	Files    int // attached files
	// Spread counts what lost parts wherever the file uses it, as it could not be cut in one place alone.
	Spread int
	// Elsewhere counts what was removed in one place, and is seen in another one, too.
	Elsewhere int
}

// Redact writes a copy of an unsigned file without what lies in some parts of its pages: text, images,
// drawings, annotations and form fields, with all that stands for them elsewhere. The parts are black.
// The copy has no attached files: nobody sees on its pages what is in them.
//
// The error wraps ErrSpec, ErrSigned, ErrDamaged or ErrTooComplex, or comes from w.
func Redact(ctx context.Context, w io.Writer, f *File, what Redaction) (lost Lost, err error) {
	c := newCopying(ctx, w)
	a, err := newArrangement(c, f)
	if err != nil {
		return lost, err
	}
	version, err := f.BytesAt(int64(len("%PDF-")), len("1.7"))
	if err != nil {
		return lost, err
	}
	lost.Files = len(f.Inspect().EmbeddedFiles)
	all := make([]PageChoice, len(f.Pages()))
	for i := range all {
		all[i].Page = i
	}
	a.sparing = true
	r := &redaction{arrangement: a, words: wordsIn(what.Words), next: max(f.Xref.Top, 1)}
	r.from = redact.New(f.File.File, r)
	if err := cmp.Or(a.choose(all), r.pages(what.Regions), c.begin(string(version))); err != nil {
		return lost, err
	}
	if err := r.shared(); err != nil {
		return lost, err
	}
	lost.Spread, lost.Elsewhere = r.from.Spread(), r.from.Elsewhere()
	for number, v := range r.from.Emptied() {
		a.changed[number] = v
	}
	a.changed[f.RootRef.Number] = r.catalog()
	a.targets, a.entry = targets(f), r.entry
	trailer := dict{"Root": a.value(f.RootRef)}
	if info := r.info(); len(info) > 0 {
		trailer["Info"] = a.value(r.Add(info))
	}
	err = cmp.Or(a.write(), c.finish(trailer))
	lost.Pictures = r.from.Unreadable()
	return lost, err
}

// A redaction is a copy of a file that lacks parts of its pages.
type redaction struct {
	*arrangement
	from  *redact.Redactor
	words map[string]bool
	next  int // number of the next new object, none of the file
	tags  []redact.Tag
	bare  bool // the structure of the document is left out
}

// Add implements object.Writer for copies of what pages draw.
func (r *redaction) Add(v any) ref {
	n := r.next
	r.next++
	r.changed[n] = v
	return ref{Number: n}
}

// pages removes parts of pages, after all pages were chosen.
func (r *redaction) pages(regions []Cover) error {
	byPage := map[int][]document.Box{}
	for _, c := range regions {
		byPage[c.Page] = append(byPage[c.Page], c.Box)
	}
	inherited, err := pageResources(r.f)
	if err != nil {
		return err
	}
	gray := r.f.lacksColours()
	all := map[int][]redact.Rect{}
	for n, boxes := range byPage {
		if n < 0 || n >= len(r.f.Pages()) {
			return fmt.Errorf("%w: the file has no page %d", ErrSpec, n)
		}
		all[n] = areas(r.f.Pages()[n], boxes)
	}
	r.beyond(all)
	for _, n := range slices.Sorted(maps.Keys(all)) {
		page := r.f.Pages()[n]
		d, _ := r.changed[page.Ref.Number].(dict)
		boxes := all[n]
		data, resources, changed, err := r.from.Page(r.f.Dict(page.Ref), inherited[page.Ref], redact.Rect(page.Area), boxes)
		if err != nil {
			return err
		}
		if !changed && byPage[n] == nil {
			continue
		}
		data = slices.Concat([]byte("q\n"), data, paint(page, byPage[n], black))
		maps.DeleteFunc(d, func(key name, _ any) bool {
			tags := key == "StructParents"
			return !tags && !slices.Contains(ofPage, key) || key == "Thumb" || key == "Metadata"
		})
		d["Contents"], d["Resources"] = r.Add(object.Compress(dict{}, data)), resources
		if gray {
			defineGray(r.f, resources, d)
		}
		if err := r.annotations(d, boxes); err != nil {
			return err
		}
	}
	for _, page := range r.f.Pages() {
		if d, ok := r.changed[page.Ref.Number].(dict); ok {
			delete(d, "B") // articles, which the copy lacks
			r.withoutFiles(d)
		}
	}
	return r.f.Fault
}

// beyond adds what is removed from a page to those that have the same content, as far as they don't show it: it may
// lie beyond their edges.
func (r *redaction) beyond(regions map[int][]redact.Rect) {
	users := map[ref][]int{}
	for n, page := range r.f.Pages() {
		contents := r.f.Dict(page.Ref)["Contents"]
		list := r.f.Array(contents)
		if list == nil {
			list = array{contents}
		}
		for _, v := range list {
			if at, ok := v.(ref); ok {
				users[at] = append(users[at], n)
			}
		}
	}
	more := map[int][]redact.Rect{}
	for _, all := range users {
		for _, from := range all {
			for _, to := range all {
				window := redact.Rect(r.f.Pages()[to].Area)
				if hidden := redact.Subtract(regions[from], []redact.Rect{window}); from != to && len(hidden) > 0 {
					more[to] = append(more[to], hidden...)
				}
			}
		}
	}
	for n, hidden := range more {
		regions[n] = append(regions[n], hidden...)
	}
}

// withoutFiles removes the annotations of a page that stand for attached files.
func (r *redaction) withoutFiles(page dict) {
	all := r.f.Array(page["Annots"])
	attached := func(v any) bool { return r.f.Name(r.f.Dict(v)["Subtype"]) == "FileAttachment" }
	if !slices.ContainsFunc(all, attached) {
		return
	}
	var kept array
	for _, v := range all {
		if attached(v) {
			r.drop(v, r.f.Dict(v))
			continue
		}
		kept = append(kept, v)
	}
	delete(page, "Annots")
	if len(kept) > 0 {
		page["Annots"] = kept
	}
}

// shared removes what other objects still have of what is nowhere any more: fonts of characters, images and forms of
// parts of them.
func (r *redaction) shared() error {
	if !r.from.Removed() {
		return nil
	}
	inherited, err := pageResources(r.f)
	if err != nil {
		return err
	}
	for _, page := range r.f.Pages() {
		d := r.f.Dict(page.Ref)
		now, _ := r.changed[page.Ref.Number].(dict)
		if made, _ := now["Contents"].(ref); made.Number == 0 || r.changed[made.Number] == nil {
			if err := r.from.Sees(d, inherited[page.Ref], redact.Rect(page.Area)); err != nil {
				return err
			}
		}
		for _, v := range r.f.Array(now["Annots"]) {
			for _, looks := range r.f.Dict(r.f.Dict(v)["AP"]) {
				if err := r.looks(looks); err != nil {
					return err
				}
			}
		}
	}
	made, err := r.from.Shared()
	if err != nil {
		return err
	}
	for number, v := range made {
		r.changed[number] = v
	}
	changed, err := r.from.Fonts()
	maps.Copy(r.changed, changed)
	return err
}

// looks notes the characters of the appearances of an annotation.
func (r *redaction) looks(v any) error {
	all := dict{"": v}
	if states, ok := r.f.Resolve(v).(dict); ok {
		all = states
	}
	for _, v := range all {
		s, ok := r.f.Resolve(v).(*reader.Stream)
		if !ok {
			continue
		}
		box, _ := r.f.Rect(s.Dict["BBox"])
		if err := r.from.Sees(dict{"Contents": v}, s.Dict["Resources"], redact.Rect(box)); err != nil {
			return err
		}
	}
	return nil
}

// spoken lists the entries with texts that nobody sees on a page, but that may repeat what it said.
var spoken = []name{"Name", "Creator", "DV", "TU", "TM", "P", "Subj", "NM", "Desc", "Summary", "Title", "Alt", "ActualText", "E", "Order", "T"}

// entry returns an entry of a dictionary of the copy: nil for what programs keep for themselves and scripts, and
// a text without what was removed.
func (r *redaction) entry(of dict, key name, v any) any {
	switch key {
	case "PieceInfo", "AA", "LastModified", "Thumb", "Alternates", "OPI":
		return nil
	case "EF", "RF", "AF": // attached files
		return nil
	case "Metadata":
		if r.f.Name(of["Type"]) != "Catalog" {
			return nil
		}
	case "A", "Next", "OpenAction":
		if r.f.risky(v, 0) {
			return nil
		}
	case "T":
		if of["FT"] != nil || of["Kids"] != nil || of["Parent"] != nil { // the name of a field
			return v
		}
	}
	if slices.Contains(spoken, key) {
		return r.unspoken(v, 0)
	}
	return v
}

// unspoken returns a text, or a list with texts, without those that mention what was removed.
func (r *redaction) unspoken(v any, depth int) any {
	switch x := v.(type) {
	case ref:
		if s, ok := r.f.Resolve(x).(object.String); ok {
			return r.unspoken(s, depth)
		}
	case object.String:
		if r.mentions(x.Text()) {
			return object.TextString("█")
		}
	case array:
		if depth > document.FieldDepth {
			return nil
		}
		out := make(array, len(x))
		for i, e := range x {
			out[i] = r.unspoken(e, depth+1)
		}
		return out
	}
	return v
}

// annotations removes the annotations of a page that overlap a region, and replies to them.
func (r *redaction) annotations(page dict, regions []redact.Rect) error {
	all := r.f.Array(page["Annots"])
	if err := r.f.Spend(visitCost * int64(len(all)*(1+len(regions)))); err != nil {
		return err
	}
	var kept array
	for _, v := range all {
		d := r.f.Dict(v)
		rect, ok := r.f.Rect(d["Rect"])
		overlaps := func(x redact.Rect) bool { return !rect.Intersect(document.Rect(x)).Empty() }
		reply, _ := d["IRT"].(ref)
		parent, _ := d["Parent"].(ref)
		popup := r.f.Name(d["Subtype"]) == "Popup" && r.gone[parent.Number]
		if ok && !slices.ContainsFunc(regions, overlaps) && !r.gone[reply.Number] && !popup {
			kept = append(kept, v)
			continue
		}
		r.drop(v, d)
	}
	delete(page, "Annots")
	if len(kept) > 0 {
		page["Annots"] = kept
	}
	return nil
}

// drop removes an annotation, with the field that it is a widget of.
func (r *redaction) drop(v any, d dict) {
	if key, ok := r.f.Int(d["StructParent"]); ok {
		r.tags = append(r.tags, redact.Tag{StructParents: int(key), MCID: -1})
	}
	for _, x := range []any{v, d["Popup"]} {
		if a, ok := x.(ref); ok {
			r.gone[a.Number] = true
		}
	}
	field, ok := d["Parent"].(ref)
	if !ok || r.f.Name(d["Subtype"]) != "Widget" {
		return
	}
	if d["T"] != nil {
		r.above(field)
		return
	}
	r.gone[field.Number] = true
	r.above(r.f.Dict(field)["Parent"])
	for _, k := range r.f.Array(r.f.Dict(field)["Kids"]) {
		if kid, ok := k.(ref); ok {
			r.gone[kid.Number] = true
		}
	}
}

// above removes the values that a field may have inherited.
func (r *redaction) above(v any) {
	for range document.FieldDepth {
		at, ok := v.(ref)
		if !ok {
			return
		}
		d := r.f.Dict(at).Clone()
		maps.DeleteFunc(d, func(key name, _ any) bool { return slices.Contains([]name{"V", "DV", "RV"}, key) })
		r.changed[at.Number], v = d, d["Parent"]
	}
}

// ofCopy lists the entries of the catalog that a copy without parts of pages has.
var ofCopy = append(slices.Clone(wholeFile), "StructTreeRoot", "MarkInfo", "Outlines", "PageLabels", "PageMode", "OpenAction")

// catalog returns the catalog of the copy.
func (r *redaction) catalog() dict {
	r.untag(append(r.tags, r.from.Tags()...))
	r.renameBookmarks()
	c := r.f.Catalog().Clone()
	maps.DeleteFunc(c, func(key name, _ any) bool { return !slices.Contains(ofCopy, key) })
	for _, key := range []name{"Names", "Dests", "AF", "Collection"} {
		delete(c, key) // Links have their places themselves, and attached files are left out.
	}
	if r.bare {
		delete(c, "StructTreeRoot")
		delete(c, "MarkInfo")
	}
	if s, ok := r.f.Resolve(c["Metadata"]).(*reader.Stream); ok {
		if data, err := r.f.Decode(s); err != nil || r.bare || bytes.IndexByte(data, 0) >= 0 || r.mentions(html.UnescapeString(string(data))) {
			delete(c, "Metadata")
		}
	}
	if c["AcroForm"] != nil {
		form := r.f.Form().Clone()
		delete(form, "XFA") // has all fields once more
		delete(form, "CO")  // the order of scripts
		r.dropFields(form["Fields"], map[int]bool{}, 0)
		c["AcroForm"] = form
	}
	return c
}

// info returns what the file says about itself, without texts that mention what was removed.
func (r *redaction) info() dict {
	info := r.f.Dict(r.f.Trailer["Info"]).Clone()
	maps.DeleteFunc(info, func(_ name, v any) bool {
		v = r.f.Resolve(v)
		s, ok := v.(object.String)
		_, isName := v.(name)
		return !ok && !isName || r.mentions(s.Text())
	})
	return info
}

// wordsIn returns the words that give away what was removed: shorter ones are everywhere.
func wordsIn(texts []string) map[string]bool {
	const short = 2
	out := map[string]bool{}
	for _, s := range texts {
		for _, w := range split(s) {
			if utf8.RuneCountInString(w) > short {
				out[w] = true
			}
		}
	}
	return out
}

func split(s string) []string {
	between := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsNumber(c) }
	return strings.FieldsFunc(strings.ToLower(s), between)
}

// mentions reports whether a text has a word that was removed.
func (r *redaction) mentions(s string) bool {
	return slices.ContainsFunc(split(s), func(w string) bool { return r.words[w] })
}
