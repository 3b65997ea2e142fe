package verify

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"paraph/app/pdf/pdfium"
	"paraph/app/signing/disk"
	"paraph/app/signing/report"
	"paraph/app/turns"
)

const (
	maxCompared   = 3 // pages of one file
	comparedWidth = 800
)

// compare draws the pages that were changed although a signature forbids it, as they were signed and as they are now.
// A page that cannot be drawn is left out; the verdict does not depend on it.
func (s *Verifier) compare(ctx context.Context, by turns.Key, file *os.File, size int64, found *report.Report) error {
	i := slices.IndexFunc(found.Signatures, func(v report.SignatureVerdict) bool {
		return v.Later == report.NotPermitted && v.End > 0 && v.End < size
	})
	if i < 0 || s.PDFium == nil {
		return nil
	}
	signed, err := s.copyPrefix(file, found.Signatures[i].End)
	if err != nil {
		return err
	}
	for _, page := range changedPages(&found.Signatures[i], found.Pages) {
		then := s.drawn(ctx, by, signed, page)
		now := s.drawn(ctx, by, file.Name(), page)
		if !bytes.Equal(then, now) {
			found.Compared = append(found.Compared, report.Comparison{Page: page, Signed: then, Now: now})
		}
	}
	return disk.Remove(signed)
}

// changedPages lists the pages named by forbidden changes, or the first pages if none are named.
func changedPages(v *report.SignatureVerdict, pages int) []int {
	var out []int
	for _, c := range v.Changes {
		if !c.Permitted && c.Page > 0 {
			out = append(out, c.Page)
		}
	}
	if slices.Sort(out); len(out) == 0 {
		for page := range pages {
			out = append(out, page+1)
		}
	}
	out = slices.Compact(out)
	return out[:min(len(out), maxCompared)]
}

// copyPrefix copies the first bytes of a file to a scratch file and returns its path.
func (s *Verifier) copyPrefix(file io.ReaderAt, size int64) (path string, err error) {
	tmp, err := s.Blobs.Temp()
	if err != nil {
		return "", disk.SpaceError(err)
	}
	_, err = io.Copy(tmp, io.NewSectionReader(file, 0, size))
	if err = errors.Join(err, tmp.Close()); err != nil {
		return "", errors.Join(err, disk.Remove(tmp.Name()))
	}
	return tmp.Name(), nil
}

// drawn returns the picture of a page as PNG, or nil.
func (s *Verifier) drawn(ctx context.Context, by turns.Key, path string, page int) []byte {
	png, err := s.PDFium.For(by).Render(ctx, pdfium.Source{Paths: []string{path}}, page-1, comparedWidth)
	if err != nil {
		return nil
	}
	return png
}
