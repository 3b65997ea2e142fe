package signing

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/pdf/pdfium"
	"paraph/app/signing/lists"
	"paraph/app/signing/record"
	"paraph/app/signing/report"
	"paraph/kv"
)

// PageTexts returns the text of every page of a file's upload, in reading order. Pages
// beyond the first megabyte of text have none.
func (s *Completion) PageTexts(ctx context.Context, who account.Call, id, file string) ([]string, error) {
	if err := who.Require(account.ScopeRead); err != nil {
		return nil, err
	}
	d, err := s.see(who, id)
	if err != nil {
		return nil, err
	}
	f := d.File(file)
	if f == nil {
		return nil, fault.NotFound("file")
	}
	text, err := s.pageTextOf(ctx, who, d, f)
	if err != nil {
		return nil, err
	}
	pages := strings.Split(text, "\f")
	out := make([]string, len(f.Pages))
	for i := range min(len(pages), len(out)) {
		out[i] = strings.TrimSpace(pages[i])
	}
	return out, nil
}

// pageTextOf returns the text of a file, reading it now if the scheduled job has not done so
// yet.
func (s *Completion) pageTextOf(ctx context.Context, who account.Call, d *record.Document, f *record.File) (string, error) {
	key, blobs := record.TextSource(d, f)
	var known lists.FileText
	err := s.db.View(func(tx *kv.Tx) (err error) {
		known, err = lists.Texts.Get(tx, key)
		return err
	})
	if err == nil || !errors.Is(err, kv.ErrNotFound) {
		return known.Text, err
	}
	paths, err := s.blobs.Paths(blobs...)
	if err != nil {
		return "", err
	}
	text, err := s.pdfium.For(who.Turn()).PlainText(ctx, pdfium.Source{Paths: paths}, lists.MaxText)
	if err != nil && ctx.Err() == nil && fault.KindOf(err) != fault.KindUnavailable {
		// The pages can still be viewed.
		s.log.Warn("text of file not read", "blob", f.Base, "error", err)
		return "", nil
	}
	return text, err
}

// drawJob draws the pages of a document before anyone looks at them.
const drawJob = "draw"

// Drawing ahead is limited to what a person views, and leaves the machine to programs that
// take a document from upload to completion in one go.
const (
	drawAhead = 40              // pages of a document
	drawAfter = 2 * time.Second // a document completed by then is not drawn
	drawSmall = 3               // pages of a file that are also drawn for narrow screens
	// smallWidth is the width of pictures for phones, which the signing page names.
	smallWidth = 800
)

// drawLater schedules drawing the pages that people will view next.
func (s *schedule) drawLater(tx *kv.Tx, d *record.Document) error {
	if s.pictures == nil || len(d.Files) == 0 {
		return nil
	}
	payload, err := json.Marshal(documentJob{Company: d.Company, Document: d.ID})
	if err != nil {
		return err
	}
	return s.jobs.Add(tx, kv.Job{
		Kind: drawJob, Scope: d.Company, Key: d.ID, Payload: payload, Due: tx.Now.Add(drawAfter),
	})
}

// drawPages draws the first pages of a document that is waiting for someone. A page
// that can't be drawn is skipped; the error is reported when someone looks at it.
func (s *Completion) drawPages(ctx context.Context, company, id string) error {
	who := account.System(company)
	d, err := s.see(who, id)
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return nil
	case err != nil:
		return err
	case d.DeletedAt != nil || d.Status == record.Completed || d.Status == record.Expired || d.Status == record.Voided:
		return nil
	}
	left := drawAhead
	for i := range d.Files {
		for page := range min(left, len(d.Files[i].Pages)) {
			widths := []int{defaultWidth}
			if page < drawSmall {
				widths = append(widths, smallWidth)
			}
			for _, width := range widths {
				if _, _, err := s.PagePicture(ctx, who, id, d.Files[i].ID, page+1, width); ctx.Err() != nil {
					return ctx.Err()
				} else if err != nil {
					s.log.Warn("page not drawn ahead", "document", id, "page", page+1, "error", err)
				}
			}
		}
		left -= min(left, len(d.Files[i].Pages))
	}
	return nil
}

// VerifyFile reports on every signature of a document's file in its current state.
func (s *Completion) VerifyFile(ctx context.Context, who account.Call, id, file string) (*report.Report, error) {
	if err := who.Require(account.ScopeRead); err != nil {
		return nil, err
	}
	d, err := s.see(who, id)
	if err != nil {
		return nil, err
	}
	f := d.File(file)
	if f == nil {
		return nil, fault.NotFound("file")
	}
	return s.verifier.File(ctx, who, f)
}
