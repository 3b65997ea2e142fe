package pdf

import (
	"crypto/sha256"
	"encoding"
	"errors"
	"fmt"
	"slices"
	"sync"

	"paraph/app/pdf/document"
	"paraph/app/pdf/reader"
	"paraph/app/pdf/verify"
)

// An object may have several roles in a file: one dictionary can be both the
// form and the information dictionary, so rewriting it for one role changes the
// other. Prepare creates a separate object for the role it changes and refuses
// what it can't separate. To be sure, it performs all later steps once, without
// keys, and checks the result: a file it accepts can be signed.

// Signable checks whether a file from Open can be prepared and signed, wherever fields are placed, and
// returns the error that Prepare would return. On a signed file, fields may not hide what somebody has
// signed with, so that it depends on their places.
func (f *File) Signable() error {
	spec := PrepareSpec{
		Signatures:      []SignatureSpec{{Name: "signature", Page: 0, X: 0.1, Y: 0.1, Width: 0.2, Height: 0.1}},
		Certify:         keyless(),
		StripJavaScript: true,
		Title:           "Title",
	}
	if slices.ContainsFunc(f.Fields(), func(fd document.Field) bool { return fd.Kind == "Sig" && f.Dict(fd.Value) != nil }) {
		spec.Signatures[0].Page = -1
	} else {
		for n := range f.Pages() {
			spec.Fields = append(spec.Fields, FieldSpec{Name: fmt.Sprint("page", n), Type: FieldStamp, Page: n, X: 0.1, Y: 0.3, Width: 0.2, Height: 0.1})
		}
	}
	p, err := prepared(f, spec)
	if err != nil {
		return err
	}
	return p.rehearse(Base{Reader: f.R, Size: f.Size})
}

// keyless returns a seal for rehearsals.
func keyless() *Seal {
	return &Seal{Size: 16, Sign: func([]byte) ([]byte, error) { return []byte{0x30, 0}, nil }}
}

// noHash returns a hash state for rehearsals, so that the file need not be read
// to compute it.
func noHash() []byte {
	state, err := sha256.New().(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		return nil
	}
	return state
}

// fillable returns an error if a field of the upload has another role.
func (p *preparation) fillable() error {
	for _, s := range p.spec.Fields {
		if s.Existing == "" {
			continue
		}
		i := slices.IndexFunc(p.old, func(fd document.Field) bool { return fd.Name == s.Existing })
		if i < 0 {
			continue
		}
		fd := &p.old[i]
		for _, w := range append([]document.Widget{{Ref: fd.Ref, Dict: fd.Dict}}, fd.Widgets...) {
			if !p.roles.Alone(w.Ref, verify.KindField, verify.KindWidget, verify.KindAnnotation) {
				return fmt.Errorf("%w: field %s", ErrTwoRoles, s.Existing)
			}
		}
	}
	return nil
}

// rehearsal performs once, without keys, the steps that follow a preparation.
type rehearsal struct {
	f      *File // the upload
	spec   PrepareSpec
	old    []document.Field // of the upload
	signed bool             // reports that the upload is
}

// run performs all steps and judges the result.
func (h rehearsal) run(b Base, r Revision) error {
	c := NewChain(b)
	c.Add(r)
	add := func(next Revision, err error) error {
		if err != nil {
			return rehearsalError(err)
		}
		c.Add(next)
		return nil
	}
	seal := *keyless()
	for _, s := range h.chosen() {
		if err := add(Sign(c.Base(), SignSpec{Field: s.Name, Seal: seal, Values: h.sampleValues(s.Name)})); err != nil {
			return err
		}
	}
	if err := add(AddDSS(c.Base(), [][]byte{{0x30, 0}}, nil, nil)); err != nil {
		return err
	}
	if err := add(Timestamp(c.Base(), h.spec.Timestamp, seal.Size, seal.Sign)); err != nil {
		return err
	}
	return h.judge(c.Base())
}

// Rehearsals remembers which rehearsals succeeded. Documents made from a template have the same
// upload, and what is added to it differs only in texts and in names, on which the later steps
// don't depend. The zero value is ready for use, and safe for concurrent use.
type Rehearsals struct {
	mu     sync.Mutex
	passed [1024][sha256.Size]byte
	next   int // the oldest
	known  map[[sha256.Size]byte]bool
}

