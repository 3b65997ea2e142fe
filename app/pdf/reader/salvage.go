package reader

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
)

// Salvage examines a file that has lost its beginning or its end. It returns
// the data that a repairing reader needs before and after the file: a header,
// and a trailer that refers to the catalog. Both are empty if they would not
// help.
func Salvage(r io.ReaderAt, size int64) (head, tail []byte, err error) {
	root, err := lastCatalog(r, size)
	if err != nil || root == "" {
		return nil, nil, err
	}
	first := make([]byte, min(size, 1024))
	if _, err := r.ReadAt(first, 0); err != nil && err != io.EOF {
		return nil, nil, fmt.Errorf("read PDF: %w", err)
	}
	if !bytes.Contains(first, []byte("%PDF-")) {
		head = []byte("%PDF-1.7\n")
	}
	return head, fmt.Appendf(nil, "\nendstream\nendobj\ntrailer\n<</Root %s>>\nstartxref\n0\n%%%%EOF\n", root), nil
}

var (
	catalogType = regexp.MustCompile(`/Type\s*/Catalog\b`)
	objectBegin = regexp.MustCompile(`(\d{1,7})\s+(\d{1,5})\s+obj\b`)
)

// lastCatalog finds the last uncompressed catalog dictionary in a file and
// returns the reference to it, or "".
func lastCatalog(r io.ReaderAt, size int64) (root string, err error) {
	const window, overlap = 1 << 20, 8 << 10
	b := make([]byte, window)
	for at := int64(0); at < size; at += window - overlap {
		n, err := r.ReadAt(b, at)
		if err != nil && err != io.EOF {
			return "", fmt.Errorf("read PDF: %w", err)
		}
		for _, m := range catalogType.FindAllIndex(b[:n], -1) {
			before := b[max(0, m[0]-overlap):m[0]]
			begins := objectBegin.FindAllSubmatchIndex(before, -1)
			if len(begins) == 0 {
				continue
			}
			last := begins[len(begins)-1]
			if !bytes.Contains(before[last[1]:], []byte("endobj")) {
				root = fmt.Sprintf("%s %s R", before[last[2]:last[3]], before[last[4]:last[5]])
			}
		}
	}
	return root, nil
}
