package pdf

import (
	"bytes"
	"cmp"
	"crypto/md5"
	"slices"

	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
)

// attach embeds the attachments (ISO 32000-2 §7.11.4) and adds them to the
// catalog next to those of the upload.
func (p *preparation) attach() error {
	if len(p.spec.Attachments) == 0 {
		return nil
	}
	names := p.f.Dict(p.catalog["Names"]).Clone()
	entries := p.f.NameTree(names["EmbeddedFiles"])
	if p.f.Fault != nil {
		return p.f.Fault
	}
	associated := slices.Clone(p.f.Array(p.catalog["AF"]))
	for _, a := range p.spec.Attachments {
		r := p.u.Add(p.u.fileSpec(a))
		entries = append(entries, document.NameEntry{Key: object.TextString(a.Name), Value: r})
		associated = append(associated, r)
	}
	slices.SortStableFunc(entries, func(a, b document.NameEntry) int { return bytes.Compare(a.Key, b.Key) })
	var flat array
	for _, e := range entries {
		flat = append(flat, e.Key, e.Value)
	}
	names["EmbeddedFiles"] = p.u.Add(dict{"Names": flat})
	p.catalog["Names"] = names
	p.catalog["AF"] = associated
	return nil
}

// fileSpec adds the data of an attachment and returns its file specification.
func (u *update) fileSpec(a Attachment) dict {
	sum := md5.Sum(a.Data) // a checksum required by the format, not for security
	params := dict{"Size": len(a.Data), "CheckSum": object.String(sum[:])}
	if !a.Modified.IsZero() {
		params["ModDate"] = object.DateString(a.Modified)
	}
	file := u.Add(object.Compress(dict{
		"Type": name("EmbeddedFile"), "Subtype": name(cmp.Or(a.MIME, "application/octet-stream")), "Params": params,
	}, a.Data))
	spec := dict{
		"Type": name("Filespec"), "F": object.TextString(a.Name), "UF": object.TextString(a.Name),
		"EF": dict{"F": file, "UF": file}, "AFRelationship": name(cmp.Or(a.Relationship, "Unspecified")),
	}
	if a.Description != "" {
		spec["Desc"] = object.TextString(a.Description)
	}
	return spec
}
