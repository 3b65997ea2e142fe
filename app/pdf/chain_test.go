package pdf_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"paraph/app/pdf"
)

// TestChainReadsAsOneFile checks that the base and the revisions can be read across their
// borders, and that what was read before a revision was added stays the same.
func TestChainReadsAsOneFile(t *testing.T) {
	t.Parallel()
	c := pdf.NewChain(pdf.Base{Reader: strings.NewReader("upload,"), Size: 7})
	want := "upload,"
	var bases []pdf.Base
	var wants []string
	for _, part := range []string{"one,", "", "two and more,", "3"} {
		c.Add(pdf.Revision{Bytes: []byte(part)})
		want += part
		bases, wants = append(bases, c.Base()), append(wants, want)
	}
	for i, b := range bases {
		if err := iotest.TestReader(io.NewSectionReader(b.Reader, 0, b.Size), []byte(wants[i])); err != nil {
			t.Errorf("%q: %v", wants[i], err)
		}
		if n, err := b.Reader.ReadAt(make([]byte, 1), b.Size); n != 0 || !errors.Is(err, io.EOF) {
			t.Errorf("past the end of %q: %d bytes, %v", wants[i], n, err)
		}
	}
}
