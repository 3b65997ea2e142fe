package pdf

import (
	"bytes"
	"cmp"
	"crypto/md5"
	"slices"

	"paraph/app/pdf/object"
)

// attach embeds the attachments (ISO 32000-2 §7.11.4) and adds them to the
// catalog next to those of the upload.
func (p *preparation) attach() error {
	if len(p.spec.Attachments) == 0 {
		return nil
	}
	names := p.f.Dict(p.catalog["Names"]).Clone()
	entries := p.f.nameTree(names["EmbeddedFiles"])
	if p.f.Fault != nil {
		return p.f.Fault
	}
	associated := slices.Clone(p.f.Array(p.catalog["AF"]))
	for _, a := range p.spec.Attachments {
		r := p.u.Add(p.u.fileSpec(a))
		entries = append(entries, nameEntry{key: object.TextString(a.Name), value: r})
		associated = append(associated, r)
	}
	slices.SortStableFunc(entries, func(a, b nameEntry) int { return bytes.Compare(a.key, b.key) })
	var flat array
	for _, e := range entries {
		flat = append(flat, e.key, e.value)
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

type nameEntry struct {
	key   object.String
	value any
}

// nameTree returns the entries of a name tree (ISO 32000-2 §7.9.6).
func (f *File) nameTree(v any) []nameEntry {
	var out []nameEntry
	seen := map[int]bool{}
	var walk func(v any, depth int)
	walk = func(v any, depth int) {
		if r, ok := v.(ref); ok {
			if seen[r.Number] {
				return
			}
			seen[r.Number] = true
		}
		if depth > fieldDepth {
			return
		}
		d := f.Dict(v)
		for pairs := f.Array(d["Names"]); len(pairs) >= 2; pairs = pairs[2:] {
			if key, ok := f.Resolve(pairs[0]).(object.String); ok && f.Spend(nameCost) == nil {
				out = append(out, nameEntry{key, pairs[1]})
			}
		}
		for _, k := range f.Array(d["Kids"]) {
			walk(k, depth+1)
		}
	}
	walk(v, 0)
	return out
}

// Attachment returns the content of an embedded file, and whether there is one of
// that name.
func (f *File) Attachment(name string) (content []byte, found bool, err error) {
	for _, e := range f.nameTree(f.Dict(f.Catalog()["Names"])["EmbeddedFiles"]) {
		if string(e.key) != name {
			continue
		}
		files := f.streams(array{f.Dict(f.Dict(e.value)["EF"])["F"]})
		if len(files) == 1 {
			return files[0], true, f.Fault
		}
	}
	return nil, false, f.Fault
}
