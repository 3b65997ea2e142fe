package document

import (
	"bytes"
	"slices"

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

// DSS reads the document security store, which is empty if there is none. Unreadable parts are omitted.
func (f *File) DSS() (DSS, error) {
	d := f.Dict(f.Catalog()["DSS"])
	out := DSS{Certs: f.Streams(d["Certs"]), CRLs: f.Streams(d["CRLs"]), OCSPs: f.Streams(d["OCSPs"])}
	for k, v := range f.Dict(d["VRI"]) {
		out.VRI = append(out.VRI, string(k))
		about := f.Dict(v)
		out.Certs = appendNew(out.Certs, f.Streams(about["Cert"]))
		out.CRLs = appendNew(out.CRLs, f.Streams(about["CRL"]))
		out.OCSPs = appendNew(out.OCSPs, f.Streams(about["OCSP"]))
	}
	slices.Sort(out.VRI)
	return out, f.Fault
}

// DSSAt reads the security store of a revision; revision 0 is the upload.
func (f *File) DSSAt(revision int) (DSS, error) {
	ends, err := f.RevisionEnds()
	if err != nil || revision >= len(ends) {
		return DSS{}, err
	}
	older, err := f.ViewOf(ends, revision)
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

// Streams reads an array of streams. Some producers nest the arrays of a VRI
// entry.
func (f *File) Streams(v any) [][]byte { return f.nestedStreams(nil, v, 0) }

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
