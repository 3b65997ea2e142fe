package pdf

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"paraph/app/pdf/digest"
	"paraph/app/pdf/object"
)

// A Signature is one signature or document timestamp, as far as its structure
// tells. Whether it is cryptographically good is for others to say, from CMS
// and WriteSigned.
type Signature struct {
	Field string // full name
	// Unreadable says that there is a signature which can't be read: it counts
	// as a broken one. Problems says why.
	Unreadable bool
	SubFilter  string
	Timestamp  bool // a document timestamp (ETSI.RFC3161)
	// Mistyped says that a document timestamp calls itself a signature: other
	// verifiers do not count it (ISO 32000-2 table 258 wants DocTimeStamp).
	Mistyped  bool
	ByteRange []int64
	Contents  []byte // as stored, with padding
	CMS       []byte // without padding
	// End is where the signed revision ends in the file; Revision is its
	// number, 0 being the upload; Whole says that nothing follows it.
	End      int64
	Revision int
	Whole    bool
	// Certifies is the DocMDP level that it sets, or 0; Lock what it locks.
	Certifies int
	Lock      *Lock
	// What the signature dictionary claims.
	Name, Reason, Location, ContactInfo string
	At                                  time.Time
	// Problems is what is wrong with the structure. A signature with one must
	// not be called valid, whatever the cryptography says.
	Problems []Problem
	// Later is what was changed after it, revision by revision. Unjudged says
	// that the revisions cannot be told apart.
	Later    []Update
	Unjudged bool

	level int    // DocMDP, that of the field's lock included
	locks []Lock // all that it locks, that of its field included
	// signed reads the file for all of its signatures.
	signed *digest.Beginnings
}

// Sound says whether the structure is in order and nothing was changed
// afterwards that was not permitted.
func (s Signature) Sound() bool {
	return len(s.Problems) == 0 && !slices.ContainsFunc(s.Later, func(u Update) bool { return !u.Permitted() })
}

// WriteSigned writes the signed bytes, to a hash as a rule.
func (s Signature) WriteSigned(w io.Writer) error {
	if len(s.ByteRange) != 4 {
		return damaged("byte range")
	}
	if err := s.signed.Write(w, s.ByteRange[1]); err != nil {
		return err
	}
	return s.signed.Copy(w, s.ByteRange[2], s.ByteRange[2]+s.ByteRange[3])
}

// Signatures examines all signatures in the order of the revisions that they
// end. One that can't be read is among them, as a broken one, and so is one that
// an earlier revision had. The error is ErrTooComplex, one of reading, or that of
// the context: then the signatures that the newest revision has come along,
// unless that was too early to know them, and none is judged.
func (f *File) Signatures() ([]Signature, error) {
	out, err := f.examined()
	if err != nil && f.stopped() == nil {
		return nil, err
	}
	var ends []int64
	for i := range out {
		if len(out[i].ByteRange) == 4 {
			ends = append(ends, out[i].ByteRange[1])
		}
	}
	signed := digest.New(f.r, ends, f.stopped)
	for i := range out {
		out[i].signed = signed
	}
	return out, err
}

func (f *File) examined() ([]Signature, error) {
	out := f.attached()
	if f.fault != nil {
		return nil, f.fault
	}
	slices.SortStableFunc(out, byEnd)
	lost := &search{kept: slices.Clone(out)}
	g, err := f.compareRevisions(out, lost)
	if err != nil {
		return out, err
	}
	if f.recovered {
		return out, f.fault
	}
	if err := lost.outside(f); err != nil {
		return out, err
	}
	out = append(out, lost.out...)
	out = append(out, f.detached(g, out)...)
	if f.twoFiles() {
		for i := range out {
			out[i].problem(ProblemHybrid)
		}
	}
	slices.SortStableFunc(out, byEnd)
	return out, nil
}

func byEnd(a, b Signature) int { return cmp.Compare(a.End, b.End) }

// attached lists the signatures that the fields of the newest revision have.
func (f *File) attached() []Signature {
	var out []Signature
	for _, fd := range f.fields() {
		switch d := f.dict(fd.value); {
		case d != nil && (fd.kind == "Sig" || isSignature(f, d)):
			s := f.signature(fd, d)
			if fd.kind != "Sig" {
				s.problem(ProblemDetached)
			}
			out = append(out, s)
		case fd.kind == "Sig" && d == nil && f.present(fd.value):
			out = append(out, f.unreadable(fd.name))
		}
	}
	for _, r := range f.lostFields {
		out = append(out, f.unreadable(fmt.Sprintf("%d", r.Number)))
	}
	return out
}

