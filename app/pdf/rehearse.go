package pdf

import (
	"crypto/sha256"
	"encoding"
	"errors"
	"fmt"
	"io"
	"slices"
)

// An object may play several parts in a file: one dictionary can be the form
// and the information at once. Who rewrites it for one part changes the other.
// Prepare gives the part that it changes an object of its own; what it can't
// divide it refuses. To be sure, it goes through all that follows once, without
// keys, and has the result judged: what it accepts can be signed.

// Signable says whether a file can be prepared and signed: the error is that of
// Prepare.
func (f *File) Signable() error {
	_, err := Prepare(Base{Reader: f.r, Size: f.size, HashState: noHash()}, PrepareSpec{
		Signatures:      []SignatureSpec{{Name: "signature", Page: 0, X: 0.1, Y: 0.1, Width: 0.2, Height: 0.1}},
		Certify:         keyless(),
		StripJavaScript: true,
		Title:           "Title",
	})
	return err
}

// keyless is a seal for what is only tried.
func keyless() *Seal {
	return &Seal{Size: 16, Sign: func([]byte) ([]byte, error) { return []byte{0x30, 0}, nil }}
}

// noHash is a state of the hash for what is only tried: the file need not be
// read for it.
func noHash() []byte {
	state, err := sha256.New().(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		return nil
	}
	return state
}

// roles knows which parts the objects of a file play.
type roles struct {
	f *File
	w *walker
}

func newRoles(f *File) *roles {
	return &roles{f: f, w: &walker{graph: newGraph(f), parts: newStructure(f, newPageStructure(f))}}
}

// alone says whether an object plays one part only, and nothing leads to it but
// what does so for this part.
func (r *roles) alone(v any, kinds ...kind) bool {
	at, ok := v.(ref)
	if !ok {
		return false
	}
	places := r.w.parts.of(at.Number)
	if slices.ContainsFunc(places, func(p place) bool { return !slices.Contains(kinds, p.kind) }) {
		return false
	}
	alone := true
	p := &pair{old: r.f, was: r.w.parts, graph: r.w.graph}
	r.w.each(at.Number, func(c route) bool {
		holders := []place{{}}
		if c.holder != 0 {
			holders = r.w.parts.of(c.holder)
		}
		for _, h := range holders {
			alone = alone && (c.child == at.Number && p.edge(h.kind, c.key, places) || p.link(at.Number, places, h, c))
		}
		return alone
	})
	return alone
}

// fillable refuses fields of the upload that are something else as well.
func (p *preparation) fillable() error {
	for _, s := range p.spec.Fields {
		if s.Existing == "" {
			continue
		}
		i := slices.IndexFunc(p.old, func(fd field) bool { return fd.name == s.Existing })
		if i < 0 {
			continue
		}
		fd := &p.old[i]
		for _, w := range append([]widget{{fd.ref, fd.dict}}, fd.widgets...) {
			if !p.roles.alone(w.ref, kindField, kindWidget, kindAnnotation) {
				return fmt.Errorf("%w: field %s", ErrTwoRoles, s.Existing)
			}
		}
	}
	return nil
}

// A continuation is a file with something appended to it.
type continuation struct {
	base io.ReaderAt
	size int64
	tail []byte
}

