package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"paraph/app/pdf"
	"paraph/app/pdf/verify"
)

// TestLegitimateChanges covers what signing programs, archives and forms append to
// signed files: none of it may raise an alarm.
func TestLegitimateChanges(t *testing.T) {
	t.Parallel()
	v := victim{t, complete(t, layered(nil, ""), twoSignatories()).bytes}
	widget := "/Type/Annot/Subtype/Widget/P 10 0 R/F 132/Rect[0 0 0 0]"
	more := func(n int, old, with string) string { return v.edit(n, old, old+with) }
	check, alice := v.field("a_check"), v.field("alice")
	for name, objects := range map[string]map[int]string{
		"unused object":                {400: "<<>>"},
		"unchanged copies":             {10: v.is(10), 11: v.is(11), 13: v.is(13), check: v.is(check), alice: v.is(alice), 1: v.is(1), v.form(): v.is(v.form())},
		"inherited resources repeated": {10: more(10, "/Type /Page", "/Resources 13 0 R")},
		"an equal dictionary":          {10: more(10, "/Type /Page", "/Resources 400 0 R"), 400: v.is(13)},
		"equal boxes":                  {10: more(10, "/Type /Page", "/MediaBox[0 0 612 792]/Rotate 0")},
		"annotations by reference":     {10: strings.Replace(v.edit(10, "/Annots [", "/Annots 400 0 R/Old ["), "/Old ["+annots(v), "", 1), 400: "[" + annots(v)},
		"a mark in the page tree":      {2: more(2, "/Type/Pages", "/ITXT(5.0.0)")},
		"tab order":                    {10: more(10, "/Type /Page", "/Tabs/S/LastModified(D:20260101)")},
		"metadata":                     {9: content("/Type/Metadata/Subtype/XML", xmp("Two"))},
		"metadata under a new number":  {1: v.edit(1, "/Metadata 9 0 R", "/Metadata 400 0 R"), 400: content("/Type/Metadata/Subtype/XML", xmp("Two"))},
		"version and extensions":       {1: strings.Replace(more(1, "/Pages 2 0 R", "/Version/2.0"), "/Extensions <<", "/Extensions <</ISO_<</BaseVersion/2.0/ExtensionLevel 32003>>", 1)},
		"validation data":              {v.store(): more(v.store(), "/Certs [", "400 0 R "), 400: content("", "0")},
		"validation data by type":      {v.store(): more(v.store(), "/Type /DSS", "/OCSPs 401 0 R"), 400: content("", "0"), 401: "[400 0 R]"},
		"an entry for a signature":     {v.store(): more(v.store(), "/VRI <<", "/"+strings.Repeat("A", 40)+" 401 0 R"), 400: content("", "0"), 401: "<</Type/VRI/CRL[400 0 R]/TU(D:20260101)>>"},
		"an invisible empty field":     {400: "<<" + widget + "/FT/Sig/T(later)>>", v.form(): v.adding(400), 10: v.onPage(400)},
		"field locked by its signer":   {check: v.edit(check, "/Ff 0", "/Ff 1")},
		"default resources":            {v.form(): more(v.form(), "/Font <<", "/Helv 400 0 R"), 400: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"},
		"appearances requested":        {v.form(): more(v.form(), "/SigFlags 3", "/NeedAppearances true")},
		"tags for a new field": {
			400: "<<" + widget + "/FT/Sig/T(later)/StructParent 1>>", v.form(): v.adding(400), 10: v.onPage(400),
			401: "<</Type/StructElem/S/Form/P 14 0 R/Pg 10 0 R/K<</Type/OBJR/Obj 400 0 R>>>>",
			14:  v.edit(14, "[20 0 R]", "[20 0 R 401 0 R]"), 15: v.edit(15, "[0[20 0 R]]", "[0[20 0 R]1 401 0 R]"), 8: v.edit(8, "NextKey 1", "NextKey 2"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sound(t, v.with(objects))
		})
	}
	for name, b := range map[string][]byte{
		"information":                   patchFrom(v.bytes, map[int]string{18: "<</Producer(Somebody)/ModDate(D:20260101)>>"}, startXref(v.bytes), "/Info 18 0 R"),
		"information, new":              patchFrom(v.bytes, map[int]string{400: "<</Producer(Somebody)>>"}, startXref(v.bytes), "/Info 400 0 R"),
		"a mark":                        patchFrom(v.bytes, nil, startXref(v.bytes), "/Info 18 0 R/ITXT(5.0.0)"),
		"several, one by one":           patch(patch(patch(v.bytes, map[int]string{400: "<<>>"}), map[int]string{9: content("", xmp("Two"))}), map[int]string{401: "<<>>"}),
		"a stale number in the trailer": patch(markedUpload(t), map[int]string{33: "<<>>"}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sound(t, b)
		})
	}
}

