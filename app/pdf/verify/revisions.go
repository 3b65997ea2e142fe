package verify

import (
	"bytes"
	"slices"

	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
)

// blankBetween reports whether there is only white space between two offsets.
func (f *file) blankBetween(from, to int64) bool {
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
func (f *file) compareRevisions(all []Signature, lost *search) (*graph, error) {
	ends, err := f.RevisionEnds()
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
	older, err := f.revision(ends, first)
	if err != nil {
		return nil, f.unread(all)
	}
	c := newComparer(older)
	changes := map[int][]change{} // by revision
	older.confirm(all, first)
	lost.in(older, first)
	for rev := first + 1; rev < len(ends); rev++ {
		newer, err := f.revision(ends, rev)
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
func (f *file) cover(all []Signature) {
	for i := range all {
		s := &all[i]
		s.Whole = len(s.ByteRange) == 4 && f.blankBetween(s.End, f.Size)
		s.Unjudged = !s.Whole
	}
}

// searchBefore searches the revisions before the given one for lost signatures.
func (f *file) searchBefore(ends []int64, before int, lost *search) {
	for rev := range before {
		if older, err := f.View(ends[rev]); err == nil {
			lost.in(&file{older}, rev)
		}
	}
}

// unread reports an unreadable revision on every signature, unless a limit was
// exceeded or reading failed.
func (f *file) unread(all []Signature) error {
	if f.Fault != nil {
		return f.Fault
	}
	for i := range all {
		all[i].problem(ProblemNotRevision)
	}
	return nil
}

// number determines the revision that each signature ends.
func (f *file) number(all []Signature, ends []int64) {
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
func (f *file) blankTail(from int64) bool {
	return f.Size <= from || f.blankBetween(from, f.Size)
}

// confirm checks that the signatures that end a revision read the same in that
// revision as in the whole file.
func (f *file) confirm(all []Signature, rev int) {
	var fields []document.Field
	for i := range all {
		s := &all[i]
		if s.Revision != rev || len(s.ByteRange) != 4 {
			continue
		}
		if fields == nil {
			fields = f.Fields()
		}
		there := slices.ContainsFunc(fields, func(fd document.Field) bool {
			c, _ := f.Resolve(f.Dict(fd.Value)["Contents"]).(object.String)
			return fd.Name == s.Field && bytes.Equal(c, s.Contents)
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

// revision returns the file as one of its revisions left it.
func (f *file) revision(ends []int64, rev int) (*file, error) {
	older, err := f.ViewOf(ends, rev)
	if err != nil {
		return nil, err
	}
	return &file{older}, nil
}
