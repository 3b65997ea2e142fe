// Package convert converts uploads in other formats to PDF: images with a small writer
// of its own, DOCX with LibreOffice if it is installed and otherwise with a built-in
// renderer, HTML by way of DOCX.
//
// Every input is treated as hostile: work is bounded in memory, size and (by the context)
// in time, and nothing accesses the network. A refused file results in a *Refusal that
// wraps ErrTooLarge, ErrDamaged or ErrUnsupported and has a sentence for the person who
// uploaded it. No error contains text of a document.
package convert

import (
	"context"
	"errors"
	"io"
	"time"

	"paraph/app/convert/docx"
	"paraph/app/convert/html"
	"paraph/app/convert/internal/refuse"
	"paraph/app/fault"
)

// Canvas is the drawing surface of the built-in renderer; see docx.Canvas.
type Canvas = docx.Canvas

// Finding describes what the built-in renderer left out or showed differently; see
// docx.Finding.
type Finding = docx.Finding

// Refusal is the error for a file that can't be converted.
type Refusal = refuse.Error

// The kinds of refusal, for errors.Is.
var (
	ErrTooLarge    = refuse.ErrTooLarge
	ErrDamaged     = refuse.ErrDamaged
	ErrUnsupported = refuse.ErrUnsupported
)

// RenderDOCX draws the size bytes of r, a DOCX (ISO/IEC 29500), on c and reports what it
// could not show as Word would. Fields with the file's name show the one given, "" keeps what they showed. The number of pages is limited to docx.MaxPages. If it
// fails, the canvas holds part of the document and must be discarded.
func RenderDOCX(ctx context.Context, r io.ReaderAt, size int64, name string, c Canvas) (found []Finding, err error) {
	err = inTime(ctx, timeLimit, func(ctx context.Context) error {
		found, err = docx.Render(ctx, r, size, name, c)
		return err
	})
	return found, err
}

// HTMLFinding describes what was left out of an HTML file; see html.Finding.
type HTMLFinding = html.Finding

// HTML writes the HTML in r as DOCX to w, and reports what a DOCX can't hold.
func HTML(ctx context.Context, r io.Reader, w io.Writer) (found []HTMLFinding, err error) {
	err = inTime(ctx, timeLimit, func(ctx context.Context) error {
		found, err = html.DOCX(ctx, r, w)
		return err
	})
	return found, err
}

// timeLimit bounds the conversion of one file, whatever the caller's own deadline.
const timeLimit = time.Minute

// tooSlow refuses a file whose conversion took too long.
func tooSlow(limit time.Duration) error {
	return refuse.Exceeded(ErrTimeout, "time", fault.Text("limit", limit.String()))
}

// inTime bounds the time of work. A timeout refuses the file.
func inTime(ctx context.Context, limit time.Duration, work func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, ErrTimeout)
	defer cancel()
	err := work(ctx)
	if err != nil && errors.Is(context.Cause(ctx), ErrTimeout) {
		return tooSlow(limit)
	}
	return err
}
