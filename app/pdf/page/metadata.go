package page

import (
	"bytes"
	"crypto/md5"
	"encoding/xml"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"paraph/app/pdf/object"
)

// infoDict repeats the metadata, as PDF/A requires.
func (b *Builder) infoDict() object.Dict {
	d := object.Dict{"Producer": object.TextString(producer)}
	for key, v := range map[object.Name]string{
		"Title": b.info.Title, "Author": b.info.Author, "Subject": b.info.Subject, "Creator": b.info.Creator,
	} {
		if v = printable(v); v != "" {
			d[key] = object.TextString(v)
		}
	}
	if !b.info.Created.IsZero() {
		d["CreationDate"] = object.DateString(b.info.Created)
		d["ModDate"] = object.DateString(b.info.Created)
	}
	return d
}

const producer = "Paraph"

// printable removes characters that XML can't represent.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == utf8.RuneError || r == 0xFFFE || r == 0xFFFF {
			return -1
		}
		return r
	}, s)
}

// metadata returns the XMP packet (ISO 16684-1) with the PDF/A identification
// (ISO 19005-2 §6.6.4). It is uncompressed, so that any tool can read it.
func (b *Builder) metadata() *object.Stream {
	part := "2"
	if len(b.attachments) > 0 {
		part = "3" // only part 3 allows embedded files of any kind
	}
	var x bytes.Buffer
	x.WriteString("<?xpacket begin=\"\uFEFF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n" +
		`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
		`<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"` +
		` xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/"` +
		` xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/">` + "\n")
	element(&x, "pdfaid:part", "", part)
	element(&x, "pdfaid:conformance", "", "B")
	element(&x, "pdf:Producer", "", producer)
	element(&x, "dc:title", `<rdf:Alt><rdf:li xml:lang="x-default">`, b.info.Title)
	element(&x, "dc:creator", `<rdf:Seq><rdf:li>`, b.info.Author)
	element(&x, "dc:description", `<rdf:Alt><rdf:li xml:lang="x-default">`, b.info.Subject)
	element(&x, "dc:language", `<rdf:Bag><rdf:li>`, b.info.Language)
	element(&x, "xmp:CreatorTool", "", b.info.Creator)
	if t := b.info.Created; !t.IsZero() {
		at := t.UTC().Truncate(time.Second).Format(time.RFC3339)
		element(&x, "xmp:CreateDate", "", at)
		element(&x, "xmp:ModifyDate", "", at)
	}
	x.WriteString("</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end=\"r\"?>")
	return &object.Stream{Dict: object.Dict{"Type": name("Metadata"), "Subtype": name("XML")}, Data: x.Bytes()}
}

// element writes a property unless it is empty; open is the container of its
// value.
func element(x *bytes.Buffer, tag, open, value string) {
	if value = printable(value); value == "" {
		return
	}
	x.WriteString("<" + tag + ">" + open)
	_ = xml.EscapeText(x, []byte(value)) // writes to a bytes.Buffer never fail
	switch {
	case strings.HasPrefix(open, "<rdf:Alt>"):
		x.WriteString("</rdf:li></rdf:Alt>")
	case strings.HasPrefix(open, "<rdf:Seq>"):
		x.WriteString("</rdf:li></rdf:Seq>")
	case strings.HasPrefix(open, "<rdf:Bag>"):
		x.WriteString("</rdf:li></rdf:Bag>")
	}
	x.WriteString("</" + tag + ">\n")
}

// attach adds the embedded files to the catalog, sorted by name as required in
// a name tree. Duplicate names are all kept, under distinct keys.
func (b *Builder) attach(o *objects, catalog object.Dict) {
	if len(b.attachments) == 0 {
		return
	}
	byKey := make(map[string]object.Ref)
	var all object.Array
	for _, a := range b.attachments {
		if a.Modified.IsZero() {
			a.Modified = b.info.Created // required by PDF/A-3
		}
		ref := o.Add(a.spec(o))
		all = append(all, ref)
		key := string(object.TextString(a.Name))
		for byKey[key] != (object.Ref{}) {
			key += "\x00 "
		}
		byKey[key] = ref
	}
	var names object.Array
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		names = append(names, object.String(key), byKey[key])
	}
	catalog["Names"] = object.Dict{"EmbeddedFiles": object.Dict{"Names": names}}
	catalog["AF"] = all
}

// spec returns the file specification (ISO 32000-2 §7.11.3).
func (a Attachment) spec(o *objects) object.Dict {
	sum := md5.Sum(a.Data) // required by the standard, not for security
	params := object.Dict{"Size": len(a.Data), "CheckSum": object.String(sum[:])}
	if !a.Modified.IsZero() {
		params["ModDate"] = object.DateString(a.Modified)
	}
	mediaType := a.MediaType
	if mediaType == "" {
		mediaType = "application/octet-stream"
	}
	stream := object.Compress(object.Dict{
		"Type": name("EmbeddedFile"), "Subtype": name(mediaType), "Params": params,
	}, a.Data)
	relationship := a.Relationship
	if relationship == "" {
		relationship = "Unspecified"
	}
	ref := o.Add(stream)
	d := object.Dict{
		"Type": name("Filespec"), "F": object.TextString(a.Name), "UF": object.TextString(a.Name),
		"AFRelationship": name(relationship), "EF": object.Dict{"F": ref, "UF": ref},
	}
	if a.Description != "" {
		d["Desc"] = object.TextString(a.Description)
	}
	return d
}