// present says whether v is something, be it readable or not: an object that
// does not exist is null.
func (f *File) present(v any) bool {
	if r, ok := v.(ref); ok {
		return f.xref.get(r.Number).kind >= entryPlain && !f.isNull(r)
	}
	return v != nil
}

// isNull says whether an object reads as null.
func (f *File) isNull(r ref) bool {
	o, err := f.load(r.Number)
	return err == nil && o.value == nil
}

func (f *File) unreadable(name string) Signature {
	s := Signature{Field: name, Unreadable: true, End: f.size}
	s.problem(ProblemUnreadable)
	return s
}

// isSignature says whether a dictionary is a signature, whatever it is called.
func isSignature(f *File, d dict) bool {
	_, ranged := f.resolve(d["ByteRange"]).(array)
	_, valued := f.resolve(d["Contents"]).(object.String)
	return ranged && valued
}

// A search looks through earlier revisions for signatures that the newest one
// does not have any more.
type search struct {
	kept, out []Signature
}

func (s *search) in(older *File, rev int) {
	for _, fd := range older.fields() {
		d := older.dict(fd.value)
		c, _ := older.resolve(d["Contents"]).(object.String)
		same := func(s Signature) bool { return bytes.Equal(s.Contents, c) }
		if fd.kind != "Sig" || len(c) == 0 || slices.ContainsFunc(s.kept, same) || slices.ContainsFunc(s.out, same) {
			continue
		}
		lost := older.signature(fd, d)
		lost.Revision = rev
		lost.problem(ProblemRemoved)
		s.out = append(s.out, lost)
	}
}

// outside looks in all places where a revision may have ended that is none of
// the file any more.
func (s *search) outside(f *File) error {
	ends, err := f.otherEnds()
	if err != nil {
		return err
	}
	for i := len(ends) - 1; i >= 0; i-- {
		if older, err := f.view(ends[i].at); err == nil {
			s.in(older, ends[i].revision)
		}
	}
	return f.fault
}

// detached gives signatures that no field leads to. Usage rights (ISO 32000-2
// §12.8.2.3) are none of a person.
func (f *File) detached(g *graph, known []Signature) []Signature {
	if g == nil {
		g = newGraph(f)
	}
	perms := f.dict(f.catalog()["Perms"])
	var out []Signature
	for _, n := range slices.Sorted(maps.Keys(g.signatures)) {
		d := f.dict(ref{Number: n})
		c, _ := f.resolve(d["Contents"]).(object.String)
		same := func(s Signature) bool { return bytes.Equal(s.Contents, c) }
		rights := mentions(perms["UR"], n) || mentions(perms["UR3"], n)
		if !isSignature(f, d) || rights || slices.ContainsFunc(known, same) || slices.ContainsFunc(out, same) {
			continue
		}
		s := f.signature(field{name: fmt.Sprintf("%d", n), value: ref{Number: n}}, d)
		s.problem(ProblemDetached)
		out = append(out, s)
	}
	return out
}

func (f *File) signature(fd field, d dict) Signature {
	s := Signature{
		Field: fd.name, SubFilter: string(f.name(d["SubFilter"])),
		Name: f.text(d["Name"]), Reason: f.text(d["Reason"]), Location: f.text(d["Location"]),
		ContactInfo: f.text(d["ContactInfo"]), Certifies: f.level(d),
	}
	s.Timestamp = s.SubFilter == "ETSI.RFC3161" || f.name(d["Type"]) == "DocTimeStamp"
	s.Mistyped = s.Timestamp && d["Type"] != nil && f.name(d["Type"]) != "DocTimeStamp"
	if m, ok := f.resolve(d["M"]).(object.String); ok {
		s.At, _ = m.Date()
	}
	f.restrictions(&s, fd, d)
	for _, v := range f.array(d["ByteRange"]) {
		n, ok := f.int(v)
		if !ok {
			n = -1
		}
		s.ByteRange = append(s.ByteRange, n)
	}
	s.Contents, _ = f.resolve(d["Contents"]).(object.String)
	s.CMS = trimDER(s.Contents)
	f.checkRange(&s, fd)
	return s
}

