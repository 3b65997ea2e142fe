package app

import (
	"io"

	"paraph/app/pdf/pdfium"
)

// ServeWorker is what this program does when it was started as a PDFium worker.
func ServeWorker(in io.Reader, out io.Writer) error {
	return pdfium.Serve(in, out, pdfium.ServeOptions{})
}
