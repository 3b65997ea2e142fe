package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"unicode/utf8"

	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/pdf/document"
	"paraph/app/pdf/pdfium"
	"paraph/app/signing/detect"
	"paraph/app/signing/disk"
	"paraph/app/signing/record"
	"paraph/app/turns"
)

// Arrange makes a PDF of the chosen pages of an uploaded file, when the turn of by comes. The
// PDF is on disk when Arrange returns.
func (s *Intake) Arrange(
	ctx context.Context, by turns.Key, file *record.File, pages []record.PageChoice,
) (record.Whole, error) {
	chosen := make([]pdf.PageChoice, len(pages))
	for i, p := range pages {
		chosen[i] = pdf.PageChoice{Page: p.Page - 1, Rotate: p.Rotate}
	}
	whole := file.WholeFile()
	tooComplex := func(why error) error { return tooComplex("pages", file.Name, why) }
	return s.remake(ctx, by, tooComplex, func(w io.Writer) error {
		for f, err := range s.opened(whole.Base, whole.BaseSize) {
			if err == nil {
				err = pdf.Arrange(ctx, w, f, chosen)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Merge makes one PDF of the pages of several files, when the turn of by comes. The PDF is on disk
// when Merge returns.
func (s *Intake) Merge(ctx context.Context, by turns.Key, files []*record.File) (record.Whole, error) {
	at := files[0]
	tooComplex := func(why error) error { return tooComplex("files", at.Name, why) }
	return s.remake(ctx, by, tooComplex, func(w io.Writer) error {
		return pdf.Merge(ctx, &bounded{w, s.Limits.UploadBytes}, func(yield func(*pdf.File, error) bool) {
			for _, at = range files {
				for f, err := range s.opened(at.Base, at.BaseSize) {
					if !yield(f, err) {
						return
					}
				}
			}
		})
	})
}

// Redact makes a PDF of an uploaded file without what lies in some regions of its pages, when the turn
// of by comes, and looks for text that is left there. The PDF is on disk when Redact returns.
func (s *Intake) Redact(
	ctx context.Context, by turns.Key, file *record.File, regions []detect.Area,
) (record.Whole, error) {
	before, err := s.wordsIn(ctx, by, file.Base, regions, 0)
	if err != nil {
		return record.Whole{}, unread(file, err)
	}
	what := pdf.Redaction{Words: before}
	for _, r := range regions {
		box := document.Box{X: r.X, Y: r.Y, Width: r.Width, Height: r.Height}
		what.Regions = append(what.Regions, pdf.Cover{Page: r.Page - 1, Box: box})
	}
	tooComplex := func(why error) error { return tooComplex("regions", file.Name, why) }
	var lost pdf.Lost
	made, err := s.remake(ctx, by, tooComplex, func(w io.Writer) error {
		for f, err := range s.opened(file.Base, file.BaseSize) {
			if err == nil {
				lost, err = pdf.Redact(ctx, &bounded{w, s.Limits.UploadBytes}, f, what)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return record.Whole{}, err
	}
	after, err := s.wordsIn(ctx, by, made.Base, regions, 0.6)
	if err != nil {
		return record.Whole{}, unread(file, err)
	}
	removed := func(what fault.Code, n int) {
		if n > 0 {
			made.Findings = append(made.Findings, record.Finding{
				Code: what, Severity: record.SeverityWarning, Args: map[string]string{"count": strconv.Itoa(n)},
			})
		}
	}
	removed("pictures_removed", lost.Pictures)
	removed("parts_removed", lost.Spread)
	removed("shown_elsewhere", lost.Elsewhere)
	removed("files_removed", lost.Files)
	if len(after) > 0 {
		return record.Whole{}, tooComplex(fmt.Errorf("%w: %d words are left", errLeft, len(after)))
	}
	return made, nil
}

var errLeft = errors.New("text was not removed")

// unread returns the error for a file whose text can't be read, so that nobody can tell what it has.
func unread(file *record.File, err error) error {
	switch {
	case errors.Is(err, context.Canceled), fault.KindOf(err) == fault.KindUnavailable:
		return err
	case errors.Is(err, pdfium.ErrNotStarted):
		return fault.Unavailable("busy").Because(err)
	}
	return tooComplex("regions", file.Name, err)
}

// wordsIn returns the words in regions of a stored PDF. A word that reaches into one from a side only by less
// than a margin, in characters, is not in it.
func (s *Intake) wordsIn(
	ctx context.Context, by turns.Key, blob string, regions []detect.Area, margin float64,
) (out []string, err error) {
	paths, err := s.Blobs.Paths(blob)
	if err != nil {
		return nil, err
	}
	pages, err := s.PDFium.For(by).Text(ctx, pdfium.Source{Paths: paths})
	if err != nil {
		return nil, err
	}
	byPage := map[int][]detect.Area{}
	for _, r := range regions {
		byPage[r.Page] = append(byPage[r.Page], r)
	}
	const above = 0.3 // what the box of a word has above and below its letters, as a share of its height
	for n, some := range byPage {
		if n > len(pages) {
			continue
		}
		for _, w := range pages[n-1].Words {
			x, y := margin*w.W/float64(max(1, utf8.RuneCountInString(w.Text))), above*w.H
			if slices.ContainsFunc(some, func(r detect.Area) bool {
				return w.X+w.W-x > r.X && w.X+x < r.X+r.Width && w.Y+w.H-y > r.Y && w.Y+y < r.Y+r.Height
			}) {
				out = append(out, w.Text)
			}
		}
	}
	return out, nil
}

// opened yields a stored PDF.
func (s *Intake) opened(blob string, size int64) iter.Seq2[*pdf.File, error] {
	return func(yield func(*pdf.File, error) bool) {
		from, err := s.Blobs.Open(blob)
		if err != nil {
			yield(nil, err)
			return
		}
		more := yield(pdf.Open(from, size))
		if err := from.Close(); err != nil && more {
			yield(nil, err)
		}
	}
}

// bounded writes no more than a number of bytes.
type bounded struct {
	io.Writer
	left int64
}

var errTooLarge = errors.New("larger than an upload may be")

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, errTooLarge
	}
	return b.Writer.Write(p)
}

// remake stores the PDF that write makes of others.
func (s *Intake) remake(
	ctx context.Context, by turns.Key, tooComplex func(error) error, write func(io.Writer) error,
) (made record.Whole, err error) {
	leave, err := s.converting.Enter(ctx, by)
	if err != nil {
		return made, err
	}
	defer leave()
	w, err := s.Blobs.Create()
	if err != nil {
		return made, disk.SpaceError(err)
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	switch err := write(w); {
	case errors.Is(err, errTooLarge):
		return made, fault.TooLarge("file_too_large", fault.Text("limit", disk.Megabytes(s.Limits.UploadBytes)))
	case pdf.Refused(err):
		return made, tooComplex(err)
	case err != nil:
		return made, disk.SpaceError(err)
	}
	if made, err = remade(w, w.Size()); err != nil {
		return made, tooComplex(err)
	}
	ref, err := w.Commit()
	made.Base = ref.Hash
	return made, disk.SpaceError(err)
}

// remade reads what a PDF that was made of others is like.
func remade(r io.ReaderAt, size int64) (record.Whole, error) {
	f, err := pdf.Open(r, size)
	if err != nil {
		return record.Whole{}, err
	}
	in := f.Inspect()
	if err := cmp.Or(in.Err, f.Signable()); err != nil {
		return record.Whole{}, err
	}
	return record.Whole{BaseSize: size, Pages: sizes(f), PDFA: in.PDFA}, nil
}

func tooComplex(field, name string, why error) error {
	return fault.Invalid(field, "file_too_complex.upload", fault.Text("file", name)).Because(why)
}
