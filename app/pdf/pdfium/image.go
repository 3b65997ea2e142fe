package pdfium

import (
	"bytes"
	"errors"
	"fmt"
)

// image is the memory of an instance that is ready for its first document.
// PDFium looks through all fonts of the system when it first meets one that isn't
// embedded; an instance that starts from an image has done so, without having
// seen anybody's file. Memory is the whole state of an instance that isn't in the
// middle of a call, so one that is given its image again knows nothing of the
// document it had.
type image struct {
	size  int    // bytes of the whole memory
	temp  uint64 // the instance's field of this name
	stack uint64 // where the stack ends between calls
	runs  []run  // the parts that aren't zero
	saved savedMemory
}

// run is a part of the memory, in whole pages.
type run struct{ start, end int }

const (
	wasmPage = 64 << 10
	runPage  = 4 << 10
	runGap   = 16 << 10 // zeroes that don't end a run
)

// fontSample is a page with text in fonts that aren't embedded: one that PDFium has
// built in, and one that it looks for.
const fontSample = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</A 5 0 R/B 6 0 R>>>>>>endobj
4 0 obj<</Length 44>>stream
BT /A 1 Tf (a) Tj /B 1 Tf (b) Tj ET         
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
6 0 obj<</Type/Font/Subtype/TrueType/BaseFont/Unknown>>endobj
trailer<</Root 1 0 R>>
`

// takeImage makes an instance ready and keeps what is in its memory then.
func (m *module) takeImage() (err error) {
	i, err := m.create()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, i.close()) }()
	i.call("FPDF_InitLibrary")
	temp := i.malloc(64)
	if err := i.findFonts(); err != nil {
		return err
	}
	size := int(i.mem.Size())
	img := &image{size: size, temp: temp, stack: i.stack(), runs: runsOf(i.bytes(0, size))}
	if i.err != nil {
		return i.err
	}
	if img.saved, err = saveMemory(i.bytes(0, size), img.runs); err == nil {
		m.image = img
	}
	return err
}

// findFonts opens the sample, so that PDFium looks for fonts.
func (i *instance) findFonts() error {
	sample := i.malloc(len(fontSample))
	copy(i.bytes(sample, len(fontSample)), fontSample)
	d := document{i, i.call("FPDF_LoadMemDocument", sample, uint64(len(fontSample)), 0)}
	p, err := d.page(0)
	if err != nil {
		return errors.Join(i.err, fmt.Errorf("pdfium: sample of fonts: %w", err))
	}
	p.close()
	i.call("FPDF_CloseDocument", d.handle)
	i.free(sample)
	return i.err
}

// runsOf returns the parts of memory that aren't zero.
func runsOf(memory []byte) []run {
	var runs []run
	zero := make([]byte, runPage)
	for at := 0; at < len(memory); at += runPage {
		if bytes.Equal(memory[at:at+runPage], zero) {
			continue
		}
		if n := len(runs); n > 0 && at-runs[n-1].end <= runGap {
			runs[n-1].end = at + runPage
		} else {
			runs = append(runs, run{at, at + runPage})
		}
	}
	return runs
}

// reset restores the memory of an instance from the image. If it fails, the instance can't
// be used any more.
func (i *instance) reset() error {
	img := i.m.image
	if missing := img.size - int(i.mem.Size()); missing > 0 {
		if _, ok := i.mem.Grow(uint32(missing / wasmPage)); !ok {
			return fmt.Errorf("%w: no room for %d MiB", ErrTooLarge, img.size>>20)
		}
	}
	if err := img.saved.restore(i.bytes(0, int(i.mem.Size())), img.runs); err != nil {
		return fmt.Errorf("pdfium: memory: %w", err)
	}
	i.temp, i.src, i.out, i.outErr = img.temp, nil, nil, nil
	return i.err
}

// stack returns where the stack ends, the one thing that changes outside the memory.
func (i *instance) stack() uint64 { return i.call("emscripten_stack_get_current") }
