package pdfium

import "fmt"

// Answers of FPDFPage_Flatten.
const flattenFailed = 0

// flatten draws what lies on the pages into them, and gives a new document of
// these pages.
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

// flattenPage draws the fields and annotations of one page into it, as they are
// seen on screens. Fields that have no appearance get one from the form first.
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
