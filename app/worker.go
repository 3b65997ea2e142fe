package app

import (
	"io"

	"paraph/app/pdf/pdfium"
)

// ServeWorker runs this program as a PDFium worker.
func ServeWorker(in io.Reader, out io.Writer) error {
	return pdfium.Serve(in, out, pdfium.ServeOptions{})
}