// TestHybridSigning adds annotations to a page in a section that old readers
// ignore, as some programs do when signing hybrid files: old readers see the
// same page without them. Any other difference in the page would make it a
// different file.
func TestHybridSigning(t *testing.T) {
	t.Parallel()
	upload := layered(nil, "")
	page := newest(upload, 12) // Prepare rewrites the first page
	for name, c := range map[string]struct {
		page      string
		ambiguous bool
	}{
		"annotations":  {strings.Replace(page, "/Type/Page", "/Type/Page/Annots[400 0 R]", 1), false},
		"other text":   {strings.Replace(page, "11 0 R", "16 0 R", 1), true},
		"another page": {"<</Type/Page/Parent 2 0 R/Annots[400 0 R]>>", true},
	} {
		b := hybrid(upload, 12, c.page)
		if c.ambiguous { // refused, because none of its signatures would be sound
			seal := smallSeal()
			_, err := pdf.Prepare(newChain(t, b).base(), pdf.PrepareSpec{Certify: &seal})
			if !errors.Is(err, pdf.ErrTwoRoles) || !strings.Contains(err.Error(), verify.ProblemHybrid) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		sound(t, complete(t, b, twoSignatories()).bytes)
	}
}

// annots returns the list of annotations of the first page, without its opening
// bracket.
func annots(v victim) string {
	_, rest, _ := strings.Cut(v.is(10), "/Annots [")
	list, _, _ := strings.Cut(rest, "]")
	return list + "]"
}

// markedUpload returns a signed file whose trailer contains an unused object
// number.
func markedUpload(t testing.TB) []byte {
	i := signer(t)
	c := newChain(t, foreign(t, 0))
	marked := patchFrom(c.bytes, nil, startXref(c.bytes), "/AdditionalStreams[/a 33 0 R]")
	c = newChain(t, marked)
	c.add(pdf.Timestamp(c.base(), "", 8192, i.stamp))
	return c.bytes
}

func sound(t *testing.T, b []byte) {
	t.Helper()
	sigs := signatures(t, b)
	if len(sigs) == 0 {
		t.Error("no signatures")
	}
	for who, s := range sigs {
		if !s.Sound() {
			t.Errorf("%s: %v %v", who, s.Problems, forbiddenChanges(s))
		}
	}
}

func forbiddenChanges(s verify.Signature) []string {
	var out []string
	for _, u := range s.Later {
		for _, c := range u.Changes {
			if !c.Permitted {
				out = append(out, fmt.Sprintf("%+v", c))
			}
		}
	}
	return out
}

// TestPermittedFilling fills in fields that are still open after a
// certification and a signature.
func TestPermittedFilling(t *testing.T) {
	t.Parallel()
	v := victim{t, halfSigned(t, layered(nil, ""))}
	date := v.field("b_date")
	drawn := func(text string) string {
		return content("/Type/XObject/Subtype/Form/BBox[0 0 99 9]/Resources<</Font<</F 3 0 R>>>>", "/Tx BMC q BT /F 9 Tf 2 2 Td ("+text+") Tj ET Q EMC")
	}
	filled := func(text string) string {
		return strings.Replace(v.edit(date, "/V ()", "/V ("+text+")"), fmt.Sprintf("/N %d 0 R", v.ref(date, "/AP")), "/N 400 0 R", 1)
	}
	for name, c := range map[string]struct {
		objects map[int]string
		sound   bool
	}{
		"filled in":               {map[int]string{date: filled("2026-02-02"), 400: drawn("2026-02-02")}, true},
		"in two lines":            {map[int]string{date: filled("one two"), 400: drawn("one) Tj 0 -9 Td (two")}, true},
		"in place":                {map[int]string{date: v.edit(date, "/V ()", "/V (1)"), v.ref(date, "/AP"): drawn("1")}, true},
		"another number":          {map[int]string{date: filled("10.00"), 400: drawn("1000")}, false},
		"more than the value":     {map[int]string{date: filled("100"), 400: drawn("100 000")}, false},
		"a picture":               {map[int]string{date: filled("100"), 400: drawn("100) Tj ET /X Do BT (")}, false},
		"invisible text":          {map[int]string{date: filled("100"), 400: drawn(") Tj 3 Tr (100")}, false},
		"an object that was used": {map[int]string{date: strings.Replace(filled("1"), "/N 400 0 R", "/N 16 0 R", 1)}, false},
		"colour only":             {map[int]string{date: v.edit(date, " Tf 0 g)", " Tf 1 g)")}, false},
		"alignment only":          {map[int]string{date: v.edit(date, "/V ()", "/V ()/Q 2")}, false},
		"another state":           {map[int]string{date: v.edit(date, "/V ()", "/V ()/AS/X")}, false},
		"contradicting rich text": {map[int]string{date: strings.Replace(filled("1"), "/V (1)", "/V (1)/RV(<p>2</p>)", 1), 400: drawn("1")}, false},
		"the same rich text":      {map[int]string{date: strings.Replace(filled("1"), "/V (1)", "/V (1)/RV(<p>1</p>)", 1), 400: drawn("1")}, true},
		"appearance removed":      {map[int]string{date: strings.Replace(filled("1"), "/AP", "/X", 1), 400: drawn("1")}, false},
	} {
		b := v.with(c.objects)
		for who, s := range signatures(t, b) {
			if s.Sound() != c.sound {
				t.Errorf("%s: %s is sound: %v, %v", name, who, s.Sound(), forbiddenChanges(s))
			}
		}
	}
}

// BenchmarkManySignatures judges 25 signatures, each with its validation data.
func BenchmarkManySignatures(b *testing.B) {
	c := newChain(b, layered(nil, ""))
	spec := pdf.PrepareSpec{}
	for i := range 25 {
		spec.Signatures = append(spec.Signatures, pdf.SignatureSpec{Name: fmt.Sprint("s", i), X: 0.1, Y: 0.1, Width: 0.2, Height: 0.1})
	}
	c.add(pdf.Prepare(c.base(), spec))
	seal := pdf.Seal{Size: 8192, Sign: func([]byte) ([]byte, error) { return []byte{0x30, 0}, nil }}
	for i := range 25 {
		c.add(pdf.Sign(c.base(), pdf.SignSpec{Field: fmt.Sprint("s", i), Seal: seal}))
		c.add(pdf.AddDSS(c.base(), [][]byte{bytes.Repeat([]byte{byte(i)}, 900)}, nil, nil))
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := verify.Signatures(c.open().File); err != nil {
			b.Fatal(err)
		}
	}
}
