package pdf_test

import (
	"bytes"
	"errors"
	"testing"

	"paraph/app/pdf"
)

// shared returns an upload in which objects have several roles.
func shared(catalog, trailer string, objects map[int]string) []byte {
	b := newBuilder()
	all := map[int]string{
		1:  "<</Type/Catalog/Pages 2 0 R" + catalog + ">>",
		2:  "<</Type/Pages/Kids[10 0 R]/Count 1/MediaBox[0 0 612 792]>>",
		3:  "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
		4:  "<<>>",
		10: "<</Type/Page/Parent 2 0 R/Resources<</Font<</F 3 0 R>>>>/Contents 11 0 R>>",
	}
	for n, body := range objects {
		all[n] = body
	}
	for n := range 40 {
		if body, ok := all[n]; ok {
			b.object(n, body)
		}
	}
	b.stream(11, "", "BT /F 24 Tf 72 700 Td (Text) Tj ET")
	return b.end("/Root 1 0 R" + trailer)
}

// TestSharedObjects covers uploads in which one object has several roles: each
// is either refused before it is sent or can be signed by everyone, with a
// sound result.
func TestSharedObjects(t *testing.T) {
	t.Parallel()
	widget := "<</Type/Annot/Subtype/Widget/FT/Tx/T(x)/Rect[9 9 99 29]/P 10 0 R>>"
	for name, upload := range map[string][]byte{
		"form and information":    shared("/AcroForm 4 0 R", "/Info 4 0 R", map[int]string{4: "<</Fields[]>>"}),
		"form, with a title":      shared("/AcroForm 4 0 R", "/Info 4 0 R", map[int]string{4: "<</Fields[]/Title(Title)>>"}),
		"form and page":           shared("/AcroForm 10 0 R", "", nil),
		"form and catalog":        shared("/AcroForm 1 0 R", "", nil),
		"form and page tree":      shared("/AcroForm 2 0 R", "", nil),
		"form and resources":      shared("/AcroForm 4 0 R", "", map[int]string{4: "<</Font<</F 3 0 R>>>>", 10: "<</Type/Page/Parent 2 0 R/Resources 4 0 R/Contents 11 0 R>>"}),
		"form and store":          shared("/AcroForm 4 0 R/DSS 4 0 R", "", nil),
		"form and outlines":       shared("/AcroForm 4 0 R/Outlines 4 0 R", "", nil),
		"information and page":    shared("", "/Info 10 0 R", nil),
		"information and catalog": shared("", "/Info 1 0 R", nil),
		"information and tree":    shared("", "/Info 2 0 R", nil),
		"information and font":    shared("", "/Info 3 0 R", nil),
		"store and information":   shared("/DSS 4 0 R", "/Info 4 0 R", nil),
		"store and names":         shared("/DSS 4 0 R/Names 4 0 R", "", nil),
		"page and destination":    shared("/OpenAction[10 0 R/Fit]", "", nil),
		"field and page":          shared("/AcroForm<</Fields[10 0 R]>>", "", nil),
		"field and form":          shared("/AcroForm 4 0 R", "", map[int]string{4: "<</Fields[4 0 R]/T(x)/FT/Tx>>"}),
		"field and information":   shared("/AcroForm<</Fields[20 0 R]>>", "/Info 20 0 R", map[int]string{20: widget, 10: "<</Type/Page/Parent 2 0 R/Annots[20 0 R]>>"}),
		"annotations and fields":  shared("/AcroForm<</Fields 21 0 R>>", "", map[int]string{20: widget, 21: "[20 0 R]", 10: "<</Type/Page/Parent 2 0 R/Annots 21 0 R>>"}),
		"risky in two places": shared("/OpenAction 20 0 R/AcroForm<</Fields[20 0 R]>>", "", map[int]string{
			20: "<</Type/Annot/Subtype/Widget/FT/Btn/T(x)/Rect[9 9 99 29]/S/JavaScript/JS(1)/A<</S/JavaScript/JS(2)>>>>", 10: "<</Type/Page/Parent 2 0 R/Annots[20 0 R]>>"}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := pdf.Open(bytes.NewReader(upload), int64(len(upload)))
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Signable(); errors.Is(err, pdf.ErrTwoRoles) {
				t.Log(err)
				return
			} else if err != nil {
				t.Fatal(err)
			}
			spec := twoSignatories()
			spec.StripJavaScript = true
			c := complete(t, upload, spec)
			for who, s := range signatures(t, c.bytes) {
				if !s.Sound() {
					t.Errorf("%s: %v %+v", who, s.Problems, s.Later)
				}
			}
		})
	}
}

