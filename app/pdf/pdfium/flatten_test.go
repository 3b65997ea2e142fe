package pdfium_test

import (
	"path/filepath"
	"strings"
	"testing"

	"paraph/app/pdf/pdfium"
)

// TestFlatten flattens a form, a stamp and a hidden note on a rotated and
// cropped page: visible content stays, and nothing is interactive any more.
func TestFlatten(t *testing.T) {
	t.Parallel()
	e := open(t, nil)
	const field = "<</Type/Annot/Subtype/Widget/FT/Tx/F 4/P 3 0 R/DA(/F 14 Tf 0 g)"
	src := write(t, build(
		"<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(1)>>/AcroForm<</Fields[6 0 R 7 0 R]/DR<</Font<</F 5 0 R>>>>>>>>",
		"<</Type/Pages/Kids[3 0 R 11 0 R]/Count 2/MediaBox[0 0 612 792]>>",
		"<</Type/Page/Parent 2 0 R/Rotate 90/CropBox[50 50 550 750]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>/Annots[6 0 R 7 0 R 8 0 R 9 0 R]>>",
		stream("", "BT /F 20 Tf 100 600 Td (Contents) Tj ET"),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
		field+"/T(drawn)/V(drawn)/Rect[100 500 300 530]/AP<</N 10 0 R>>>>",
		field+"/T(asked)/V(Quibble)/Rect[100 400 300 430]>>",
		"<</Type/Annot/Subtype/Stamp/F 4/Rect[100 300 300 330]/AP<</N 10 0 R>>>>",
		"<</Type/Annot/Subtype/Stamp/F 2/Rect[100 200 300 230]/AP<</N 10 0 R>>>>",
		stream("/Type/XObject/Subtype/Form/BBox[0 0 200 30]/Resources<</Font<</F 5 0 R>>>>", "0 0 1 rg 0 0 200 30 re f 1 g BT /F 14 Tf 5 9 Td (Filled) Tj ET"),
		"<</Type/Page/Parent 2 0 R>>",
	))
	out := filepath.Join(t.TempDir(), "flat.pdf")
	if err := e.Flatten(ctx(t), src, "", out); err != nil {
		t.Fatal(err)
	}
	checkRepaired(t, out)
	flat := pdfium.File(out)
	was, is := ink(render(t, e, src, 0, 600)), ink(render(t, e, flat, 0, 600))
	if was.Empty() || !near(was, is, 2) {
		t.Errorf("ink was in %v, is in %v", was, is)
	}
	text, err := e.PlainText(ctx(t), flat, 1000)
	if err != nil || !strings.Contains(text, "Quibble") || strings.Count(text, "Filled") != 2 || strings.Count(text, "\f") != 1 {
		t.Errorf("text %q, %v", text, err)
	}
	shown := tool(t, "mutool", "show", out, "grep")
	for _, gone := range []string{"AcroForm", "JavaScript", "Annot"} {
		if strings.Contains(shown, gone) {
			t.Errorf("%s is still there: %s", gone, shown)
		}
	}
	for _, bad := range []pdfium.Source{write(t, []byte("hello")), encrypted(t, "user", "owner", "256")} {
		if err := e.Flatten(ctx(t), bad, "", filepath.Join(t.TempDir(), "flat.pdf")); err == nil {
			t.Errorf("%v was flattened", bad)
		}
	}
	if err := e.Flatten(ctx(t), encrypted(t, "user", "owner", "256"), "user", out); err != nil {
		t.Errorf("with its password: %v", err)
	}
}
