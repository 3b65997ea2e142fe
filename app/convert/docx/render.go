package docx

import (
	"context"
	"io"

	"paraph/app/convert/internal/refuse"
)

// MaxPages is how many pages are drawn before a document is refused.
const MaxPages = 2000

// Render draws the size bytes of r on c.
func Render(ctx context.Context, r io.ReaderAt, size int64, c Canvas) ([]Finding, error) {
	return nil, refuse.Unsupported(nil, "DOCX cannot be shown by this version.")
}
