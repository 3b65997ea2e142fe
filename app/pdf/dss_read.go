package pdf

import (
	"bytes"
	"paraph/app/pdf/reader"
	"slices"
)

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
