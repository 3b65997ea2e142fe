// Package verify examines the signatures of a PDF: their structure, what was
// changed after each, and whether that was permitted. Whether a signature is
// cryptographically valid, and whose it is, has to be checked separately.
//
// Later changes are judged by a whitelist. The object graphs of successive
// revisions are compared from the trailer down; what no rule permits in the place
// where it was changed is named.
package verify

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
	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// Short names for the object model, which is used throughout this package.
type (
	name  = object.Name
	ref   = object.Ref
	array = object.Array
	dict  = object.Dict
)

// A file is a PDF as it was at the end of one of its revisions.
type file struct{ *document.File }

// A Signature describes the structure of one signature or document timestamp.
// Its cryptographic validity has to be checked separately, from CMS and
// WriteSigned.
type Signature struct {
	Field string // full name
	// Unreadable reports that there is a signature that can't be read. It counts
	// as broken; Problems has the reason.
	Unreadable bool
	SubFilter  string
	Timestamp  bool // a document timestamp (ETSI.RFC3161)
	// Mistyped reports that a document timestamp declares itself a signature.
	// Other verifiers do not count it (ISO 32000-2 table 258 requires
	// DocTimeStamp).
	Mistyped  bool
	ByteRange []int64
	Contents  []byte // as stored, with padding
	CMS       []byte // without padding
	// End is where the signed revision ends in the file, Revision its number (0
	// is the upload). Whole reports that nothing follows it.
	End      int64
	Revision int
	Whole    bool
	// Certifies is the DocMDP level that it sets, or 0; Lock is the lock that it
	// sets.
	Certifies int
	Lock      *document.Lock
	// Claims of the signature dictionary.
	Name, Reason, Location, ContactInfo string
	At                                  time.Time
	// Problems lists faults in the structure. A signature that has any must not
	// be called valid, even if it is cryptographically correct.
	Problems []Problem
	// Later lists the changes made after it, by revision. Unjudged reports that
	// the revisions cannot be distinguished.
	Later    []Update
	Unjudged bool

	level int             // DocMDP, including that of the field's lock
	locks []document.Lock // all its locks, including that of its field
	// signed reads the file for all of its signatures.
	signed *digest.Prefixes
}

// Sound reports whether the structure is correct and all later changes were
// permitted.
func (s Signature) Sound() bool {
	return len(s.Problems) == 0 && !slices.ContainsFunc(s.Later, func(u Update) bool { return !u.Permitted() })
}

// WriteSigned writes the signed bytes to w, usually a hash.
func (s Signature) WriteSigned(w io.Writer) error {
	if len(s.ByteRange) != 4 {
		return reader.Damaged("byte range")
	}
	if err := s.signed.Write(w, s.ByteRange[1]); err != nil {
		return err
	}
	return s.signed.Copy(w, s.ByteRange[2], s.ByteRange[2]+s.ByteRange[3])
}

// Signatures examines all signatures, in the order of the revisions that they
// end. The result includes unreadable signatures, as broken ones, and
// signatures that only an earlier revision has. The error is ErrTooComplex or
// comes from reading or from the context. It is accompanied by the signatures
// of the newest revision, unjudged, unless it occurred before they were known.
func Signatures(examined *document.File) ([]Signature, error) {
	f := &file{examined}
	out, err := f.examined()
	if err != nil && f.Stopped() == nil {
		return nil, err
	}
	var ends []int64
	for i := range out {
		if len(out[i].ByteRange) == 4 {
			ends = append(ends, out[i].ByteRange[1])
		}
	}
	signed := digest.New(f.R, ends, f.Stopped)
	for i := range out {
		out[i].signed = signed
	}
	return out, err
}

