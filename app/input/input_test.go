package input_test

import (
	"strings"
	"testing"

	"paraph/app/fault"
	"paraph/app/input"
)

func TestFoldIgnoresCaseAndAccents(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{"Ínés ": "ines", "STRASSE": "strasse", "Straße": "strasse", "ﬁn": "fin", "李": "李", "": ""} {
		if got := input.Fold(s); got != want {
			t.Errorf("Fold(%q) returned %q, want %q", s, got, want)
		}
	}
}

func TestFoldEmailIgnoresCaseAndComposition(t *testing.T) {
	t.Parallel()
	if got := input.FoldEmail(" ANN@Example.org\t"); got != "ann@example.org" {
		t.Errorf("got %q", got)
	}
	if input.FoldEmail("e\u0301@example.org") != input.FoldEmail("\u00e9@example.org") {
		t.Error("two compositions of one address differ")
	}
}

func TestCheckEmailBoundsTheLength(t *testing.T) {
	t.Parallel()
	domain := "@" + strings.Repeat(strings.Repeat("b", 60)+".", 3) + "example.org"
	fits := strings.Repeat("a", input.MaxEmail-len(domain)) + domain
	for email, good := range map[string]bool{"ann@example.org": true, " ann@example.org ": true, "": false, "ann": false, "a" + fits: false} {
		var f fault.Fields
		if input.CheckEmail(&f, "email", email); f.Empty() != good {
			t.Errorf("%q: %v", email, f.Err())
		}
	}
}

func TestSetLocaleKeepsTheCanonicalForm(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{"DE-at": "de-AT", "iw": "he", "": "", "not a language": ""} {
		var f fault.Fields
		var got string
		if input.SetLocale(&f, "locale", &tag, &got); got != want && want != "" || f.Empty() != (want != "") {
			t.Errorf("%q became %q, %v", tag, got, f.Err())
		}
	}
	kept := "fr"
	input.SetLocale(nil, "locale", nil, &kept)
	if kept != "fr" {
		t.Errorf("nothing became %q", kept)
	}
}

func TestIsWebAddress(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"https://example.org/a?b": true, "http://example.org": true, "ftp://example.org": false, "https://": false,
		"https://ann:secret@example.org": false, "example.org": false, "javascript:alert(1)": false, "": false,
	} {
		if input.IsWebAddress(s) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
}

func TestOwnName(t *testing.T) {
	t.Parallel()
	for name, own := range map[string]bool{
		"Ann Lee": true, "ann@example.org": true, "Ann <ANN@example.org>": true, "Ann @ Example Ltd.": true, "@ann": true, "ann@home": true,
		"bob@example.org": false, "Bob <bob@example.org>": false, "ann@example.org, bob@example.org": false, "bob＠example．org": false, "(bob@example.org)": false,
		"Ann.ann@example.org": false,
	} {
		var f fault.Fields
		if input.OwnName(&f, "name", name, "ann@example.org"); f.Empty() != own {
			t.Errorf("%q: %v", name, f.Err())
		}
	}
}
