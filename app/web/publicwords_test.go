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

// TestPublicPagesSpeakTheVisitorsLanguage has the pages for everybody in what the
// browser asks for, or in what the visitor chose.
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
			want := []string{`<html lang="` + c.tag + `" dir="` + c.dir + `"`, "<h1>" + catalogue(t, c.tag, "public")[c.title][""] + "</h1>"}
			if c.path == "/trust" {
				months := strings.Split(catalogue(t, c.tag, "common")["date.months"][""], ",")
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

// TestReportSpeaksTheVisitorsLanguage has no sentence of a report in English.
func TestReportSpeaksTheVisitorsLanguage(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	signed := signedCopy(t, s)
	changed := bytes.Clone(signed)
	changed[bytes.Index(changed, []byte("/Type"))] ^= 1
	visitor := formClientAt(t, s.URL, "/verify", "")
	_, html := visitor.check([]sentFile{{"file", "signed.pdf", signed}, {"file", "changed.pdf", changed}, {"file", "bad.pdf", []byte("no PDF")}}, "Accept-Language", "de")
	html = stdhtml.UnescapeString(html)
	texts, verdicts := catalogue(t, "de", "public"), verdictWords(t, "de")
	for _, want := range []string{texts["verify.added"][""], texts["verify.kind.certification"][""], verdicts.Say("verdict.change.signature"), texts["verify.revocation.good"][""],
		verdicts.Say("verdict.signed_bytes_changed"), texts["verify.unread"][""], texts["fault.verify.unreadable"][""]} {
		if !strings.Contains(html, want) {
			t.Errorf("%q is not in %s", want, html)
		}
	}
	status, html := visitor.check([]sentFile{{"root", "root.pem", []byte("x")}}, "Accept-Language", "ar")
	if want := catalogue(t, "ar", "public")["fault.verify.root"][""]; status != http.StatusUnprocessableEntity || !strings.Contains(html, want) {
		t.Errorf("status %d, %q is not in %s", status, want, html)
	}
}

// verdictWords is what reports are worded with in a language.
func verdictWords(t *testing.T, tag string) *words.Language {
	t.Helper()
	all, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	return all.Tagged(tag)
}
