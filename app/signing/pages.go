package signing

import (
	"context"
	"errors"
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/pdf/pdfium"
	"paraph/kv"
)

// PageTexts returns the text of every page of a file as it was uploaded, in
// reading order. Pages beyond the first megabyte of text have none.
func (s *Service) PageTexts(ctx context.Context, who account.Actor, id, file string) ([]string, error) {
	if err := who.Require(account.ScopeRead); err != nil {
		return nil, err
	}
	d, err := s.see(who, id)
	if err != nil {
		return nil, err
	}
	f := d.file(file)
	if f == nil {
		return nil, fault.NotFound("file")
	}
	text, err := s.textOf(ctx, who, f.Base)
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

// textOf returns the text of a file, and reads it now if the job that does so has
// not got to it yet.
func (s *Service) textOf(ctx context.Context, who account.Actor, base string) (string, error) {
	var known fileText
	err := s.DB.View(func(tx *kv.Tx) (err error) {
		known, err = texts.Get(tx, base)
		return err
	})
	if err == nil || !errors.Is(err, kv.ErrNotFound) {
		return known.Text, err
	}
	paths, err := s.Blobs.Paths(base)
	if err != nil {
		return "", err
	}
	text, err := s.PDFium.For(who.Turn()).PlainText(ctx, pdfium.Source{Paths: paths}, maxText)
	if err != nil && ctx.Err() == nil && fault.KindOf(err) != fault.KindUnavailable {
		// The pages can still be viewed.
		s.Log.Warn("no text read from file", "blob", base, "error", err)
		return "", nil
	}
	return text, err
}
