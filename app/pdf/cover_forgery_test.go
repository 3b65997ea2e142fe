package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"paraph/app/pdf"
	"paraph/app/pdf/text"
)

// TestCoveringIsForbidden signs later with appearances that hide what was there before.
func TestCoveringIsForbidden(t *testing.T) {
	t.Parallel()
	b := newBuilder()
	b.object(1, "<</Type/Catalog/Pages 2 0 R>>")
	b.object(2, "<</Type/Pages/Kids[10 0 R]/Count 1/MediaBox[0 0 600 800]>>")
	b.object(3, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	b.object(10, "<</Type/Page/Parent 2 0 R/Resources<</Font<</F 3 0 R>>>>/Contents 11 0 R>>")
	b.stream(11, "", "BT /F 12 Tf 70 700 Td (Price 900) Tj 230 0 Td (__________) Tj ET")
	spec := pdf.PrepareSpec{
		Fields: []pdf.FieldSpec{
			{Name: "words", Type: pdf.FieldImage, X: .1, Y: .1, Width: .2, Height: .05, Owner: "bob"},
			{Name: "line", Type: pdf.FieldImage, X: .45, Y: .1, Width: .2, Height: .05, Owner: "bob"},
			{Name: "below", Type: pdf.FieldText, X: .1, Y: .4, Width: .2, Height: .03, Owner: "alice"},
			{Name: "above", Type: pdf.FieldImage, X: .1, Y: .38, Width: .2, Height: .06, Owner: "bob"},
			{Name: "blank", Type: pdf.FieldImage, X: .5, Y: .6, Width: .2, Height: .06, Owner: "bob"},
		},
		Signatures: []pdf.SignatureSpec{{Name: "alice", Page: -1}, {Name: "bob", Page: -1}},
	}
	seal := smallSeal()
	spec.Certify = &seal
	c := newChain(t, b.end("/Root 1 0 R"))
	c.add(pdf.Prepare(c.base(), spec))
	c.add(pdf.Sign(c.base(), pdf.SignSpec{Field: "alice", Seal: seal, Values: []pdf.FieldValue{{Name: "below", Text: "agreed"}}}))
	v := victim{t, c.bytes}
	drawn := func(resources, ops string) string {
		return content("/Type/XObject/Subtype/Form/BBox[0 0 120 40]/Resources<<"+resources+">>", ops)
	}
	image := "/XObject<</I 601 0 R>>"
	for name, x := range map[string]struct {
		field, resources, ops, image string
		sound                        bool
	}{
		"an area over words":            {"words", "", "1 g 0 0 120 40 re f", "", false},
		"an area over a line":           {"line", "", "1 g 0 0 120 40 re f", "", true},
		"an area on blank paper":        {"blank", "", "1 g 0 0 120 40 re f", "", true},
		"an area over a field":          {"above", "", "1 g 0 0 120 40 re f", "", false},
		"a picture over words":          {"words", image, "q 120 0 0 40 0 0 cm /I Do Q", "", false},
		"a picture over a field":        {"above", image, "q 120 0 0 40 0 0 cm /I Do Q", "", false},
		"a picture with holes":          {"words", image, "q 120 0 0 40 0 0 cm /I Do Q", "/SMask 602 0 R", true},
		"a picture that is multiplied":  {"words", image + "/ExtGState<</M<</BM/Multiply>>>>", "q /M gs 120 0 0 40 0 0 cm /I Do Q", "", true},
		"black that is multiplied":      {"words", "/ExtGState<</M<</BM/Multiply>>>>", "q /M gs 0 g 0 0 120 40 re f Q", "", false},
		"light colour, multiplied":      {"words", "/ExtGState<</M<</BM/Multiply>>>>", "q /M gs 1 1 0 rg 0 0 120 40 re f Q", "", true},
		"a transparent area":            {"words", "/ExtGState<</M<</ca .3>>>>", "q /M gs 1 1 0 rg 0 0 120 40 re f Q", "", true},
		"lines over words":              {"words", "", "0 0 m 120 40 l S 0 40 m 60 0 l S", "", true},
		"a shading over words":          {"words", "/Shading<</S<</ShadingType 2>>>>", "/S sh", "", false},
		"an inline image over words":    {"words", "", "q 120 0 0 40 0 0 cm BI /W 1/H 1/BPC 8/CS/G ID x EI Q", "", false},
		"an area clipped away":          {"words", "", "q 0 0 1 1 re W n 1 g 0 0 120 40 re f Q", "", true},
		"a triangle of four corners":    {"words", "", "1 g 0 0 m 120 0 l 120 40 l 0 40 l f", "", false},
		"an area in a form in the form": {"words", "/XObject<</I 603 0 R>>", "/I Do", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := v.field(x.field)
			objects := map[int]string{
				600: drawn(x.resources, x.ops),
				601: content("/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray"+x.image, "x"),
				602: content("/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray", "\x00"),
				603: drawn("", "1 g 0 0 120 40 re f"),
			}
			objects[n] = strings.Replace(v.is(n), fmt.Sprintf("/Drawn %s", strings.Split(strings.Split(v.is(n), "/Drawn ")[1], ">>")[0]), "/Drawn 600 0 R", 1)
			for who, s := range signatures(t, v.with(objects)) {
				if s.Sound() != x.sound {
					t.Errorf("%s is sound: %v, %v", who, s.Sound(), forbiddenChanges(s))
				}
			}
		})
	}
}