// TestTwoRolesOfAField checks that filling in a field that has another role is
// refused.
func TestTwoRolesOfAField(t *testing.T) {
	t.Parallel()
	for name, upload := range map[string][]byte{
		"information": shared("/AcroForm<</Fields[20 0 R]>>", "/Info 20 0 R", map[int]string{20: "<</FT/Tx/T(x)/Type/Annot/Subtype/Widget/Rect[9 9 99 29]>>", 10: "<</Type/Page/Parent 2 0 R/Annots[20 0 R]>>"}),
		"a layer":     shared("/AcroForm<</Fields[20 0 R]>>/OCProperties<</OCGs[20 0 R]/D<<>>>>", "", map[int]string{20: "<</FT/Tx/T(x)/Type/OCG/Name(x)/Rect[9 9 99 29]>>"}),
	} {
		spec := pdf.PrepareSpec{
			Fields:     []pdf.FieldSpec{{Name: "x", Existing: "x", Owner: "s"}},
			Signatures: []pdf.SignatureSpec{{Name: "s", Page: -1}},
		}
		if _, err := pdf.Prepare(newChain(t, upload).base(), spec); !errors.Is(err, pdf.ErrTwoRoles) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRehearsalsAreRemembered prepares a file in which a field has another role. Only what is
// arranged in the same way counts as rehearsed, whatever its texts and names.
func TestRehearsalsAreRemembered(t *testing.T) {
	t.Parallel()
	upload := shared("/AcroForm<</Fields[20 0 R]>>", "/Info 20 0 R", map[int]string{
		20: "<</Type/Annot/Subtype/Widget/FT/Tx/T(x)/Rect[9 9 99 29]/P 10 0 R>>",
		10: "<</Type/Page/Parent 2 0 R/Annots[20 0 R]>>",
	})
	var known pdf.Rehearsals
	prepare := func(content string, change func(s *pdf.PrepareSpec)) error {
		spec := twoSignatories()
		spec.Rehearsals, spec.Content = &known, content
		change(&spec)
		_, err := pdf.Prepare(pdf.Base{Reader: bytes.NewReader(upload), Size: int64(len(upload))}, spec)
		return err
	}
	same := func(*pdf.PrepareSpec) {}
	for _, c := range []struct {
		name    string
		content string
		change  func(s *pdf.PrepareSpec)
		known   int
		refused bool
	}{
		{"first", "a", same, 1, false},
		{"again", "a", same, 1, false},
		{"other names and texts", "a", func(s *pdf.PrepareSpec) {
			renamed := map[string]string{}
			for i := range s.Signatures {
				renamed[s.Signatures[i].Name] = "other" + s.Signatures[i].Name
				s.Signatures[i].Name, s.Signatures[i].Label = "other"+s.Signatures[i].Name, "Other"
			}
			for i := range s.Fields {
				s.Fields[i].Name += " other"
				s.Fields[i].Owner = renamed[s.Fields[i].Owner]
			}
		}, 1, false},
		{"another file", "b", same, 2, false},
		{"an unknown file", "", same, 2, false},
		{"one place moved", "a", func(s *pdf.PrepareSpec) { s.Signatures[0].X += .01 }, 3, false},
		{"one signatory fewer", "a", func(s *pdf.PrepareSpec) { s.Signatures = s.Signatures[:1]; s.Fields = nil }, 4, false},
		{"a field with two roles", "a", func(s *pdf.PrepareSpec) {
			s.Fields = append(s.Fields, pdf.FieldSpec{Existing: "x", Owner: s.Signatures[0].Name})
		}, 4, true},
		{"the same again", "a", func(s *pdf.PrepareSpec) {
			s.Fields = append(s.Fields, pdf.FieldSpec{Existing: "x", Owner: s.Signatures[0].Name})
		}, 4, true},
	} {
		if err := prepare(c.content, c.change); (err != nil) != c.refused {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := known.Len(); got != c.known {
			t.Errorf("%s: %d rehearsals are known, want %d", c.name, got, c.known)
		}
	}
}
