package pdf

import (
	"cmp"
	"fmt"
	"slices"
)

// Timestamp appends a document timestamp (ETSI.RFC3161, EN 319 142-1 §5.4.3)
// with room for size bytes, in the field that Prepare made; field "" means the
// default one. If that is already used, another invisible field is added, so
// that a file can be stamped again years later.
func Timestamp(b Base, field string, size int, token SignFunc) (Revision, error) {
	f, err := withoutPages(b.Reader, b.Size)
	if err != nil {
		return Revision{}, err
	}
	u, err := f.update()
	if err != nil {
		return Revision{}, err
	}
	n := f.names()
	fd := n.find(cmp.Or(field, timestampField))
	if fd != nil && fd.kind != "Sig" {
		return Revision{}, fmt.Errorf("%w: %s is not a signature field", ErrFieldType, field)
	}
	signature := u.reserve()
	if fd != nil && fd.value == nil {
		d := fd.dict.Clone()
		d["V"] = signature
		u.put(fd.ref, d)
	} else if err := u.addTimestampField(n, signature); err != nil {
		return Revision{}, err
	}
	return u.seal(b, signature, timestampDict(), size, token)
}

// addTimestampField adds an invisible signature field to the first page.
func (u *update) addTimestampField(n names, signature ref) error {
	f := u.f
	if f.docMDP() == 1 {
		return fmt.Errorf("%w: certified with no changes allowed", ErrChangesForbidden)
	}
	page, err := f.firstPage()
	if err != nil {
		return err
	}
	prefix, full := n.prefix, ""
	for i := 2; ; i++ {
		full = fmt.Sprintf("%s%s_%d", prefix, timestampField, i)
		if n.byName[full] == nil {
			break
		}
	}
	d := u.hidden(full, page)
	d["V"] = signature
	r := u.Add(d)
	pd := f.Dict(page.ref).Clone()
	pd["Annots"] = append(slices.Clone(f.Array(pd["Annots"])), r)
	u.put(page.ref, pd)
	u.addToForm(r)
	return u.err
}

// addToForm adds a field to the form, which is created if missing.
func (u *update) addToForm(r ref) {
	form := u.f.Form().Clone()
	form["Fields"] = append(slices.Clone(u.f.Array(form["Fields"])), r)
	form["SigFlags"] = 3
	catalog := u.f.Catalog().Clone()
	if at, ok := catalog["AcroForm"].(ref); ok {
		u.put(at, form)
		return
	}
	catalog["AcroForm"] = u.Add(form)
	u.put(u.f.RootRef, catalog)
}

// firstPage finds the first page without walking the others.
func (f *File) firstPage() (Page, error) {
	var first Page
	err := f.eachPage(func(r ref, _ dict, in inherited) error {
		first = f.page(r, in)
		return errStop
	})
	if err == errStop {
		err = nil
	}
	return first, err
}
