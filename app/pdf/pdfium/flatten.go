package pdfium

import "fmt"

// Results of FPDFPage_Flatten.
const flattenFailed = 0

// flatten draws the annotations and fields into the pages and returns a new
// document of these pages.
func (d *document) flatten() (*document, error) {
	n, err := d.pages()
	if err != nil {
		return nil, err
	}
	info := d.call("FPDF_FORMFILLINFO_Create")
	form := d.call("FPDFDOC_InitFormFillEnvironment", d.handle, info)
	for k := range n {
		if err := d.flattenPage(k, form); err != nil {
			return nil, err
		}
	}
	if form != 0 {
		d.call("FPDFDOC_ExitFormFillEnvironment", form)
	}
	flat := &document{instance: d.instance, handle: d.call("FPDF_CreateNewDocument")}
	ok := d.call("FPDF_ImportPages", flat.handle, d.handle, 0, 0)
	switch {
	case d.err != nil:
		return nil, d.err
	case ok == 0:
		return nil, fmt.Errorf("%w: pages could not be copied", ErrDamaged)
	}
	return flat, nil
}

// flattenPage draws the fields and annotations of one page into it as displayed
// on screen. Fields without an appearance get one from the form first.
func (d *document) flattenPage(number int, form uint64) error {
	p, err := d.page(number)
	if err != nil {
		return err
	}
	defer p.close()
	if form != 0 {
		d.call("FORM_OnAfterLoadPage", p.handle, form)
		defer d.call("FORM_OnBeforeClosePage", p.handle, form)
	}
	const asDisplayed = 0
	if d.call("FPDFPage_Flatten", p.handle, asDisplayed) == flattenFailed && d.err == nil {
		return fmt.Errorf("%w: page %d could not be flattened", ErrDamaged, number+1)
	}
	return d.err
}
