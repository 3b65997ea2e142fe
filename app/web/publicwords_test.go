package web_test

import (
	"bytes"
	stdhtml "html"
	"net/http"
	"strings"
	"testing"

	"paraph/app/apptest"
	"paraph/app/words"
)

func catalogue(t testing.TB) *words.Catalogue {
	t.Helper()
	c, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func say(t testing.TB, tag, key string) string { return catalogue(t).Tagged(tag).Say(key) }

// TestPublicPagesSpeakTheVisitorsLanguage checks that public pages are in the
// browser's language, or the one the visitor chose.
func TestPublicPagesSpeakTheVisitorsLanguage(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	until := s.Keys.Root().NotAfter
	for _, c := range []struct{ name, path, accept, cookie, tag, dir, title string }{
		{"a file to check, in German", "/verify", "de-AT,de;q=0.9,en;q=0.5", "", "de", "ltr", "verify.title"},
		{"the certificate, in German", "/trust", "de", "", "de", "ltr", "trust.title"},
		{"a file to check, in Arabic", "/verify", "ar-EG", "", "ar", "rtl", "verify.title"},
		{"the certificate, in Arabic", "/trust", "ar", "", "ar", "rtl", "trust.title"},
		{"the chosen language", "/trust", "ar", "paraph_language=de", "de", "ltr", "trust.title"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, html := fetch(t, s.URL+c.path, "Accept-Language", c.accept, "Cookie", c.cookie)
			want := []string{`<html lang="` + c.tag + `" dir="` + c.dir + `"`, "<h1>" + say(t, c.tag, c.title) + "</h1>"}
			if c.path == "/trust" {
				months := strings.Split(say(t, c.tag, "date.months"), ",")
				want = append(want, months[until.Month()-1]+" "+until.Format("2006"))
			}
			for _, text := range want {
				if !strings.Contains(html, text) {
					t.Errorf("%q is not in %s", text, html)
				}
			}
		})
	}
}

// TestReportSpeaksTheVisitorsLanguage checks that no sentence of a report is in
// English.
func TestReportSpeaksTheVisitorsLanguage(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	signed := signedCopy(t, s)
	changed := bytes.Clone(signed)
	changed[bytes.Index(changed, []byte("/Type"))] ^= 1
	visitor := formClientAt(t, s.URL, "/verify", "")
	_, html := visitor.check([]sentFile{{"file", "signed.pdf", signed}, {"file", "changed.pdf", changed}, {"file", "bad.pdf", []byte("no PDF")}}, "Accept-Language", "de")
	html = stdhtml.UnescapeString(html)
	german := catalogue(t).Tagged("de")
	for _, want := range []string{german.Say("verify.added"), german.Say("verify.kind.certification"), german.Say("verdict.change.signature"), german.Say("verify.revocation.good"),
		german.Say("verdict.signed_bytes_changed"), german.Say("verify.unread"), german.Say("fault.not_a_readable_pdf")} {
		if !strings.Contains(html, want) {
			t.Errorf("%q is not in %s", want, html)
		}
	}
	status, html := visitor.check([]sentFile{{"root", "root.pem", []byte("x")}}, "Accept-Language", "ar")
	if want := say(t, "ar", "fault.not_a_certificate"); status != http.StatusUnprocessableEntity || !strings.Contains(html, want) {
		t.Errorf("status %d, %q is not in %s", status, want, html)
	}
}
