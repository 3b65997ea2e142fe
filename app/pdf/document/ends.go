package document

import (
	"bytes"
	"slices"
	"sync"

	"paraph/app/pdf/reader"
)

// scratch holds buffers for reading through a file, for reuse.
var scratch = sync.Pool{New: func() any { return new([scratchSize]byte) }}

const scratchSize = 64 << 10

// RevisionEnds returns the ends of all revisions, oldest first: the offset
// after the end mark that follows the cross-reference section. The two sections
// of a linearised file form one revision.
func (f *File) RevisionEnds() ([]int64, error) {
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
	At       int64
	Revision int
}

// OtherEnds returns end marks in the file that do not end any of its revisions:
// such a revision may have been removed from the chain of cross-reference
// sections.
func (f *File) OtherEnds() ([]end, error) {
	known, err := f.RevisionEnds()
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
				out = append(out, end{At: e, Revision: max(0, rev)})
			}
		}
	}
	return out, nil
}

// ViewOf opens a revision, given where all of them end.
func (f *File) ViewOf(ends []int64, rev int) (*File, error) {
	if ends[rev] >= f.Size {
		return f, nil
	}
	return f.View(ends[rev])
}
