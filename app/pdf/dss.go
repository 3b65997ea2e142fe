package pdf

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// A DSS is a document security store (ISO 32000-2 §12.8.4.3): the data needed
// to validate signatures later. All values are DER.
type DSS struct {
	Certs, CRLs, OCSPs [][]byte
	// VRI identifies the signatures that the store has entries for: the
	// upper-case hexadecimal SHA-1 of the Contents of each.
	VRI []string
}

// AddDSS appends a document security store with certificates, revocation lists
// and OCSP responses, all DER, for every signature in the file. The contents of
// an earlier store are kept.
func AddDSS(b Base, certs, crls, ocsps [][]byte) (Revision, error) {
	f, err := withoutPages(b)
	if err != nil {
		return Revision{}, err
	}
	room := roomForSyntax
	for _, der := range slices.Concat(certs, crls, ocsps) {
		room += len(der) + len(" 1 0 obj\n<</Length 1000>>\nstream\n\nendstream\nendobj\n")
	}
	u, err := f.update(room)
	if err != nil {
		return Revision{}, err
	}
	if _, ok := f.storeRef(); f.docMDP() == 1 && !ok {
		return Revision{}, fmt.Errorf("%w: certified with no changes allowed", ErrChangesForbidden)
	}
	store := f.storeEntries()
	used := dict{}
	for _, part := range []struct {
		key, vri name
		values   [][]byte
	}{{"Certs", "Cert", certs}, {"CRLs", "CRL", crls}, {"OCSPs", "OCSP", ocsps}} {
		refs := u.addAll(part.values)
		if len(refs) == 0 {
			continue
		}
		used[part.vri] = refs
		store[part.key] = slices.Concat(f.Array(store[part.key]), refs)
	}
	vri := f.Dict(store["VRI"]).Clone()
	for _, c := range f.contents() {
		sum := sha1.Sum(c)
		key := name(strings.ToUpper(hex.EncodeToString(sum[:])))
		vri[key] = f.merged(f.Dict(vri[key]), used)
	}
	if len(vri) > 0 {
		store["VRI"] = vri
	}
	u.putDSS(store)
	return u.revision(b)
}

// merged adds the new items to an entry of the store and keeps the existing
// ones.
func (f *File) merged(entry, more dict) dict {
	out := entry.Clone()
	for k, v := range more {
		out[k] = slices.Concat(f.Array(out[k]), f.Array(v))
	}
	return out
}

// storeRef returns a reference to the security store if that object is nothing
// else: a file may use one object as its font as well, which writing the store
// would destroy.
func (f *File) storeRef() (ref, bool) {
	r, ok := f.Catalog()["DSS"].(ref)
	d, isDict := f.Resolve(r).(dict)
	return r, ok && isDict && storeOnly(d)
}

// storeEntries returns the store to extend, which may be empty.
func (f *File) storeEntries() dict {
	out := dict{"Type": name("DSS")}
	for k, v := range f.Dict(f.Catalog()["DSS"]) {
		if slices.Contains(storeKeys, k) && k != "Type" {
			out[k] = v
		}
	}
	return out
}

// storeKeys are the entries of a security store.
var storeKeys = []name{"Type", "VRI", "Certs", "CRLs", "OCSPs"}

// storeOnly reports whether a dictionary has only entries of a security store,
// which have no meaning elsewhere.
func storeOnly(d dict) bool {
	for k := range d {
		if !slices.Contains(storeKeys, k) {
			return false
		}
	}
	return true
}

func (u *update) addAll(values [][]byte) array {
	var out array
	for _, v := range values {
		out = append(out, u.Add(&object.Stream{Data: v})) // hardly compressible
	}
	return out
}

// putDSS writes the store in the place that Prepare reserved. The catalog
// changes only in a file that was not prepared here.
func (u *update) putDSS(store dict) {
	if r, ok := u.f.storeRef(); ok {
		u.put(r, store)
		return
	}
	catalog := u.f.Catalog().Clone()
	catalog["DSS"] = u.Add(store)
	extensions := u.f.Dict(catalog["Extensions"]).Clone()
	extensions["ESIC"] = dict{"BaseVersion": name("1.7"), "ExtensionLevel": 5}
	catalog["Extensions"] = extensions
	u.put(u.f.RootRef, catalog)
}

// contents returns the Contents, with padding, of every signature in the file.
func (f *File) contents() [][]byte {
	var out [][]byte
	for _, fd := range f.fields() {
		if fd.kind != "Sig" {
			continue
		}
		if c, ok := f.Resolve(f.Dict(fd.value)["Contents"]).(object.String); ok {
			out = append(out, c)
		}
	}
	return out
}

// DSS reads the document security store, which is empty if there is none. Unreadable parts are omitted.
func (f *File) DSS() (DSS, error) {
	d := f.Dict(f.Catalog()["DSS"])
	out := DSS{Certs: f.streams(d["Certs"]), CRLs: f.streams(d["CRLs"]), OCSPs: f.streams(d["OCSPs"])}
	for k, v := range f.Dict(d["VRI"]) {
		out.VRI = append(out.VRI, string(k))
		about := f.Dict(v)
		out.Certs = appendNew(out.Certs, f.streams(about["Cert"]))
		out.CRLs = appendNew(out.CRLs, f.streams(about["CRL"]))
		out.OCSPs = appendNew(out.OCSPs, f.streams(about["OCSP"]))
	}
	slices.Sort(out.VRI)
	return out, f.Fault
}

// DSSAt reads the security store of a revision; revision 0 is the upload.
func (f *File) DSSAt(revision int) (DSS, error) {
	ends, err := f.revisionEnds()
	if err != nil || revision >= len(ends) {
		return DSS{}, err
	}
	older, err := f.viewOf(ends, revision)
	if err != nil {
		return DSS{}, f.Fault // A revision that can't be read has no store; its signatures report that.
	}
	return older.DSS()
}

// With returns the union of two stores.
func (d DSS) With(other DSS) DSS {
	return DSS{
		Certs: appendNew(slices.Clip(d.Certs), other.Certs), CRLs: appendNew(slices.Clip(d.CRLs), other.CRLs),
		OCSPs: appendNew(slices.Clip(d.OCSPs), other.OCSPs),
		VRI:   slices.Compact(slices.Sorted(slices.Values(slices.Concat(d.VRI, other.VRI)))),
	}
}

// streams reads an array of streams. Some producers nest the arrays of a VRI
// entry.
func (f *File) streams(v any) [][]byte { return f.nestedStreams(nil, v, 0) }

func (f *File) nestedStreams(out [][]byte, v any, depth int) [][]byte {
	switch x := f.Resolve(v).(type) {
	case array:
		for _, e := range x {
			if depth < maxNesting {
				out = f.nestedStreams(out, e, depth+1)
			}
		}
	case *reader.Stream:
		if data, err := f.Decode(x); err == nil {
			out = append(out, data)
		}
	}
	return out
}

const maxNesting = 4

// appendNew appends the values that are not in out yet.
func appendNew(out, values [][]byte) [][]byte {
	for _, v := range values {
		if !slices.ContainsFunc(out, func(known []byte) bool { return bytes.Equal(known, v) }) {
			out = append(out, v)
		}
	}
	return out
}
