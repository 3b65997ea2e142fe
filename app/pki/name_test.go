package pki_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"paraph/app/pki"
)

func TestSignatoryNames(t *testing.T) {
	t.Parallel()
	a := open(t, "", pki.Options{})
	family := "👨\u200d👩\u200d👧"
	for name, c := range map[string]struct {
		person pki.Person
		want   string
	}{
		"latin":            {pki.Person{Name: "Zoë Müller"}, "Zoë Müller"},
		"arabic":           {pki.Person{Name: "محمد بن سلمان"}, "محمد بن سلمان"},
		"chinese":          {pki.Person{Name: "王小明"}, "王小明"},
		"long":             {pki.Person{Name: strings.Repeat("王", 100)}, strings.Repeat("王", 64)},
		"long with marks":  {pki.Person{Name: strings.Repeat("a", 63) + "e\u0301\u0301"}, strings.Repeat("a", 63)},
		"joined":           {pki.Person{Name: strings.Repeat("a", 62) + family}, strings.Repeat("a", 62) + "👨"},
		"only marks":       {pki.Person{Name: strings.Repeat("\u0301", 100)}, strings.Repeat("\u0301", 64)},
		"line breaks":      {pki.Person{Name: " Ann\r\n\tLee\x00 "}, "Ann Lee"},
		"bidi override":    {pki.Person{Name: "Ann \u202eeeL"}, "Ann eeL"},
		"invalid UTF-8":    {pki.Person{Name: "Ann\xff\xfe Lee"}, "Ann Lee"},
		"address only":     {pki.Person{Email: "ann@example.com"}, "ann@example.com"},
		"blank with email": {pki.Person{Name: " \t ", Email: "ann@example.com"}, "ann@example.com"},
		"directory syntax": {pki.Person{Name: `CN=Root, O="x"\,+`}, `CN=Root, O="x"\,+`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := a.Signatory(c.person, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			got := s.Certificate.Subject.CommonName
			if got != c.want || !utf8.ValidString(got) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			openssl(t, "verify", "-x509_strict", "-CAfile", pemFile(t, s.Chain...), pemFile(t, s.Certificate))
		})
	}
}

func TestSignatoryAddresses(t *testing.T) {
	t.Parallel()
	a := open(t, "", pki.Options{})
	for address, want := range map[string]string{
		"ann@example.com":                         "ann@example.com",
		"用户@例子.公司":                                "用户@例子.公司",
		"a\r\nb@example.com":                      "",
		strings.Repeat("x", 300) + "@example.com": "",
	} {
		s, err := a.Signatory(pki.Person{Name: "Ann", Email: address}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		text := openssl(t, "x509", "-in", pemFile(t, s.Certificate), "-noout", "-ext", "subjectAltName", "-nameopt", "utf8")
		shown := strings.Contains(text, "email:"+address) || strings.Contains(text, "othername:")
		if shown != (want != "") {
			t.Errorf("%q: %s", address, text)
		}
		if isPlain := want != "" && want[0] < 0x80; isPlain && s.Certificate.EmailAddresses[0] != want {
			t.Errorf("%q: %v", address, s.Certificate.EmailAddresses)
		}
	}
	if _, err := a.Signatory(pki.Person{Name: " ", Email: ""}, time.Now()); err == nil {
		t.Error("a signatory without a name")
	}
}