// TestAwkwardValuesAreSound fills fields with values whose order or division differs
// from how they are typed, in lines and in cells: the verdict agrees with what is drawn.
func TestAwkwardValuesAreSound(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	values := []string{
		"12.50", "-1,234.56", "1 234,50 €", "500 ﷼", "١٬٢٣٤٫٥٠", "۱۲۳ ۴۵۶", "https://example.com/a/very/long/path?with=a&query=of-many-words#and.a.fragment",
		"EUR 1,234,567,890.50 and cents", "שלום 12.50 (ABC) עולם", "سعر 12.50 EUR (19%)", "abc עברית 123 def", "12:30–14:00", "2026-11-28",
		"नमस्ते १२३", "สวัสดี ๑๒๓", "山田太郎、〒100-0001", "+49 (30) 123-456", "#1 @home 50%", "a\nשלום 5\nb", "e\u0301t\u00e9 \ufb01n", "½ ² №",
	}
	spec := pdf.PrepareSpec{Signatures: []pdf.SignatureSpec{{Name: "s", Page: -1}}}
	shapes := []text.Field{{}, {Multiline: true}, {Cells: 90}}
	at := func(i, j int) string { return fmt.Sprintf("v%d_%d", i, j) }
	for i := range values {
		for j := range shapes {
			spec.Fields = append(spec.Fields, pdf.FieldSpec{
				Name: at(i, j), Type: pdf.FieldText, X: .05 + .3*float64(j), Y: .02 + .04*float64(i), Width: .28, Height: .035, Owner: "s",
			})
		}
	}
	seal := smallSeal()
	spec.Certify = &seal
	c := newChain(t, plain(1))
	c.add(pdf.Prepare(c.base(), spec))
	set := fonts.NewSet()
	sign := pdf.SignSpec{Field: "s", Seal: seal, Embed: set.Embed}
	for i, v := range values {
		for j, shape := range shapes {
			shape.Text = v
			sign.Values = append(sign.Values, pdf.FieldValue{Name: at(i, j), Text: v, Appearance: set.Text(text.Box{Width: 70, Height: 28}, shape)})
		}
	}
	c.add(pdf.Sign(c.base(), sign))
	sound(t, c.bytes)
}

// TestFormIsFinal changes what nobody was to fill in, after a certification or another
// signature.
func TestFormIsFinal(t *testing.T) {
	t.Parallel()
	b := newBuilder()
	b.object(1, "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[20 0 R]/DA(/F 9 Tf 0 g)>>>>")
	b.object(2, "<</Type/Pages/Kids[10 0 R]/Count 1/MediaBox[0 0 600 800]>>")
	b.object(3, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	b.object(10, "<</Type/Page/Parent 2 0 R/Annots[20 0 R]>>")
	b.object(20, "<</Type/Annot/Subtype/Widget/FT/Tx/T(price)/V(100)/Rect[10 10 90 30]/F 4/AP<</N 21 0 R>>>>")
	shows := func(s string) string {
		return content("/Type/XObject/Subtype/Form/BBox[0 0 80 20]/Resources<</Font<</F 3 0 R>>>>", "/Tx BMC q BT /F 9 Tf 2 2 Td ("+s+") Tj ET Q EMC")
	}
	b.object(21, shows("100"))
	v := victim{t, halfSigned(t, b.end("/Root 1 0 R"))}
	changed := v.with(map[int]string{20: v.edit(20, "/V(100)", "/V(999)"), 21: shows("999")})
	for who, s := range signatures(t, changed) {
		if s.Sound() {
			t.Errorf("%s is sound", who)
		}
	}
}
