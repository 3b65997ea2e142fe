package convert

import (
	"bufio"
	"compress/zlib"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
)

// pdfWriter writes a PDF 1.7 file object by object, with a classic
// cross-reference table at the end. It keeps only the offsets in memory.
type pdfWriter struct {
	w       *bufio.Writer
	sum     hash.Hash // of all bytes so far; becomes the file identifier
	at      int64
	offsets []int64 // by object number; 0: reserved, not yet written
	err     error
}

func newPDFWriter(w io.Writer) *pdfWriter {
	p := &pdfWriter{w: bufio.NewWriterSize(w, 64<<10), sum: sha256.New(), offsets: make([]int64, 1)}
	p.printf("%%PDF-1.7\n%%\xe2\xe3\xcf\xd3\n")
	return p
}

func (p *pdfWriter) Write(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	n, err := p.w.Write(b)
	p.sum.Write(b[:n])
	p.at += int64(n)
	p.err = err
	return n, err
}

// printf stores its error in p.err, which close returns.
func (p *pdfWriter) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(p, format, args...)
}

// reserve takes the next object number.
func (p *pdfWriter) reserve() int {
	p.offsets = append(p.offsets, 0)
	return len(p.offsets) - 1
}

func (p *pdfWriter) object(id int, format string, args ...any) {
	p.offsets[id] = p.at
	p.printf("%d 0 obj\n", id)
	p.printf(format, args...)
	p.printf("\nendobj\n")
}

// stream writes a stream whose length is known only after writing it.
func (p *pdfWriter) stream(id int, dict string, fill func(io.Writer) error) error {
	length := p.reserve()
	p.offsets[id] = p.at
	p.printf("%d 0 obj\n<<%s /Length %d 0 R>>\nstream\n", id, dict, length)
	start := p.at
	if err := fill(p); err != nil {
		return errors.Join(p.err, err)
	}
	n := p.at - start
	p.printf("\nendstream\nendobj\n")
	p.object(length, "%d", n)
	return p.err
}

// deflate is like stream, with FlateDecode; dict holds the filter's parameters.
func (p *pdfWriter) deflate(id int, dict string, fill func(io.Writer) error) error {
	return p.stream(id, dict+" /Filter /FlateDecode", func(w io.Writer) error {
		z := zlib.NewWriter(w)
		if err := fill(z); err != nil {
			return err
		}
		return z.Close()
	})
}

// close writes the cross-reference table and trailer.
func (p *pdfWriter) close(root int) error {
	start := p.at
	p.printf("xref\n0 %d\n0000000000 65535 f \n", len(p.offsets))
	for _, at := range p.offsets[1:] {
		p.printf("%010d 00000 n \n", at)
	}
	id := p.sum.Sum(nil)[:16]
	p.printf("trailer\n<</Size %d /Root %d 0 R /ID [<%x> <%x>]>>\nstartxref\n%d\n%%%%EOF\n", len(p.offsets), root, id, id, start)
	if p.err != nil {
		return p.err
	}
	return p.w.Flush()
}
