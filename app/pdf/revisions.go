package pdf

import (
	"bytes"
	"slices"
)

// revisionEnds lists where each revision ends, oldest first: behind the end
// mark that follows its cross-reference section. The two sections of a
// linearised file are one revision.
func (f *File) revisionEnds() ([]int64, error) {
	var ends []int64
	for i, s := range f.sections {
		at := s.end
		if i+1 < len(f.sections) && f.sections[i+1].at > s.at {
			at = f.sections[i+1].end
		}
		end, err := f.endMark(at)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ends, end) {
			ends = append(ends, end)
		}
	}
	slices.Sort(ends)
	return ends, nil
}

// endMark gives the offset behind the first %%EOF, and its line end, after an
// offset; without one, the size of the file.
func (f *File) endMark(from int64) (int64, error) {
	b, err := f.bytesAt(from, 64<<10)
	if err != nil {
		return 0, err
	}
	i := bytes.Index(b, []byte("%%EOF"))
	if i < 0 {
		return f.size, nil
	}
	i += len("%%EOF")
	if i < len(b) && b[i] == '\r' {
		i++
	}
	if i < len(b) && b[i] == '\n' {
		i++
	}
	return from + int64(i), nil
}

func (f *File) compareRevisions(all []Signature) error {
	ends, err := f.revisionEnds()
	if err != nil {
		return err
	}
	for i := range all {
		s := &all[i]
		s.Revision = slices.IndexFunc(ends, func(e int64) bool { return e >= s.End })
		s.Whole = s.End >= f.size
	}
	return nil
}
