package app_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
)

// writePDF writes a valid PDF of one page that shows text, padded with incompressible
// bytes. It is streamed, so that it can be larger than memory.
func writePDF(w io.Writer, text string, padding int64) error {
	out := &counting{w: w}
	var at []int64
	object := func(body string) {
		at = append(at, out.n)
		fmt.Fprintf(out, "%d 0 obj\n%s\nendobj\n", len(at), body)
	}
	fmt.Fprint(out, "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	object("<</Type/Pages/Kids[3 0 R]/Count 1>>")
	object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>/PieceInfo 6 0 R>>")
	content := fmt.Sprintf("BT /F 24 Tf 72 720 Td (%s) Tj ET", text)
	object(fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(content), content))
	object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	object("<</Padding<</LastModified(D:20260101000000Z)/Private 7 0 R>>>>")
	at = append(at, out.n)
	fmt.Fprintf(out, "7 0 obj\n<</Length %d>>stream\n", padding)
	random := rand.NewChaCha8([32]byte{7})
	if _, err := io.CopyN(out, random, padding); err != nil {
		return err
	}
	fmt.Fprint(out, "\nendstream\nendobj\n")
	start := out.n
	fmt.Fprintf(out, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(out, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return out.err
}

// counting counts the bytes written and keeps the first error.
type counting struct {
	w   io.Writer
	n   int64
	err error
}

func (c *counting) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.w.Write(p)
	c.n, c.err = c.n+int64(n), err
	return n, err
}

// smallPDF returns a PDF of one page, padded to about size bytes.
func smallPDF(text string, size int) []byte {
	var b bytes.Buffer
	if err := writePDF(&b, text, int64(max(0, size-1200))); err != nil {
		panic(err) // writing to a buffer never fails
	}
	return b.Bytes()
}

// form returns a multipart body of one file, and its content type.
func form(name string, content []byte) (body []byte, contentType string) {
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	part, err := m.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(content)
	}
	if err != nil || m.Close() != nil {
		panic(err) // writing to a buffer never fails
	}
	return b.Bytes(), m.FormDataContentType()
}
