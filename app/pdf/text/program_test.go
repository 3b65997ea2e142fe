package text_test

import (
	"bytes"
	"testing"

	"paraph/app/pdf/object"
	"paraph/app/pdf/text"
)

// TestReservingSetsShareFonts checks that documents with different texts embed the same
// font if they reserve its characters, that the cached font is the one that would be
// compiled anew, and that characters beyond it still get a font of their own.
func TestReservingSetsShareFonts(t *testing.T) {
	t.Parallel()
	embedded := func(fonts *text.Fonts, reserve bool, s string) []byte {
		t.Helper()
		set := fonts.NewSet()
		if reserve {
			set.Reserve(text.Style{})
		}
		d := set.NewDrawing()
		d.Text(0, 0, fonts.Layout(text.Style{}, 10, s))
		var o objects
		set.Embed(&o)
		for _, v := range o {
			if stream, ok := v.(*object.Stream); ok && stream.Dict["Length1"] != nil {
				return stream.Data
			}
		}
		t.Fatalf("%q: no font", s)
		return nil
	}
	fonts := text.New()
	one := embedded(fonts, true, "Certificate of completion, 1 office")
	for _, tt := range []struct {
		name    string
		fonts   *text.Fonts
		reserve bool
		text    string
		same    bool
	}{
		{"another text", fonts, true, "Quite another text: fluffy", true},
		{"compiled anew", text.New(), true, "x", true},
		{"a character beyond", fonts, true, "Zoë", false},
		{"nothing reserved", fonts, false, "Quite another text", false},
	} {
		if same := bytes.Equal(one, embedded(tt.fonts, tt.reserve, tt.text)); same != tt.same {
			t.Errorf("%s: the same font: %v", tt.name, same)
		}
	}
}
