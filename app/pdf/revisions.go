package pdf

import (
	"bytes"
	"slices"

	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// revisionEnds returns the ends of all revisions, oldest first: the offset
// after the end mark that follows the cross-reference section. The two sections
// of a linearised file form one revision.
func (f *File) revisionEnds() ([]int64, error) {
	if f.ends != nil {
		return f.ends, nil
	}
	var ends []int64
	for i, s := range f.Sections {
		at := s.End
		if i+1 < len(f.Sections) && f.Sections[i+1].At > s.At {
			at = f.Sections[i+1].End
		} else if i > 0 && s.At > f.Sections[i-1].At {
			continue // the second section of a linearised file
		}
		end, err := f.endMark(at)
		if err != nil {
			return nil, err
		}
		ends = append(ends, end)
	}
	slices.Sort(ends)
	f.ends = slices.Compact(ends)
	return f.ends, nil
}

// endMark returns the offset after the first %%EOF at or after from, including
// its line end, or the size of the file if there is none.
func (f *File) endMark(from int64) (int64, error) {
	const near = 2048 // nearly always enough
	mark := []byte("%%EOF")
	buf := scratch.Get().(*[scratchSize]byte)
	defer scratch.Put(buf)
	if from > f.Size {
		return 0, reader.Damaged("offset %d is outside of the file", from)
	}
	b, err := f.ReadInto(buf[:min(near, f.Size-from)], from)
	if err == nil && !bytes.Contains(b, mark) {
		b, err = f.ReadInto(buf[:min(int64(len(buf)), f.Size-from)], from)
	}
	if err != nil {
		return 0, err
	}
	i := bytes.Index(b, mark)
	if i < 0 {
		return f.Size, nil
	}
	i += len(mark)
	if i < len(b) && b[i] == '\r' {
		i++
	}
	if i < len(b) && b[i] == '\n' {
		i++
	}
	return from + int64(i), nil
}

// An end is a place where a revision may end.
type end struct {
	at       int64
	revision int
}

// otherEnds returns end marks in the file that do not end any of its revisions:
// such a revision may have been removed from the chain of cross-reference
// sections.
func (f *File) otherEnds() ([]end, error) {
	known, err := f.revisionEnds()
	if err != nil {
		return nil, err
	}
	const most = 100 // bounds the search for lost revisions
	var out []end
	mark := []byte("%%EOF")
	buf := scratch.Get().(*[scratchSize]byte)
	defer scratch.Put(buf)
	for at := int64(0); at < f.Size && len(out) < most; at += int64(len(buf) - len(mark) + 1) {
		b, err := f.ReadInto(buf[:min(int64(len(buf)), f.Size-at)], at)
		if err != nil {
			return nil, err
		}
		for from := 0; len(out) < most; {
			i := bytes.Index(b[from:], mark)
			if i < 0 {
				break
			}
			from += i + len(mark)
			e := at + int64(from)
			if !slices.ContainsFunc(known, func(k int64) bool { return k >= e && k <= e+2 }) {
				rev := slices.IndexFunc(known, func(k int64) bool { return k > e })
				out = append(out, end{at: e, revision: max(0, rev)})
			}
		}
	}
	return out, nil
}

// blankBetween reports whether there is only white space between two offsets.
func (f *File) blankBetween(from, to int64) bool {
	if from > to {
		from, to = to, from
	}
	if to-from > 64 {
		return false
	}
	b, err := f.BytesAt(from, int(to-from))
	return err == nil && !slices.ContainsFunc(b, func(c byte) bool { return !object.IsSpace(c) })
}

// compareRevisions completes the signatures with the revision that each one
// ends and with the later changes, and searches for lost ones. It returns the
// graph of the newest revision.
func (f *File) compareRevisions(all []Signature, lost *search) (*graph, error) {
	ends, err := f.revisionEnds()
	if err != nil {
		return nil, err
	}
	if f.Scanned {
		f.cover(all)
		return nil, f.Fault
	}
	if len(all) == 0 {
		f.searchBefore(ends, len(ends)-1, lost)
		return nil, f.Fault
	}
	f.number(all, ends)
	first := slices.MinFunc(all, func(a, b Signature) int { return a.Revision - b.Revision }).Revision
	f.searchBefore(ends, first, lost)
	older, err := f.viewOf(ends, first)
	if err != nil {
		return nil, f.unread(all)
	}
	c := newComparer(older)
	changes := map[int][]change{} // by revision
	older.confirm(all, first)
	lost.in(older, first)
	for rev := first + 1; rev < len(ends); rev++ {
		newer, err := f.viewOf(ends, rev)
		if err != nil {
			return nil, f.unread(all)
		}
		if changes[rev], err = c.compare(newer); err != nil {
			return nil, err
		}
		newer.confirm(all, rev)
		lost.in(newer, rev)
	}
	report(all, ends, changes)
	return c.graph, f.Fault
}

// cover completes the signatures of a recovered file, for which it is only
// known which signatures cover all of it.
func (f *File) cover(all []Signature) {
	for i := range all {
		s := &all[i]
		s.Whole = len(s.ByteRange) == 4 && f.blankBetween(s.End, f.Size)
		s.Unjudged = !s.Whole
	}
}

// searchBefore searches the revisions before the given one for lost signatures.
func (f *File) searchBefore(ends []int64, before int, lost *search) {
	for rev := range before {
		if older, err := f.view(ends[rev]); err == nil {
			lost.in(older, rev)
		}
	}
}

// unread reports an unreadable revision on every signature, unless a limit was
// exceeded or reading failed.
func (f *File) unread(all []Signature) error {
	if f.Fault != nil {
		return f.Fault
	}
	for i := range all {
		all[i].problem(ProblemNotRevision)
	}
	return nil
}

func (f *File) viewOf(ends []int64, rev int) (*File, error) {
	if ends[rev] >= f.Size {
		return f, nil
	}
	return f.view(ends[rev])
}

// number determines the revision that each signature ends.
func (f *File) number(all []Signature, ends []int64) {
	last := ends[len(ends)-1]
	for i := range all {
		s := &all[i]
		s.Revision = len(ends) - 1
		if len(s.ByteRange) != 4 {
			continue
		}
		rev := slices.IndexFunc(ends, func(e int64) bool { return f.blankBetween(e, s.End) })
		if rev < 0 {
			s.problem(ProblemNotRevision)
			rev = max(0, slices.IndexFunc(ends, func(e int64) bool { return e >= s.End }))
		}
		s.Revision = rev
		s.Whole = rev == len(ends)-1
	}
	if f.blankTail(last) {
		return
	}
	for i := range all {
		all[i].problem(ProblemTail)
		all[i].Whole = false
	}
}

// blankTail reports whether only white space follows an offset.
func (f *File) blankTail(from int64) bool {
	return f.Size <= from || f.blankBetween(from, f.Size)
}

// confirm checks that the signatures that end a revision read the same in that
// revision as in the whole file.
func (f *File) confirm(all []Signature, rev int) {
	var fields []field
	for i := range all {
		s := &all[i]
		if s.Revision != rev || len(s.ByteRange) != 4 {
			continue
		}
		if fields == nil {
			fields = f.fields()
		}
		there := slices.ContainsFunc(fields, func(fd field) bool {
			c, _ := f.Resolve(f.Dict(fd.value)["Contents"]).(object.String)
			return fd.name == s.Field && bytes.Equal(c, s.Contents)
		})
		if !there {
			s.problem(ProblemOther)
		}
	}
}

// report adds the changes of each revision to every earlier signature.
func report(all []Signature, ends []int64, changes map[int][]change) {
	for i := range all {
		s := &all[i]
		rules := rulesOf(all, s.Revision)
		for rev := s.Revision + 1; rev < len(ends); rev++ {
			u := Update{Revision: rev, End: ends[rev], Changes: make([]Change, 0, len(changes[rev]))}
			for _, c := range changes[rev] {
				u.Changes = append(u.Changes, rules.judge(c, rev))
			}
			s.Later = append(s.Later, u)
		}
	}
}