func (f *file) examined() ([]Signature, error) {
	out := f.attached()
	if f.Fault != nil {
		return nil, f.Fault
	}
	slices.SortStableFunc(out, byEnd)
	lost := &search{kept: slices.Clone(out)}
	g, err := f.compareRevisions(out, lost)
	if err != nil {
		return out, err
	}
	if f.Scanned {
		return out, f.Fault
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

// attached returns the signatures in the fields of the newest revision.
func (f *file) attached() []Signature {
	var out []Signature
	for _, fd := range f.Fields() {
		switch d := f.Dict(fd.Value); {
		case d != nil && (fd.Kind == "Sig" || isSignature(f, d)):
			s := f.signature(fd, d)
			if fd.Kind != "Sig" {
				s.problem(ProblemDetached)
			}
			out = append(out, s)
		case fd.Kind == "Sig" && d == nil && f.Present(fd.Value):
			out = append(out, f.unreadable(fd.Name))
		}
	}
	for _, r := range f.Lost() {
		out = append(out, f.unreadable(fmt.Sprintf("%d", r.Number)))
	}
	return out
}

func (f *file) unreadable(name string) Signature {
	s := Signature{Field: name, Unreadable: true, End: f.Size}
	s.problem(ProblemUnreadable)
	return s
}

// isSignature reports whether a dictionary is a signature, whatever its
// declared type.
func isSignature(f *file, d dict) bool {
	_, ranged := f.Resolve(d["ByteRange"]).(array)
	_, valued := f.Resolve(d["Contents"]).(object.String)
	return ranged && valued
}

// A search searches earlier revisions for signatures that are missing from the
// newest one.
type search struct {
	kept, out []Signature
}

func (s *search) in(older *file, rev int) {
	for _, fd := range older.Fields() {
		d := older.Dict(fd.Value)
		c, _ := older.Resolve(d["Contents"]).(object.String)
		same := func(s Signature) bool { return bytes.Equal(s.Contents, c) }
		if fd.Kind != "Sig" || len(c) == 0 || slices.ContainsFunc(s.kept, same) || slices.ContainsFunc(s.out, same) {
			continue
		}
		lost := older.signature(fd, d)
		lost.Revision = rev
		lost.problem(ProblemRemoved)
		s.out = append(s.out, lost)
	}
}

// outside searches all places where a former revision may have ended that is no
// longer part of the file.
func (s *search) outside(f *file) error {
	ends, err := f.OtherEnds()
	if err != nil {
		return err
	}
	for i := len(ends) - 1; i >= 0; i-- {
		if older, err := f.View(ends[i].At); err == nil {
			s.in(&file{older}, ends[i].Revision)
		}
	}
	return f.Fault
}

// detached returns signatures that no field refers to. Usage rights (ISO
// 32000-2 §12.8.2.3) are excluded, because they are not a person's signature.
func (f *file) detached(g *graph, known []Signature) []Signature {
	if g == nil {
		g = newGraph(f)
	}
	perms := f.Dict(f.Catalog()["Perms"])
	var out []Signature
	for _, n := range slices.Sorted(maps.Keys(g.signatures)) {
		d := f.Dict(ref{Number: n})
		c, _ := f.Resolve(d["Contents"]).(object.String)
		same := func(s Signature) bool { return bytes.Equal(s.Contents, c) }
		rights := mentions(perms["UR"], n) || mentions(perms["UR3"], n)
		if !isSignature(f, d) || rights || slices.ContainsFunc(known, same) || slices.ContainsFunc(out, same) {
			continue
		}
		s := f.signature(document.Field{Name: fmt.Sprintf("%d", n), Value: ref{Number: n}}, d)
		s.problem(ProblemDetached)
		out = append(out, s)
	}
	return out
}

func (f *file) signature(fd document.Field, d dict) Signature {
	s := Signature{
		Field: fd.Name, SubFilter: string(f.Name(d["SubFilter"])),
		Name: f.Text(d["Name"]), Reason: f.Text(d["Reason"]), Location: f.Text(d["Location"]),
		ContactInfo: f.Text(d["ContactInfo"]), Certifies: f.Level(d),
	}
	s.Timestamp = s.SubFilter == "ETSI.RFC3161" || f.Name(d["Type"]) == "DocTimeStamp"
	s.Mistyped = s.Timestamp && d["Type"] != nil && f.Name(d["Type"]) != "DocTimeStamp"
	if m, ok := f.Resolve(d["M"]).(object.String); ok {
		s.At, _ = m.Date()
	}
	sets := f.Restrictions(fd, d)
	s.level, s.locks, s.Lock = sets.Level, sets.Locks, sets.Own
	for _, v := range f.Array(d["ByteRange"]) {
		n, ok := f.Int(v)
		if !ok {
			n = -1
		}
		s.ByteRange = append(s.ByteRange, n)
	}
	s.Contents, _ = f.Resolve(d["Contents"]).(object.String)
	s.CMS = trimDER(s.Contents)
	f.checkRange(&s, fd)
	return s
}

// trimDER cuts off the zeros after a DER value. A value of indefinite length
// (BER) is kept whole, because its reader finds the end.
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
	Code string // a stable identifier
}

// Codes of problems. The names of the attacks are those of "Processing
// Dangerous Paths", "1 Trillion Dollar Refund" and "Shadow Attacks".
const (
	ProblemUnreadable   = "unreadable"      // the signature dictionary can't be read
	ProblemDetached     = "detached"        // no field refers to the signature
	ProblemPadding      = "padding"         // data follows the signature value
	ProblemHybrid       = "hybrid"          // cross-references show different files to different readers
	ProblemByteRange    = "byte_range"      // missing or odd: universal signature forgery
	ProblemContents     = "contents"        // missing or empty: universal signature forgery
	ProblemGap          = "gap"             // unsigned bytes besides Contents: signature wrapping
	ProblemTail         = "tail"            // bytes that belong to no revision: incremental saving
	ProblemNotRevision  = "not_a_revision"  // the signed bytes are not a file that ends there
	ProblemOther        = "other_signature" // the signed bytes hold another signature in this place
	ProblemRemoved      = "removed"         // an earlier revision has it, the newest does not
	ProblemHiddenObject = "hidden_object"   // shadow: an object inside the signed bytes was made reachable later
	ProblemOverlay      = "overlay"         // shadow: something was placed over a page
)

func (s *Signature) problem(code string) { s.Problems = append(s.Problems, Problem{code}) }

// checkRange checks the byte range against the file: it must begin at 0, leave
// out exactly the Contents of this very object, and end within the file.
func (f *file) checkRange(s *Signature, fd document.Field) {
	r := s.ByteRange
	switch {
	case len(r) != 4:
		s.problem(ProblemByteRange)
		s.ByteRange = nil
		return
	case r[0] != 0 || r[1] <= 0 || r[2] <= r[1] || r[3] < 0 || r[2] > f.Size || r[3] > f.Size-r[2]:
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

// checkGap reads the bytes left out of the byte range.
func (f *file) checkGap(s *Signature) {
	length := s.ByteRange[2] - s.ByteRange[1]
	if length > 2*f.Limits.ObjectSize || length != int64(2*len(s.Contents)+2) {
		s.problem(ProblemGap)
		return
	}
	gap, err := f.BytesAt(s.ByteRange[1], int(length))
	want := "<" + hex.EncodeToString(s.Contents) + ">"
	if err != nil || !strings.EqualFold(string(gap), want) {
		s.problem(ProblemGap)
	}
}

// checkPlace checks that the gap lies in the signature's own object, as stored
// in the signed revision: a copy elsewhere would be another signature.
func (f *file) checkPlace(s *Signature, fd document.Field) {
	v := fd.Value
	r, ok := v.(ref)
	if !ok {
		r = fd.Ref
	}
	e := f.Xref.Get(r.Number)
	if e.Kind != reader.EntryPlain || e.At >= s.ByteRange[1] {
		s.problem(ProblemOther)
		return
	}
	o, err := f.Indirect(e.At)
	if err != nil || e.At+o.Cost < s.ByteRange[2] {
		s.problem(ProblemOther)
	}
}

// FirstFault returns the first fault of a signature.
func (s Signature) FirstFault() string {
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
