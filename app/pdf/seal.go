package pdf

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"

	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// placeholder reserves space for three numbers of ten digits.
const placeholder = "[0 0000000000 0000000000 0000000000]"

// signatureDict returns a new signature dictionary (ISO 32000-2 §12.8.1, EN 319 142-1 §5.4).
func signatureDict(s Seal) dict {
	d := dict{"Type": name("Sig"), "Filter": name("Adobe.PPKLite"), "SubFilter": name("ETSI.CAdES.detached")}
	if !s.At.IsZero() {
		d["M"] = object.DateString(s.At)
	}
	for key, text := range map[name]string{
		"Name": s.Name, "Reason": s.Reason, "Location": s.Location, "ContactInfo": s.ContactInfo,
	} {
		if text != "" {
			d[key] = object.TextString(text)
		}
	}
	return d
}

func timestampDict() dict {
	return dict{"Type": name("DocTimeStamp"), "Filter": name("Adobe.PPKLite"), "SubFilter": name("ETSI.RFC3161")}
}

// transform returns one entry of a signature's Reference array.
func transform(method name, params dict) dict {
	params["Type"], params["V"] = name("TransformParams"), name("1.2")
	return dict{"Type": name("SigRef"), "TransformMethod": method, "TransformParams": params}
}

// seal writes d as signature object r, finishes the revision and signs it. If
// the reserved space turns out too small, it retries once.
func (u *update) seal(b Base, r ref, d dict, size int, sign SignFunc) (Revision, error) {
	if sign == nil {
		return Revision{}, fmt.Errorf("%w: no function to sign with", ErrSpec)
	}
	h, err := b.hash()
	if err != nil {
		return Revision{}, err
	}
	length, next := len(u.out), u.next
	for range 2 {
		s, err := u.place(r, d, size)
		if err != nil {
			return Revision{}, err
		}
		cms, err := s.sign(h, sign)
		if err != nil {
			return Revision{}, err
		}
		if len(cms) <= size {
			s.fill(cms)
			h.Write(s.out)
			return u.finished(s.out, h)
		}
		size = len(cms) + len(cms)/10
		u.out, u.next = u.out[:length], next
		delete(u.offsets, next) // the cross-reference stream of the first attempt
	}
	return Revision{}, ErrTooLarge
}

// A sealed is a finished revision whose Contents still consists of zeros.
type sealed struct {
	out      []byte
	from, to int // range of Contents in out, including angle brackets
}

// place writes the signature object with room for size bytes, and the end of
// the revision. The object is plain text in a fixed order, so positions in it
// are known by construction and need no search.
func (u *update) place(r ref, d dict, size int) (sealed, error) {
	var byteRange int
	var s sealed
	u.write(r, func(out []byte) ([]byte, error) {
		out, err := object.Append(out, d)
		out = append(bytes.TrimSuffix(out, []byte(">>")), "/ByteRange "...)
		byteRange = len(out)
		out = append(append(out, placeholder...), "/Contents "...)
		s.from = len(out)
		out = slices.Grow(append(out, '<'), 2*size+len(">>>"))
		for range 2 * size {
			out = append(out, '0')
		}
		out = append(out, '>')
		s.to = len(out)
		return append(out, ">>"...), err
	})
	out, err := u.finish()
	if err != nil {
		return sealed{}, err
	}
	s.out = out
	gap, rest := u.f.Size+int64(s.from), u.f.Size+int64(s.to)
	text := fmt.Sprintf("[0 %d %d %d]", gap, rest, len(out)-s.to)
	if len(text) > len(placeholder) {
		return sealed{}, reader.TooComplex("too large to be signed")
	}
	copy(out[byteRange:], fmt.Sprintf("%-*s", len(placeholder), text))
	return s, nil
}

func (s sealed) sign(base hash.Hash, sign SignFunc) ([]byte, error) {
	h, err := base.(hash.Cloner).Clone()
	if err != nil {
		return nil, fmt.Errorf("hash state: %w", err)
	}
	h.Write(s.out[:s.from])
	h.Write(s.out[s.to:])
	cms, err := sign(h.Sum(nil))
	if err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	return cms, nil
}

func (s sealed) fill(cms []byte) { hex.Encode(s.out[s.from+1:], cms) }

// Timestamp appends a document timestamp (ETSI.RFC3161, EN 319 142-1 §5.4.3)
// with room for size bytes, in the field that Prepare made; field "" means the
// default one. If that is already used, another invisible field is added, so
// that a file can be stamped again years later.
func Timestamp(b Base, field string, size int, token SignFunc) (Revision, error) {
	f, err := b.open()
	if err != nil {
		return Revision{}, err
	}
	u, err := f.update(roomForSyntax + 2*size)
	if err != nil {
		return Revision{}, err
	}
	n := f.names()
	fd := n.find(cmp.Or(field, timestampField))
	if fd != nil && fd.Kind != "Sig" {
		return Revision{}, fmt.Errorf("%w: %s is not a signature field", ErrFieldType, field)
	}
	signature := u.reserve()
	if fd != nil && fd.Value == nil {
		d := fd.Dict.Clone()
		d["V"] = signature
		u.put(fd.Ref, d)
	} else if err := u.addTimestampField(n, signature); err != nil {
		return Revision{}, err
	}
	return u.seal(b, signature, timestampDict(), size, token)
}

// addTimestampField adds an invisible signature field to the first page.
func (u *update) addTimestampField(n names, signature ref) error {
	f := u.f
	if f.DocMDP() == 1 {
		return fmt.Errorf("%w: certified with no changes allowed", ErrChangesForbidden)
	}
	page, err := f.FirstPage()
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
	pd := f.Dict(page.Ref).Clone()
	pd["Annots"] = append(slices.Clone(f.Array(pd["Annots"])), r)
	u.put(page.Ref, pd)
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
