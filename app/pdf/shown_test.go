package pdf_test

import (
	"fmt"
	"testing"

	"paraph/app/pdf"
	"paraph/app/pdf/text"
)

// TestDrawnValues draws input in many scripts as the appearances of fields: the
// drawn text must be read as the value.
func TestDrawnValues(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	values := []string{
		"Zoë Łuczak", "Straße 12, 10.00 €", "e\u0301galite\u0301 \ufb01n", "1,234.56", "-5", "ΑΒΓ Ωμέγα", "Иван Ёлкин", "Nguyễn Văn Ánh",
		"山田 太郎", "김철수", "محمد ١٢٣", "שלום 12", "สวัสดี", "नमस्ते", "Գևորգ", "გიორგი", "first line\nsecond line",
		"a rather long value that has to be broken into several lines because the field is only so wide", "a@b.example; C:\\x (y)", "½ m² 50 %",
		"Wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww",
	}
	spec := pdf.PrepareSpec{Signatures: []pdf.SignatureSpec{{Name: "s", Page: -1}}}
	for i := range values {
		for j, kind := range []pdf.FieldType{pdf.FieldText, pdf.FieldAttachment} {
			spec.Fields = append(spec.Fields, pdf.FieldSpec{
				Name: fmt.Sprint(kind, i), Type: kind, X: 0.1 + 0.4*float64(j), Y: 0.02 + 0.04*float64(i), Width: 0.3, Height: 0.035, Owner: "s", Multiline: i%2 == 0,
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
		b := text.Box{Width: 180, Height: 27}
		drawn, attached := set.Text(b, text.Field{Text: v, Multiline: i%2 == 0}), set.Attachment(b, v, "00ff")
		sign.Values = append(sign.Values,
			pdf.FieldValue{Name: fmt.Sprint(pdf.FieldText, i), Text: v, Appearance: drawn},
			pdf.FieldValue{Name: fmt.Sprint(pdf.FieldAttachment, i), Text: v + " sha256:00ff", Appearance: attached})
	}
	c.add(pdf.Sign(c.base(), sign))
	sound(t, c.bytes)
}
