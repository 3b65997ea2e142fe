package verify

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"paraph/app/pdf/reader"
	"regexp"
	"slices"
)

// trailerEntries are the trailer entries that refer to the document.
var trailerEntries = []name{"Root", "Info", "Encrypt"}

// sectionEntries are the trailer entries that describe the section and not the
// document (ISO 32000-2 §7.5.5, §7.5.8.2).
var sectionEntries = []name{
	"Size", "Prev", "XRefStm", "ID", "Type", "W", "Index", "Filter", "DecodeParms", "Length", "DL", "F", "FFilter", "FDecodeParms",
}

// trailer compares the trailers. Writers' own entries are ignored as long as
// they do not refer to anything.
func (p *pair) trailer() {
	a, b := p.old.Trailer, p.new.Trailer
	for _, k := range p.keys(a, b) {
		switch {
		case slices.Contains(sectionEntries, k):
		case k == "Root":
			if !p.moved(a[k], b[k]) {
				p.add(change{kind: ChangeCatalog, number: p.new.RootRef.Number, key: k, breaks: RuleNumberInUse})
			}
		case k == "Info":
			p.info(a[k], b[k])
		case k == "Encrypt" || p.new.hasLiveRef(b[k]):
			p.add(change{kind: ChangeOther, key: k, breaks: RuleNone})
		}
	}
	for k, v := range b {
		if !slices.Contains(trailerEntries, k) && !slices.Contains(sectionEntries, k) {
			p.filled(k, v)
		}
	}
	if r, ok := a["Info"].(ref); ok && r == b["Info"] && p.changed[r.Number] {
		p.info(r, r)
	}
}

// filled reports a nonstandard trailer entry that used to refer to nothing and
// now refers to data: some programs look for their own files there.
func (p *pair) filled(k name, v any) {
	eachRef(v, func(r ref) {
		if _, ok := p.new.Object(r.Number).(*reader.Stream); ok && p.old.Object(r.Number) == nil {
			p.add(change{kind: ChangeOther, number: r.Number, key: k, breaks: RuleNone})
		}
	})
}

// hasLiveRef reports whether a value refers to an existing object.
func (f *file) hasLiveRef(v any) bool {
	found := false
	eachRef(v, func(r ref) { found = found || f.Xref.Get(r.Number).Kind >= reader.EntryPlain })
	return found
}

// hasRef reports whether a value contains a reference.
func hasRef(v any) bool {
	found := false
	eachRef(v, func(ref) { found = true })
	return found
}

// info compares the information dictionary. It is not shown on any page (ISO
// 32000-2 §14.3.3), so its content is unrestricted.
func (p *pair) info(was, is any) {
	c := change{kind: ChangeMetadata, by: RuleMetadata, key: "Info"}
	if r, ok := is.(ref); ok {
		c.number = r.Number
	}
	if is != nil && !p.moved(was, is) {
		c.breaks = RuleNumberInUse
	}
	if v := p.new.Resolve(is); v != nil && shape(v) != 'd' {
		c.breaks = RuleTwoRoles
	}
	p.add(c)
}

// catalog compares the catalogs entry by entry.
func (p *pair) catalog() {
	a, b := p.old.Catalog(), p.new.Catalog()
	n := p.new.RootRef.Number
	for _, k := range p.keys(a, b) {
		switch k {
		case "AcroForm", "DSS", "Metadata", "StructTreeRoot", "Pages": // compared below or elsewhere
		case "Extensions", "Version", "MarkInfo":
			p.plain(k, a[k], b[k])
		default:
			p.add(change{kind: ChangeCatalog, number: n, key: k, breaks: RuleNone})
		}
	}
	for _, k := range []name{"Extensions", "MarkInfo"} {
		if r, ok := a[k].(ref); ok && r == b[k] && p.changed[r.Number] {
			p.plain(k, r, r)
		}
	}
	p.structTree(a["StructTreeRoot"], b["StructTreeRoot"])
	p.store(a["DSS"], b["DSS"])
	p.metadata(a["Metadata"], b["Metadata"])
	if !p.equal(a["Pages"], b["Pages"]) {
		p.add(change{kind: ChangePageTree, number: n, key: "Pages", breaks: RuleNone})
	}
}

var pdfVersion = regexp.MustCompile(`^[12]\.[0-9]$`)

// plain compares catalog entries that declare features of the file: the version
// and the extensions (ISO 32000-2 §7.12, EN 319 142-1 §5.6), and whether it is
// tagged. They may change as long as they contain no references.
func (p *pair) plain(k name, was, is any) {
	c := change{kind: ChangeCatalog, number: p.new.RootRef.Number, key: k, by: RuleValidationData}
	v := p.new.Resolve(is)
	switch {
	case !p.moved(was, is):
		c.breaks = RuleNumberInUse
	case is == nil || hasRef(v):
		c.breaks = RuleNone
	case k == "Version":
		if s, ok := v.(name); !ok || !pdfVersion.MatchString(string(s)) {
			c.breaks = RuleNone
		}
	case shape(v) != 'd':
		c.breaks = RuleNone
	}
	p.add(c)
}

// structTree checks that the structure tree keeps its root. Changes within the
// tree are judged by tags.
func (p *pair) structTree(was, is any) {
	if !p.equal(was, is) {
		p.add(change{kind: ChangeCatalog, number: p.new.RootRef.Number, key: "StructTreeRoot", breaks: RuleNone})
	}
}

// metadata compares the metadata stream of the document (ISO 32000-2 §14.3.2).
// It must be XMP before and after, so that no page can use it.
func (p *pair) metadata(was, is any) {
	r, isRef := is.(ref)
	if p.equal(was, is) && !(isRef && p.changed[r.Number]) {
		return
	}
	c := change{kind: ChangeMetadata, number: r.Number, by: RuleMetadata, key: "Metadata"}
	switch {
	case is == nil:
		c.breaks = RuleRemoved
	case !isRef || !p.moved(was, is):
		c.breaks = RuleNumberInUse
	case !p.new.isXMP(is) || was != nil && was == is && !p.old.isXMP(was):
		c.breaks = RuleTwoRoles
	}
	p.add(c)
}

// isXMP reports whether v is a stream of well-formed XMP without declarations.
func (f *file) isXMP(v any) bool {
	src, ok := f.Resolve(v).(*reader.Stream)
	if !ok {
		return false
	}
	data, err := f.Decode(src)
	return err == nil && wellFormed(data)
}

func wellFormed(data []byte) bool {
	x := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	x.CharsetReader = nil
	root, depth := "", 0
	for {
		t, err := x.Token()
		if errors.Is(err, io.EOF) {
			return root == "xmpmeta" || root == "RDF"
		}
		if err != nil {
			return false
		}
		switch e := t.(type) {
		case xml.Directive:
			return false
		case xml.StartElement:
			if depth == 0 && root == "" {
				root = e.Name.Local
			}
			depth++
		case xml.EndElement:
			depth--
		}
	}
}