// restrictions reads what a signature forbids: by its transforms and, for
// writers that leave those out, by the lock of its field (ISO 32000-2 §12.7.5.5).
func (f *File) restrictions(s *Signature, fd field, d dict) {
	lock := f.dict(fd.dict["Lock"])
	s.level = f.level(d)
	if p, ok := f.int(lock["P"]); ok && s.level == 0 && p >= 1 && p <= 3 {
		s.level = int(p)
	}
	if lock["Action"] != nil {
		s.locks = append(s.locks, *f.lock(lock))
	}
	for _, params := range f.transforms(d, "FieldMDP") {
		if s.Lock = f.lock(params); s.Lock != nil {
			s.locks = append(s.locks, *s.Lock)
		}
	}
}

// trimDER cuts off the zeros behind a DER value. Indefinite length (BER) keeps
// all: its reader finds the end.
func trimDER(b []byte) []byte {
	if len(b) < 2 || b[1] == 0x80 {
		return b
	}
	if b[1] < 0x80 {
		return b[:min(len(b), 2+int(b[1]))]
	}
	n := int(b[1] & 0x7F)
	if n > 4 || len(b) < 2+n {
		return b
	}
	length := 0
	for _, c := range b[2 : 2+n] {
		length = length<<8 | int(c)
	}
	return b[:min(len(b), 2+n+length)]
}

// A Problem is a fault in the structure of a signature.
type Problem struct {
	Code string // a stable word
}

// Codes of problems. The names of the attacks are those of "Processing
// Dangerous Paths", "1 Trillion Dollar Refund" and "Shadow Attacks".
const (
	ProblemUnreadable   = "unreadable"      // the signature dictionary can't be read
	ProblemDetached     = "detached"        // a signature that no field leads to
	ProblemPadding      = "padding"         // something stands behind the signature value
	ProblemHybrid       = "hybrid"          // cross-references show readers different files
	ProblemByteRange    = "byte_range"      // missing or odd: universal signature forgery
	ProblemContents     = "contents"        // missing or empty: universal signature forgery
	ProblemGap          = "gap"             // unsigned bytes besides Contents: signature wrapping
	ProblemTail         = "tail"            // bytes that belong to no revision: incremental saving
	ProblemNotRevision  = "not_a_revision"  // what is signed is not a file that ends there
	ProblemOther        = "other_signature" // the signed bytes hold another signature in this place
	ProblemRemoved      = "removed"         // an earlier revision has it, the newest has not
	ProblemHiddenObject = "hidden_object"   // shadow: an object inside the signed bytes was brought up later
	ProblemOverlay      = "overlay"         // shadow: something was laid over a page
)

func (s *Signature) problem(code string) { s.Problems = append(s.Problems, Problem{code}) }

// checkRange holds the byte range against the file: it begins at 0, leaves out
// exactly the Contents of this very object, and ends within the file.
func (f *File) checkRange(s *Signature, fd field) {
	r := s.ByteRange
	switch {
	case len(r) != 4:
		s.problem(ProblemByteRange)
		s.ByteRange = nil
		return
	case r[0] != 0 || r[1] <= 0 || r[2] <= r[1] || r[3] < 0 || r[2] > f.size || r[3] > f.size-r[2]:
		s.problem(ProblemByteRange)
		s.ByteRange = nil
		return
	}
	s.End = r[2] + r[3]
	if len(bytes.Trim(s.Contents, "\x00")) == 0 {
		s.problem(ProblemContents)
	}
	if len(bytes.Trim(s.Contents[len(s.CMS):], "\x00")) > 0 {
		s.problem(ProblemPadding)
	}
	f.checkGap(s)
	f.checkPlace(s, fd)
}

// checkGap reads what the byte range leaves out.
func (f *File) checkGap(s *Signature) {
	length := s.ByteRange[2] - s.ByteRange[1]
	if length > 2*f.limits.ObjectSize || length != int64(2*len(s.Contents)+2) {
		s.problem(ProblemGap)
		return
	}
	gap, err := f.bytesAt(s.ByteRange[1], int(length))
	want := "<" + hex.EncodeToString(s.Contents) + ">"
	if err != nil || !strings.EqualFold(string(gap), want) {
		s.problem(ProblemGap)
	}
}

// checkPlace sees that the gap lies in the signature's own object, as it is in
// the signed revision: a copy elsewhere would be another signature.
func (f *File) checkPlace(s *Signature, fd field) {
	v := fd.value
	r, ok := v.(ref)
	if !ok {
		r = fd.ref
	}
	e := f.xref.get(r.Number)
	if e.kind != entryPlain || e.at >= s.ByteRange[1] {
		s.problem(ProblemOther)
		return
	}
	o, err := f.indirect(e.at)
	if err != nil || e.at+o.cost < s.ByteRange[2] {
		s.problem(ProblemOther)
	}
}
