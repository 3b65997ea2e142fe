package redact_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"paraph/app/pdf"
)

// TestNothingOfCoveredTagsRemains covers a text tag that a tagged file repeats wherever that is possible.
// Only the bytes of the upload still have it.
func TestNothingOfCoveredTagsRemains(t *testing.T) {
	t.Parallel()
	const tag = "{{HIDDEN}}"
	content := "/P<</MCID 0>>BDC BT /F 10 Tf 100 700 Td (" + tag[:5] + ") Tj ET EMC /Span/Q BDC BT /F 10 Tf 125 700 Td (" + tag[5:] + ") Tj ET EMC /P<</MCID 1>>BDC BT /F 10 Tf 100 600 Td (c) Tj ET EMC"
	more := map[int]string{
		6:  "<</Font<</F 10 0 R>>/XObject<</X 40 0 R>>>>",
		1:  "<</Type/Catalog/Pages 2 0 R/StructTreeRoot 50 0 R/MarkInfo<</Marked true>>/Outlines 55 0 R/Metadata 58 0 R>>",
		3:  "<</Type/Page/Parent 2 0 R/Contents 31 0 R/StructParents 7/Resources<</Font<</F 10 0 R>>/Properties<</Q<</ActualText(DEN}})>>>>>>/Annots[59 0 R<</Type/Annot/Subtype/Link/Rect[90 690 120 720]/Contents(link " + tag + ")>>]>>",
		5:  "<</Title(Lease " + tag + ")/Author(KEPT)>>",
		50: "<</Type/StructTreeRoot/K 51 0 R/ParentTree<</Kids[53 0 R]>>>>",
		51: "<</S/Div/P 50 0 R/K[52 0 R 54 0 R]/Alt(HIDDEN of all)/Lang(en)>>",
		52: "<</S/Span/P 51 0 R/Pg 3 0 R/K 0/ActualText({{HID)/E(DEN}})/T(HIDDEN)>>",
		53: "<</Limits[7 7]/Nums[7[52 0 R 54 0 R]]>>",
		54: "<</S/P/P 51 0 R/Pg 3 0 R/K 1/ActualText(KEPT)>>",
		55: "<</First 56 0 R/Last 57 0 R/Count 2>>",
		56: "<</Title(Signature " + tag + " here)/Parent 55 0 R/Next 57 0 R/Dest[3 0 R/Fit]>>",
		57: "<</Title(KEPT too)/Parent 55 0 R/Prev 56 0 R/Dest[3 0 R/Fit]>>",
		58: ">/Type/Metadata/Subtype/XML|<x>Lease " + tag + "</x>",
		59: "<</Type/Annot/Subtype/Link/Rect[90 690 120 720]/Contents(" + tag + ")/F 4>>",
	}
	prepared := func(t *testing.T, more map[int]string) []byte {
		upload := file(content, more)
		r, err := pdf.Prepare(pdf.Base{Reader: bytes.NewReader(upload), Size: int64(len(upload))}, pdf.PrepareSpec{
			Covers: []pdf.Cover{box(95, 695, 160, 715)}, WithoutTags: func(s string) string { return strings.ReplaceAll(s, tag, "") },
		})
		if err != nil {
			t.Fatal(err)
		}
		return slices.Concat(upload, r.Bytes)
	}
	out := prepared(t, more)
	run(t, out, "qpdf", "--check", "FILE")
	all := decoded(t, out)
	for _, gone := range []string{"HID", "DEN"} {
		if strings.Contains(all, gone) {
			t.Errorf("%s is left in %s", gone, all)
		}
	}
	for _, kept := range []string{"(KEPT)", "(KEPT too)", "(Signature  here)", "(Lease )", "<x>Lease </x>", "/MarkInfo", "(link )", "(en)"} {
		if !strings.Contains(all, kept) {
			t.Errorf("%s is lost from %s", kept, all)
		}
	}
	delete(more, 53) // the element of the tag can't be found without the parent tree
	if all := decoded(t, prepared(t, more)); strings.Contains(all, "HID") || strings.Contains(all, "StructTreeRoot") {
		t.Errorf("without a parent tree, it is left in %s", all)
	}
}
