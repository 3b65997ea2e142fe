package pdfium

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// document is an open PDF. It is closed together with its instance.
type document struct {
	*instance
	handle uint64
}

// Results of FPDF_GetLastError.
const (
	lastErrorPassword = 4
	lastErrorSecurity = 5
)

// open opens the source of the instance.
func (i *instance) open(password string) (*document, error) {
	param := i.malloc(4)
	access := i.call("FPDF_FILEACCESS_Create", uint64(i.src.size), param)
	var pass uint64
	if password != "" {
		pass = i.malloc(len(password) + 1)
		copy(i.bytes(pass, len(password)+1), password+"\x00")
	}
	h := i.call("FPDF_LoadCustomDocument", access, pass)
	if h != 0 || i.err != nil {
		return &document{i, h}, i.err
	}
	switch code := i.call("FPDF_GetLastError"); code {
	case lastErrorPassword:
		return nil, ErrPassword
	case lastErrorSecurity:
		return nil, ErrUnsupported
	default:
		return nil, fmt.Errorf("%w (PDFium error %d)", ErrDamaged, code)
	}
}

// pages returns the number of pages, or an error if it is implausibly high.
func (d *document) pages() (int, error) {
	n := d.callInt("FPDF_GetPageCount", d.handle)
	if d.err != nil {
		return 0, d.err
	}
	if n > MaxPages {
		return 0, fmt.Errorf("%w: %d pages", ErrTooLarge, n)
	}
	if n <= 0 {
		return 0, fmt.Errorf("%w: no pages", ErrDamaged)
	}
	return n, nil
}

// sizes returns the size of each page as two big-endian float64.
func (d *document) sizes() ([]byte, error) {
	n, err := d.pages()
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, n*16)
	for k := range n {
		ok := d.call("FPDF_GetPageSizeByIndexF", d.handle, uint64(k), d.temp)
		b := d.bytes(d.temp, 8)
		if d.err != nil {
			return nil, d.err
		}
		if ok == 0 {
			return nil, fmt.Errorf("%w: page %d", ErrDamaged, k+1)
		}
		out = binary.BigEndian.AppendUint64(out, math.Float64bits(float64(float32At(b, 0))))
		out = binary.BigEndian.AppendUint64(out, math.Float64bits(float64(float32At(b, 4))))
	}
	return out, nil
}

// page is an open page.
type page struct {
	*document
	handle        uint64
	width, height float64 // points, as displayed
}

func (d *document) page(number int) (*page, error) {
	n := d.callInt("FPDF_GetPageCount", d.handle)
	if d.err == nil && number >= n {
		return nil, fmt.Errorf("%w: %d of %d", ErrNoPage, number+1, n)
	}
	h := d.call("FPDF_LoadPage", d.handle, uint64(number))
	p := &page{document: d, handle: h}
	p.width = float64(math.Float32frombits(uint32(d.call("FPDF_GetPageWidthF", h))))
	p.height = float64(math.Float32frombits(uint32(d.call("FPDF_GetPageHeightF", h))))
	switch {
	case d.err != nil:
		return nil, d.err
	case h == 0, !(p.width > 0), !(p.height > 0):
		return nil, fmt.Errorf("%w: page %d", ErrDamaged, number+1)
	}
	return p, nil
}

func (p *page) close() { p.call("FPDF_ClosePage", p.handle) }

// removeSecurity is FPDF_REMOVE_SECURITY: rewrite everything, unencrypted.
const removeSecurity = 3

// save rewrites the document to w.
func (d *document) save(w io.Writer) error {
	d.out, d.outErr = w, nil
	defer func() { d.out = nil }()
	fileWrite := d.call("FPDF_FILEWRITE_Create")
	ok := d.call("FPDF_SaveAsCopy", d.handle, fileWrite, removeSecurity)
	switch {
	case d.outErr != nil:
		return d.outErr
	case d.err != nil:
		return d.err
	case ok == 0:
		return fmt.Errorf("%w: could not be rewritten", ErrDamaged)
	}
	return nil
}

func float32At(b []byte, off int) float32 {
	if len(b) < off+4 {
		return 0
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(b[off:]))
}

func float64At(b []byte, off int) float64 {
	if len(b) < off+8 {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b[off:]))
}
