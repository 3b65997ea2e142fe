package pdf

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"paraph/app/pdf/object"
)

// AddDSS appends a document security store with certificates, revocation lists
// and OCSP responses, all DER, for every signature in the file. The contents of
// an earlier store are kept.
func AddDSS(b Base, certs, crls, ocsps [][]byte) (Revision, error) {
	f, err := b.open()
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
	if _, ok := f.storeRef(); f.DocMDP() == 1 && !ok {
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
	for _, fd := range f.Fields() {
		if fd.Kind != "Sig" {
			continue
		}
		if c, ok := f.Resolve(f.Dict(fd.Value)["Contents"]).(object.String); ok {
			out = append(out, c)
		}
	}
	return out
}