// once rehearses, unless that succeeded before with the same file and the same arrangement.
func (r *Rehearsals) once(s *PrepareSpec, rehearse func() error) error {
	if r == nil || s.Content == "" {
		return rehearse()
	}
	key := s.arrangement()
	r.mu.Lock()
	known := r.known[key]
	r.mu.Unlock()
	if known {
		return nil
	}
	if err := rehearse(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[[sha256.Size]byte]bool{}
	}
	delete(r.known, r.passed[r.next])
	r.passed[r.next], r.known[key] = key, true
	r.next = (r.next + 1) % len(r.passed)
	return nil
}

// arrangement identifies the file and all that a rehearsal depends on. Of names, it matters only
// which are the same.
func (s *PrepareSpec) arrangement() (key [sha256.Size]byte) {
	numbers := map[string]int{}
	number := func(name string) int {
		if _, ok := numbers[name]; !ok {
			numbers[name] = len(numbers)
		}
		return numbers[name]
	}
	h := sha256.New()
	add := func(values ...any) { fmt.Fprintf(h, "%#v\n", values) }
	add(s.Content, s.Certify != nil, s.PlainFont != nil, s.AppendPages != nil, s.Timestamp, s.Language, s.Title != "",
		s.StripJavaScript, s.StripEmbeddedFiles, len(s.Attachments), len(s.Signatures), len(s.Fields), s.Covers)
	for _, x := range s.Signatures {
		add(number(x.Name), x.Page, x.X, x.Y, x.Width, x.Height)
		for _, lock := range x.Locks {
			add(number(lock))
		}
	}
	for _, x := range s.Fields {
		add(number(x.Name), number(x.Owner), number(x.Group), x.Existing, len(x.Options), x.Value != "", x.Appearance != nil)
		x.Name, x.Owner, x.Group, x.Label, x.Value, x.Appearance, x.Options = "", "", "", "", "", nil, nil
		add(x)
	}
	h.Sum(key[:0])
	return key
}

// maxRehearsed is the maximum number of signatures rehearsed: each one reads
// the file again, so the time would grow with the square of their number.
const maxRehearsed = 16

// chosen returns the signatures to rehearse. Those whose signatories fill in
// fields of the upload come first; the others only write new objects and are
// alike.
func (h rehearsal) chosen() []SignatureSpec {
	all := slices.Clone(h.spec.Signatures)
	fills := map[string]bool{}
	for _, f := range h.spec.Fields {
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

// rehearsalError separates files that can't be signed from those that can't be
// read.
func rehearsalError(err error) error {
	for _, known := range []error{reader.ErrTooComplex, ErrChangesForbidden, ErrLocked} {
		if errors.Is(err, known) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", ErrTwoRoles, err)
}

// sampleValues returns sample values for the fields of the upload that belong
// to a signatory.
func (h rehearsal) sampleValues(owner string) []FieldValue {
	var out []FieldValue
	for _, s := range h.spec.Fields {
		i := slices.IndexFunc(h.old, func(fd document.Field) bool { return fd.Name == s.Existing })
		if s.Existing == "" || s.Owner != owner || i < 0 {
			continue
		}
		switch fd := &h.old[i]; {
		case fd.Kind == "Tx", fd.Kind == "Ch":
			out = append(out, FieldValue{Name: s.Existing, Text: "1"})
		case fd.Kind == "Btn" && fd.Flags&(document.FlagPushbutton|document.FlagRadio) == 0 && h.f.OnState(fd.Widgets[0].Dict) != "":
			out = append(out, FieldValue{Name: s.Existing, Checked: true})
		}
	}
	return out
}

// headroom checks that the limits leave room for the signatures that were not
// rehearsed and for the timestamps of later years.
func (h rehearsal) headroom(f *File) error {
	const laterSections, objectsEach = 20, 4
	rest := len(h.spec.Signatures) - len(h.chosen())
	if len(f.Sections)+rest+laterSections > f.Limits.Sections {
		return f.Over("more than %d cross-reference sections", f.Limits.Sections)
	}
	if f.Xref.Count+objectsEach*(rest+len(h.spec.Fields)+laterSections) > f.Limits.Objects {
		return f.Over("more than %d objects", f.Limits.Objects)
	}
	return nil
}

// judge checks the result of a rehearsal. Signatures of the upload that
// were broken before may remain broken.
func (h rehearsal) judge(b Base) error {
	f, err := Open(b.Reader, b.Size)
	if err != nil {
		return rehearsalError(err)
	}
	if err := h.headroom(f); err != nil {
		return err
	}
	after, err := verify.Signatures(f.File)
	if err != nil {
		return err
	}
	broken := map[string]bool{}
	if h.signed {
		before, err := verify.Signatures(h.f.File)
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
		return fmt.Errorf("%w: %s would not be sound: %s", ErrTwoRoles, s.Field, s.FirstFault())
	}
	return nil
}
