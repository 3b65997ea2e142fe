// Package archive opens untrusted zip files: the size of the directory and of
// the unpacked members is bounded, whatever their headers say.
package archive

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"paraph/app/convert/internal/refuse"
	"paraph/app/fault"
)

// Limits of one archive. A DOCX of a thousand pages stays far below each.
const (
	MaxMembers   = 10_000    // members in the directory
	maxDirectory = 4 << 20   // bytes read to find and read the directory
	MaxMember    = 128 << 20 // unpacked bytes of one member
	MaxTotal     = 512 << 20 // unpacked bytes read from one archive in total
)

// Archive is a zip with a budget of bytes that may be unpacked from it. It is not safe for
// concurrent use.
type Archive struct {
	zip     *zip.Reader
	members map[string]*zip.File
	left    int64
}

// Open reads the directory of the size bytes of r.
func Open(r io.ReaderAt, size int64) (*Archive, error) {
	b := &budget{ReaderAt: r}
	b.left.Store(maxDirectory)
	z, err := zip.NewReader(b, size)
	switch {
	case errors.Is(err, errBudget):
		return nil, refuse.TooLarge("archive_directory", fault.Number("limit", maxDirectory>>20))
	case err != nil:
		return nil, refuse.Damaged(fmt.Errorf("not a zip archive: %w", err))
	case len(z.File) > MaxMembers:
		return nil, refuse.TooLarge("archive_members", fault.Number("limit", MaxMembers))
	}
	b.left.Store(1 << 62)
	a := &Archive{zip: z, members: make(map[string]*zip.File, len(z.File)), left: MaxTotal}
	for _, f := range z.File {
		name := canonical(f.Name)
		if a.members[name] == nil {
			a.members[name] = f
		}
	}
	return a, nil
}

// canonical returns the name used for comparison: part names are case-insensitive (ISO/IEC
// 29500-2 §6.2.2.3).
func canonical(name string) string {
	return strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(name, "\\", "/"), "/"))
}

// Files returns the members in the order of the directory.
func (a *Archive) Files() []*zip.File { return a.zip.File }

// Has reports whether there is a member of that name, ignoring case.
func (a *Archive) Has(name string) bool { return a.members[canonical(name)] != nil }

// Open returns the unpacked bytes of a member, at most limit (and MaxMember). Reading beyond
// that fails with ErrTooLarge. A missing member is ErrDamaged.
func (a *Archive) Open(name string, limit int64) (io.ReadCloser, error) {
	f := a.members[canonical(name)]
	if f == nil {
		return nil, refuse.Damaged(errors.New("part missing from the archive"))
	}
	return a.OpenFile(f, limit)
}

// OpenFile is Open for a member returned by Files.
func (a *Archive) OpenFile(f *zip.File, limit int64) (io.ReadCloser, error) {
	limit = min(limit, MaxMember)
	if f.UncompressedSize64 > uint64(limit) {
		return nil, tooLarge(limit)
	}
	rc, err := f.Open()
	if err != nil {
		return nil, refuse.Damaged(fmt.Errorf("unpack a part: %w", err))
	}
	return &member{ReadCloser: rc, a: a, left: limit, limit: limit}, nil
}

// Read reads a member to its end, see Open.
func (a *Archive) Read(name string, limit int64) (b []byte, err error) {
	rc, err := a.Open(name, limit)
	if err != nil {
		return nil, err
	}
	b, err = io.ReadAll(rc)
	return b, errors.Join(err, rc.Close())
}

func tooLarge(limit int64) error {
	return refuse.TooLarge("archive_part", fault.Number("limit", max(limit>>20, 1)))
}

type member struct {
	io.ReadCloser
	a           *Archive
	left, limit int64
}

func (m *member) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	m.left -= int64(n)
	m.a.left -= int64(n)
	switch {
	case m.left < 0:
		return 0, tooLarge(m.limit)
	case m.a.left < 0:
		return 0, refuse.TooLarge("archive_total", fault.Number("limit", int64(MaxTotal)>>20))
	case err != nil && !errors.Is(err, io.EOF):
		return n, refuse.Damaged(fmt.Errorf("unpack a part: %w", err))
	}
	return n, err
}

var errBudget = errors.New("archive: read more than the directory may take")

// budget fails reads after a number of bytes. zip.NewReader reads headers for
// as long as it finds their signature, whatever count the directory declares.
type budget struct {
	io.ReaderAt
	left atomic.Int64
}

func (b *budget) ReadAt(p []byte, off int64) (int, error) {
	if b.left.Add(-int64(len(p))) < 0 {
		return 0, errBudget
	}
	return b.ReaderAt.ReadAt(p, off)
}
