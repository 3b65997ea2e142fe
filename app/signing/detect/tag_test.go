package detect_test

import (
	"strings"
	"testing"

	"paraph/app/pdf"
	"paraph/app/pdf/pdfium"
	"paraph/app/signing/detect"
)

// cell sets lines one below the other, as in a cell of a table: every character is as wide.
func cell(lines ...string) []pdfium.Word {
	var out []pdfium.Word
	for n, line := range lines {
		x, y := .1, .1+float64(n)*.02
		for _, w := range strings.Fields(line) {
			width := .01 * float64(len([]rune(w)))
			out = append(out, pdfium.Word{Text: w, X: x, Y: y, W: width, H: .022, Top: y + .005, Bottom: y + .018})
			x += width + .01
		}
	}
	return out
}

// TestTagsInNarrowCells reads tags whose lines ended for lack of room, in words and between them.
func TestTagsInNarrowCells(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		lines []string
		want  detect.Field
	}{
		"one long word":     {[]string{"{{initials;ro", "le=Buyer;name", "=verylongname", "_in_a_narrow_", "cell}}"}, detect.Field{Type: pdf.FieldInitials, Role: "Buyer", Name: "verylongname_in_a_narrow_cell"}},
		"a type":            {[]string{"{{check", "box;rol", "e=Buyer", ";name=o", "k}} I", "agree"}, detect.Field{Type: pdf.FieldCheckbox, Role: "Buyer", Name: "ok"}},
		"between words":     {[]string{"{{text;role=Buyer;name=place of", "birth}}"}, detect.Field{Type: pdf.FieldText, Role: "Buyer", Name: "place of birth"}},
		"in and between":    {[]string{"{{date;role=", "Buyer;name=d", "ay of the", "hand-", "over}}"}, detect.Field{Type: pdf.FieldDate, Role: "Buyer", Name: "day of the hand-over"}},
		"without spaces":    {[]string{"{{text;role=Buyer;name=契約", "金額}}"}, detect.Field{Type: pdf.FieldText, Role: "Buyer", Name: "契約金額"}},
		"letters in pieces": {[]string{"{{text;role=Ka\u0308ufer;name=o\ufb00er}}"}, detect.Field{Type: pdf.FieldText, Role: "Käufer", Name: "offer"}},
	} {
		found, err := detect.Text(t.Context(), []pdfium.PageText{{Words: cell(x.lines...)}}, []detect.Size{{Width: 600, Height: 800}}, true)
		if err != nil || len(found) != 1 {
			t.Errorf("%s: %d fields, %v", name, len(found), err)
			continue
		}
		got := found[0]
		if got.Type != x.want.Type || got.Role != x.want.Role || got.Name != x.want.Name || got.Unsupported != "" {
			t.Errorf("%s: a %s field %q of %q, want %q of %q", name, got.Type, got.Name, got.Role, x.want.Name, x.want.Role)
		}
		for _, c := range got.Covers { // not what is above and below, though the lines of the font overlap
			if over := .02 * float64(len(x.lines)-1); c.Y < .1+.004 || c.Y+c.Height > .1+over+.019 || c.Height > .0145 {
				t.Errorf("%s: %v is covered", name, c)
			}
		}
	}
}

// TestUnknownTypesOfTags refuses what begins a tag that has a name too and is no type.
func TestUnknownTypesOfTags(t *testing.T) {
	t.Parallel()
	for body, unsupported := range map[string]string{
		"chekbox;role=Buyer;name=ok": "chekbox", "payment;role=Buyer": "payment",
		"Place of birth;role=Buyer": "", "Label;type=signature;role=Buyer": "", "text;role=Buyer;name=x": "",
	} {
		if x, ok := detect.Tag(body, true); !ok || x.Unsupported != unsupported {
			t.Errorf("%s: %v, unsupported %q", body, ok, x.Unsupported)
		}
	}
}

// TestAnchorsInOtherForms finds phrases whatever form their letters have.
func TestAnchorsInOtherForms(t *testing.T) {
	t.Parallel()
	for page, phrase := range map[string]string{
		"Unterschrift des Ka\u0308ufers:": "Unterschrift des Käufers:",
		"Signé à Orléans":                 "Signe\u0301 a\u0300 Orle\u0301ans",
		"The o\ufb03ce copy":              "office",
		"\ufe97\ufeee\ufed7\ufef4\ufeca":  "توقيع",
	} {
		p := detect.NewPhrases([]pdfium.PageText{{Words: cell(page)}}, []detect.Size{{Width: 600, Height: 800}})
		x := detect.Field{Type: pdf.FieldSignature}
		if !p.Place(&x, detect.Anchor{Text: phrase, Occurrence: 1, Position: detect.At, Cover: true}) || len(x.Covers) != 1 {
			t.Errorf("%q is not found in %q", phrase, page)
		}
	}
}
