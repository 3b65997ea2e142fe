package pdf

import (
	"fmt"
	"slices"
)

// Timestamp appends a document timestamp (ETSI.RFC3161, EN 319 142-1 §5.4.3)
// with room for size bytes, in the field that Prepare made; field "" is the
// default one. Where that is already used, so that a file can be stamped again
// years later, one more invisible field is added.
func Timestamp(b Base, field string, size int, token SignFunc) (Revision, error) {
	f, err := DefaultLimits().read(b.Reader, b.Size)
	if err != nil {
		return Revision{}, err
	}
	u, err := f.update()
	if err != nil {
		return Revision{}, err
	}
	n := f.names()
	fd := n.find(cmpOr(field, timestampField))
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

// addTimestampField puts one more invisible signature field on the first page.
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
	pd := f.dict(page.ref).Clone()
	pd["Annots"] = append(slices.Clone(f.array(pd["Annots"])), r)
	u.put(page.ref, pd)
	u.addToForm(r)
	return u.err
}

// addToForm adds a field to the form, which is made where there is none.
func (u *update) addToForm(r ref) {
	form := u.f.form().Clone()
	form["Fields"] = append(slices.Clone(u.f.array(form["Fields"])), r)
	form["SigFlags"] = 3
	catalog := u.f.catalog().Clone()
	if at, ok := catalog["AcroForm"].(ref); ok {
		u.put(at, form)
		return
	}
	catalog["AcroForm"] = u.Add(form)
	u.put(u.f.rootRef, catalog)
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
