package pdf

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"
	"strconv"
	"sync"

	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// A Base is the file so far and the state of its hash.
type Base struct {
	Reader io.ReaderAt
	Size   int64
	// HashState is the saved state (encoding.BinaryMarshaler) of a SHA-256 over
	// exactly the Size bytes of Reader, as returned in Revision. If it is nil,
	// every signature reads the whole file again.
	HashState []byte

	known *reader.File // what has been read of it without its last revision; may be nil
}

// open opens the file to append to, up to its catalog.
func (b Base) open() (*File, error) {
	open := func() (*reader.File, error) { return reader.Open(reader.DefaultLimits(), b.Reader, b.Size) }
	if b.known != nil {
		open = func() (*reader.File, error) { return b.known.Extended(b.Reader, b.Size) }
	}
	f, err := document.WithoutPages(open())
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// A Revision holds the bytes that one operation appends.
type Revision struct {
	Bytes     []byte   // to append to the base
	HashState []byte   // of the whole file including this revision
	SHA256    [32]byte // of the whole file including this revision

	known *reader.File // the file it is appended to
}

// hashBuffers holds buffers for reading through a whole file, for reuse.
var hashBuffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// hash returns a SHA-256 that has consumed the base.
func (b Base) hash() (hash.Hash, error) {
	h := sha256.New()
	if b.HashState != nil {
		if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(b.HashState); err != nil {
			return nil, fmt.Errorf("%w: hash state: %w", ErrSpec, err)
		}
		return h, nil
	}
	buffer := hashBuffers.Get().(*[64 << 10]byte)
	defer hashBuffers.Put(buffer)
	if _, err := io.CopyBuffer(h, io.NewSectionReader(b.Reader, 0, b.Size), buffer[:]); err != nil {
		return nil, fmt.Errorf("read PDF: %w", err)
	}
	return h, nil
}

// An update collects the objects of one revision.
type update struct {
	f       *File
	out     []byte
	offsets map[int]int64 // object number → offset in the file
	gens    map[int]int
	next    int
	missing []int // numbers that are referred to but have no object
	trailer dict  // entries that replace those of the file
	font    ref   // for default appearances; set on first use
	// embedFont embeds that font; nil means Helvetica.
	embedFont func(object.Writer) (ref, error)
	blank     ref  // the appearance of invisible fields; set on first use
	colours   dict // definitions for added resources; set on first use
	err       error
}

// update begins a revision of about the given size.
func (f *File) update(room int) (*update, error) {
	size, _ := f.Trailer.Int("Size")
	next := max(int64(f.Xref.Top), 1)
	if size > next && size <= reader.MaxNumber {
		next = size
	}
	u := &update{
		f: f, offsets: map[int]int64{}, gens: map[int]int{}, next: int(next), trailer: dict{},
		out: make([]byte, 0, room),
	}
	last, err := f.BytesAt(f.Size-1, 1)
	if err != nil {
		return nil, err
	}
	if last[0] != '\n' {
		u.out = append(u.out, '\n')
	}
	return u, nil
}

// avoid keeps the numbers of missing objects for none of the new ones, which would take their places. If
// declare is set, the revision says that they are null: without an entry, some readers believe that the
// cross-references are damaged.
func (u *update) avoid(missing []int, declare bool) {
	const far, most = 1 << 16, 1000
	for _, n := range missing {
		if n > u.next+far {
			return // no new object gets that far
		}
		u.next = max(u.next, n+1)
		if declare && len(u.missing) < most {
			u.missing = append(u.missing, n)
		}
	}
}

// declare writes the missing objects that the revision has not made.
func (u *update) declare() {
	for _, n := range u.missing {
		if _, made := u.offsets[n]; !made {
			u.put(ref{Number: n}, nil)
		}
	}
}

// Usual sizes of parts of revisions.
const (
	roomForSyntax     = 2 << 10
	roomForField      = 640
	roomForAppearance = 6 << 10 // of a signature
)

// room returns the usual size of a revision.
func (s *PrepareSpec) room() int {
	n := 2*roomForSyntax + roomForField*(len(s.Fields)+len(s.Signatures))
	if s.Certify != nil {
		n += 2 * s.Certify.Size
	}
	if s.AppendPages != nil {
		n += int(min(s.AppendPages.Size, 32<<10))
	}
	return n
}

// room returns the usual size of a revision.
func (s *SignSpec) room() int {
	n := roomForSyntax + roomForField*len(s.Values) + 2*s.Seal.Size
	if s.Appearance != nil {
		n += roomForAppearance
	}
	return n
}

// reserve returns a number for an object to be written later.
func (u *update) reserve() ref {
	r := ref{Number: u.next}
	if u.next++; u.next > reader.MaxNumber && u.err == nil {
		u.err = reader.TooComplex("no object numbers left")
	}
	return r
}

// Add writes a new object.
func (u *update) Add(v any) ref {
	r := u.reserve()
	u.put(r, v)
	return r
}

// put writes an object under its number. If it replaces an object of the file,
// it keeps the generation.
func (u *update) put(r ref, v any) {
	u.write(r, func(out []byte) ([]byte, error) { return object.Append(out, v) })
}

// write is put with a function that appends the object.
func (u *update) write(r ref, value func([]byte) ([]byte, error)) {
	if e := u.f.Xref.Get(r.Number); e.Kind == reader.EntryPlain {
		r.Generation = int(e.Gen)
	} else {
		r.Generation = 0
	}
	u.gens[r.Number], u.next = r.Generation, max(u.next, r.Number+1)
	start := len(u.out)
	defer func() { u.recordOffset(r.Number, start) }()
	u.out = strconv.AppendInt(u.out, int64(r.Number), 10)
	u.out = strconv.AppendInt(append(u.out, ' '), int64(r.Generation), 10)
	u.out = append(u.out, " obj\n"...)
	var err error
	if u.out, err = value(u.out); err != nil && u.err == nil {
		u.err = fmt.Errorf("object %d: %w", r.Number, err)
	}
	u.out = append(u.out, "\nendobj\n"...)
}

// recordOffset records where an object was written. An existing object that is written
// for two of its roles must be identical for both.
func (u *update) recordOffset(n, start int) {
	was, twice := u.offsets[n]
	u.offsets[n] = u.f.Size + int64(start)
	if !twice || u.f.Xref.Get(n).Kind < reader.EntryPlain || u.err != nil {
		return
	}
	earlier, written := u.out[was-u.f.Size:], u.out[start:]
	if !bytes.HasPrefix(earlier, written) {
		u.err = fmt.Errorf("%w: object %d", ErrTwoRoles, n)
	}
}

// A mark is a state that an update can be reset to.
type mark struct {
	length, next int
	offsets      map[int]int64
	gens         map[int]int
}

func (u *update) mark() mark {
	return mark{len(u.out), u.next, maps.Clone(u.offsets), maps.Clone(u.gens)}
}

func (u *update) restore(m mark) {
	u.out, u.next, u.offsets, u.gens = u.out[:m.length], m.next, m.offsets, m.gens
}

// pos returns the file offset of the next byte.
func (u *update) pos() int64 { return u.f.Size + int64(len(u.out)) }

// finish writes the cross-reference section, of the same kind as the last one
// in the file (ISO 32000-2 §7.5.4, §7.5.8), and returns all bytes to append.
func (u *update) finish() ([]byte, error) {
	if u.err != nil {
		return nil, u.err
	}
	if u.f.Fault != nil { // some object may have read as null
		return nil, u.f.Fault
	}
	u.declare()
	t := u.newTrailer()
	var start int64
	var err error
	if u.f.Sections[0].IsStream {
		start, err = u.finishStream(t)
	} else {
		start, err = u.finishTable(t)
	}
	if err != nil {
		return nil, err
	}
	u.out = fmt.Appendf(u.out, "\nstartxref\n%d\n%%%%EOF\n", start)
	return u.out, nil
}

func (u *update) newTrailer() dict {
	t := dict{"Root": u.f.Trailer["Root"], "Prev": u.f.Sections[0].At}
	if info := u.f.Trailer["Info"]; info != nil {
		t["Info"] = info
	}
	t["ID"] = u.fileID()
	maps.Copy(t, u.trailer)
	return t
}

// fileID keeps the first part of the file identifier and replaces the second
// (ISO 32000-2 §14.4).
func (u *update) fileID() array {
	fresh := make(object.String, 16)
	_, _ = rand.Read(fresh) // never fails (crypto/rand)
	id := u.f.Array(u.f.Trailer["ID"])
	if len(id) == 2 {
		if first, ok := u.f.Resolve(id[0]).(object.String); ok && len(first) > 0 {
			return array{first, fresh}
		}
	}
	return array{fresh, fresh}
}

// runs calls visit for every run of consecutive object numbers.
func (u *update) runs(visit func(run []int)) {
	numbers := slices.Sorted(maps.Keys(u.offsets))
	for start := 0; start < len(numbers); {
		end := start + 1
		for end < len(numbers) && numbers[end] == numbers[end-1]+1 {
			end++
		}
		visit(numbers[start:end])
		start = end
	}
}

func (u *update) finishTable(t dict) (int64, error) {
	if u.pos() > 9_999_999_999 {
		return 0, reader.TooComplex("too large for a cross-reference table")
	}
	start := u.pos()
	u.out = append(u.out, "xref\n"...)
	u.runs(func(run []int) {
		u.out = fmt.Appendf(u.out, "%d %d\n", run[0], len(run))
		for _, n := range run {
			u.out = fmt.Appendf(u.out, "%010d %05d n\r\n", u.offsets[n], u.gens[n])
		}
	})
	t["Size"] = u.next
	u.out = append(u.out, "trailer\n"...)
	var err error
	u.out, err = object.Append(u.out, t)
	return start, err
}

func (u *update) finishStream(t dict) (int64, error) {
	self := u.reserve()
	start := u.pos()
	u.offsets[self.Number] = start // the section lists itself
	width := 4
	if start > 1<<32-1 {
		width = 8
	}
	var data []byte
	var index array
	u.runs(func(run []int) {
		index = append(index, run[0], len(run))
		for _, n := range run {
			data = append(data, 1)
			data = binary.BigEndian.AppendUint64(data, uint64(u.offsets[n]))
			data = slices.Delete(data, len(data)-8, len(data)-width)
			data = binary.BigEndian.AppendUint16(data, uint16(u.gens[n]))
		}
	})
	t["Type"], t["Size"] = name("XRef"), u.next
	t["W"], t["Index"] = array{1, width, 2}, index
	u.put(self, object.Compress(t, data))
	u.out = bytes.TrimSuffix(u.out, []byte("\n"))
	return start, u.err
}

// revision finishes an update without a signature.
func (u *update) revision(b Base) (Revision, error) {
	h, err := b.hash()
	if err != nil {
		return Revision{}, err
	}
	out, err := u.finish()
	if err != nil {
		return Revision{}, err
	}
	h.Write(out)
	return u.finished(out, h)
}

// finished returns the bytes to append as a revision, with the hash over all of the file.
func (u *update) finished(out []byte, h hash.Hash) (Revision, error) {
	state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		return Revision{}, fmt.Errorf("hash state: %w", err)
	}
	r := Revision{Bytes: out, HashState: state, known: u.f.File.File}
	h.Sum(r.SHA256[:0])
	return r, nil
}
