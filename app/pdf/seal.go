package pdf

import (
	"bytes"
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
			return s.fill(h, cms)
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
	body, err := object.Append(nil, d)
	if err != nil {
		return sealed{}, err
	}
	body = append(bytes.TrimSuffix(body, []byte(">>")), "/ByteRange "...)
	byteRange := len(body)
	body = append(append(body, placeholder...), "/Contents "...)
	from := len(body)
	body = slices.Grow(append(body, '<'), 2*size+len(">>>"))
	for range 2 * size {
		body = append(body, '0')
	}
	body = append(body, '>')
	to := len(body)
	body = append(body, ">>"...)
	u.put(r, object.Raw(body))
	start := len(u.out) - len("\nendobj\n") - len(body)
	out, err := u.finish()
	if err != nil {
		return sealed{}, err
	}
	s := sealed{out: out, from: start + from, to: start + to}
	gap, rest := u.f.Size+int64(s.from), u.f.Size+int64(s.to)
	text := fmt.Sprintf("[0 %d %d %d]", gap, rest, len(out)-s.to)
	if len(text) > len(placeholder) {
		return sealed{}, reader.TooComplex("too large to be signed")
	}
	copy(out[start+byteRange:], fmt.Sprintf("%-*s", len(placeholder), text))
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

func (s sealed) fill(base hash.Hash, cms []byte) (Revision, error) {
	hex.Encode(s.out[s.from+1:], cms)
	base.Write(s.out)
	return newRevision(s.out, base)
}
