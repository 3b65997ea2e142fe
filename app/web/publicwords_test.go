package web_test

import (
	"bytes"
	stdhtml "html"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"paraph/app/apptest"
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
	words, verdicts := catalogue(t, "de", "public"), catalogue(t, "de", "verdicts")
	for _, want := range []string{words["verify.added"][""], words["verify.kind.certification"][""], words["verify.change.signature"][""], words["verify.revocation.good"][""],
		verdicts["fault.verdict.changed"][""], words["verify.unread"][""], words["fault.verify.unreadable"][""]} {
		if !strings.Contains(html, want) {
			t.Errorf("%q is not in %s", want, html)
		}
	}
	status, html := visitor.check([]sentFile{{"root", "root.pem", []byte("x")}}, "Accept-Language", "ar")
	if want := catalogue(t, "ar", "public")["fault.verify.root"][""]; status != http.StatusUnprocessableEntity || !strings.Contains(html, want) {
		t.Errorf("status %d, %q is not in %s", status, want, html)
	}
}

var (
	sentence = regexp.MustCompile(`"((?:[A-Z]|%s )[^"\\]*(?:\\.[^"\\]*)*(?:\.|: ))"`)
	verb     = regexp.MustCompile(`%[dsv]`)
)

// TestVerdictsHaveWords finds what is said of a signature in English alone.
func TestVerdictsHaveWords(t *testing.T) {
	t.Parallel()
	var known []*regexp.Regexp
	for _, area := range []string{"public", "verdicts"} {
		for key, forms := range catalogue(t, "en", area) {
			if strings.HasPrefix(key, "fault.") {
				parts := names.Split(forms[""], -1)
				for i := range parts {
					parts[i] = regexp.QuoteMeta(parts[i])
				}
				known = append(known, regexp.MustCompile("^"+strings.Join(parts, ".+")+"$"))
			}
		}
	}
	n := 0
	for _, file := range []string{"pki/parse.go", "pki/path.go", "pki/scheme.go", "pki/tstinfo.go", "pki/verify.go", "pdf/revisions.go", "pdf/signatures.go", "signing/verify.go"} {
		raw, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range sentence.FindAllStringSubmatch(string(raw), -1) {
			n++
			said := strings.ReplaceAll(found[1], "%q", `"x"`)
			if strings.HasSuffix(said, ": ") {
				said += "x."
			}
			said = strings.Replace(said, "%s is made", "The signature is made", 1)
			said = verb.ReplaceAllString(said, "x")
			if !slices.ContainsFunc(known, func(r *regexp.Regexp) bool { return r.MatchString(said) }) {
				t.Errorf("%s says in English alone: %s", file, said)
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d sentences were found", n)
	}
}