// ReadAt is part of io.ReaderAt.
func (c *continuation) ReadAt(b []byte, at int64) (int, error) {
	n := 0
	if at < c.size {
		var err error
		n, err = c.base.ReadAt(b[:min(int64(len(b)), c.size-at)], at)
		if err != nil && !(errors.Is(err, io.EOF) && at+int64(n) == c.size) {
			return n, err
		}
	}
	if n < len(b) {
		from := at + int64(n) - c.size
		if from >= int64(len(c.tail)) {
			return n, io.EOF
		}
		n += copy(b[n:], c.tail[from:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// rehearse goes through all that follows a preparation and has it judged.
func (p *preparation) rehearse(b Base, r Revision) error {
	c := &continuation{base: b.Reader, size: b.Size, tail: slices.Clone(r.Bytes)}
	state := r.HashState
	base := func() Base { return Base{Reader: c, Size: c.size + int64(len(c.tail)), HashState: state} }
	add := func(next Revision, err error) error {
		if err != nil {
			return rehearsalError(err)
		}
		c.tail, state = append(c.tail, next.Bytes...), next.HashState
		return nil
	}
	seal := *keyless()
	for _, s := range p.rehearsed() {
		if err := add(Sign(base(), SignSpec{Field: s.Name, Seal: seal, Values: p.sampleValues(s.Name)})); err != nil {
			return err
		}
	}
	if err := add(AddDSS(base(), [][]byte{{0x30, 0}}, nil, nil)); err != nil {
		return err
	}
	if err := add(Timestamp(base(), p.spec.Timestamp, seal.Size, seal.Sign)); err != nil {
		return err
	}
	return p.applaud(c)
}

// maxRehearsed is how many signatures are rehearsed: each reads the file again,
// so that the time would grow with the square of their number.
const maxRehearsed = 16

// rehearsed chooses the signatures to rehearse. Those whose signatories fill in
// fields of the upload come first; the others write new objects only and are
// alike.
func (p *preparation) rehearsed() []SignatureSpec {
	all := slices.Clone(p.spec.Signatures)
	fills := map[string]bool{}
	for _, f := range p.spec.Fields {
		fills[f.Owner] = fills[f.Owner] || f.Existing != ""
	}
	slices.SortStableFunc(all, func(a, b SignatureSpec) int {
		switch {
		case fills[a.Name] == fills[b.Name]:
			return 0
		case fills[a.Name]:
			return -1
		}
		return 1
	})
	return all[:min(len(all), maxRehearsed)]
}

// rehearsalError tells what can't be signed from what can't be read.
func rehearsalError(err error) error {
	for _, known := range []error{ErrTooComplex, ErrChangesForbidden, ErrLocked} {
		if errors.Is(err, known) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", ErrTwoRoles, err)
}

// sampleValues fills in the fields of the upload that are a signatory's.
func (p *preparation) sampleValues(owner string) []FieldValue {
	var out []FieldValue
	for _, s := range p.spec.Fields {
		i := slices.IndexFunc(p.old, func(fd field) bool { return fd.name == s.Existing })
		if s.Existing == "" || s.Owner != owner || i < 0 {
			continue
		}
		switch fd := &p.old[i]; {
		case fd.kind == "Tx", fd.kind == "Ch":
			out = append(out, FieldValue{Name: s.Existing, Text: "1"})
		case fd.kind == "Btn" && fd.flags&(flagPushbutton|flagRadio) == 0 && p.f.onState(fd.widgets[0].dict) != "":
			out = append(out, FieldValue{Name: s.Existing, Checked: true})
		}
	}
	return out
}

// headroom sees that the limits leave room for the signatures that were not
// rehearsed, and for the timestamps of later years.
func (p *preparation) headroom(f *File) error {
	const laterSections, objectsEach = 20, 4
	rest := len(p.spec.Signatures) - len(p.rehearsed())
	if len(f.sections)+rest+laterSections > f.limits.Sections {
		return f.over("more than %d cross-reference sections", f.limits.Sections)
	}
	if f.xref.count+objectsEach*(rest+len(p.spec.Fields)+laterSections) > f.limits.Objects {
		return f.over("more than %d objects", f.limits.Objects)
	}
	return nil
}

// applaud judges a rehearsal. Signatures of the upload that were broken before
// may be so afterwards.
func (p *preparation) applaud(c *continuation) error {
	f, err := Open(c, c.size+int64(len(c.tail)))
	if err != nil {
		return rehearsalError(err)
	}
	if err := p.headroom(f); err != nil {
		return err
	}
	after, err := f.Signatures()
	if err != nil {
		return err
	}
	broken := map[string]bool{}
	if p.signed {
		before, err := p.f.Signatures()
		if err != nil {
			return err
		}
		for _, s := range before {
			broken[s.Field] = !s.Sound()
		}
	}
	for _, s := range after {
		if s.Sound() || broken[s.Field] {
			continue
		}
		return fmt.Errorf("%w: %s would not be sound: %s", ErrTwoRoles, s.Field, s.complaint())
	}
	return nil
}

// complaint names the first thing that is wrong with a signature.
func (s Signature) complaint() string {
	for _, p := range s.Problems {
		return p.Code
	}
	for _, u := range s.Later {
		for _, c := range u.Changes {
			if !c.Permitted {
				return fmt.Sprintf("%s %s%s (%s, object %d)", c.Kind, c.Field, c.Key, c.Rule, c.Object)
			}
		}
	}
	return ""
}
