package notify

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	outgoing "paraph/app/mail"
	"paraph/kv"
)

// languages are those that every message is written in.
const languages = "ar cs de en es fr he it ja ko nl pl pt tr uk zh"

func letters(t testing.TB, lang string) map[string]letter {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("texts", lang+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]letter
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// lines are the texts of a letter, by place.
func (l letter) lines() []string {
	return append([]string{l.Subject, l.Lead, l.Button}, l.Body...)
}

var variable = regexp.MustCompile(`\.(\w+)`)

// variables are those that a template names, each once.
func variables(s string) []string {
	var names []string
	for _, action := range regexp.MustCompile(`\{\{.*?\}\}`).FindAllString(s, -1) {
		for _, m := range variable.FindAllStringSubmatch(action, -1) {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestEveryLanguageHasEveryMessage(t *testing.T) {
	t.Parallel()
	english := letters(t, "en")
	names, err := filepath.Glob("texts/*.json")
	if err != nil || len(names) != len(strings.Fields(languages)) {
		t.Fatalf("%d languages, %v", len(names), err)
	}
	for lang := range strings.FieldsSeq(languages) {
		all := letters(t, lang)
		if !slices.Equal(slices.Sorted(maps.Keys(all)), slices.Sorted(maps.Keys(english))) {
			t.Errorf("%s has other messages than English", lang)
		}
		for kind, l := range all {
			compare(t, lang+", "+kind, l.lines(), english[kind].lines(), lang != "en" && kind != dateKind)
		}
	}
}

// compare holds the lines of a letter against those of the English one.
func compare(t *testing.T, what string, lines, english []string, translated bool) {
	t.Helper()
	if len(lines) != len(english) {
		t.Errorf("%s has %d lines, not %d", what, len(lines), len(english))
		return
	}
	for i, s := range lines {
		switch {
		case (s == "") != (english[i] == ""):
			t.Errorf("%s: %q for %q", what, s, english[i])
		case !slices.Equal(variables(s), variables(english[i])):
			t.Errorf("%s: %q names %v, not %v", what, s, variables(s), variables(english[i]))
		case translated && s != "" && s == english[i]:
			t.Errorf("%s is English: %q", what, s)
		}
	}
}

// facts are all that a message may say, with hostile values where strangers
// choose them.
func facts() map[string]string {
	const hostile = `<script>alert(1)</script>"' onload=x {{.code}} & <!--`
	return map[string]string{"title": hostile, "message": "first\n" + hostile, "reason": hostile, "name": hostile, "sender": hostile, "signatory": hostile,
		"inviter": hostile, "company": hostile, "email": "a@b.example", "code": "123456", "minutes": "10", "link": "https://paraph.example/s/token",
		"expires": "2026-12-31T23:30:00Z", "expires_at": "2026-12-31T23:30:00Z", "timezone": "Europe/Vienna"}
}

func service(t testing.TB) (*Service, *kv.DB) {
	t.Helper()
	db, err := kv.Open(kv.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	s, err := New(Options{DB: db, Jobs: kv.NewJobs(db), NewID: ulid.Make})
	if err != nil {
		t.Fatal(err)
	}
	return s, db
}

// TestEveryMessageInEveryLanguage writes them all with hostile facts and has
// the parsers of HTML and of mail say what they see.
func TestEveryMessageInEveryLanguage(t *testing.T) {
	t.Parallel()
	s, db := service(t)
	for lang := range strings.FieldsSeq(languages) {
		for kind := range letters(t, lang) {
			if strings.HasPrefix(kind, "_") {
				continue
			}
			for _, role := range []string{"", "yes"} {
				f := facts()
				f["approver"] = role
				if err := db.Update(func(tx *kv.Tx) error {
					return s.write(tx, Message{Kind: kind, Company: "C", To: "to@b.example", ToName: "To"}, lang, f)
				}); err != nil {
					t.Fatalf("%s, %s: %v", lang, kind, err)
				}
				all, _, err := s.List("", 0, 1)
				if err != nil {
					t.Fatal(err)
				}
				checkMessage(t, lang, kind, all[0])
			}
		}
	}
}

func checkMessage(t *testing.T, lang, kind string, m Message) {
	t.Helper()
	if strings.Contains(m.Subject+m.Text, "<no value>") || strings.Contains(m.Text, "\n\n\n") || m.Subject == "" || strings.ContainsAny(m.Subject, "\r\n") {
		t.Errorf("%s, %s: %q\n%s", lang, kind, m.Subject, m.Text)
	}
	seen := elements(t, m.HTML)
	want := map[string]string{"ar": "rtl", "he": "rtl"}[lang]
	if want == "" {
		want = "ltr"
	}
	if seen["script"] != "" || !strings.Contains(seen["html"], `lang="`+lang+`" dir="`+want+`"`) {
		t.Errorf("%s, %s: elements are %v", lang, kind, seen)
	}
	if link := seen["a"]; len(m.Links) > 0 && !strings.Contains(link, `href="https://paraph.example/s/token"`) {
		t.Errorf("%s, %s: the link is %s", lang, kind, link)
	}
	var b bytes.Buffer
	if err := (outgoing.Message{ID: m.ID, From: outgoing.Address{Email: "from@b.example"}, To: []outgoing.Address{{Name: m.ToName, Email: m.To}},
		Subject: m.Subject, Text: m.Text, HTML: m.HTML}).Encode(&b); err != nil {
		t.Fatalf("%s, %s: %v", lang, kind, err)
	}
	parsed, err := mail.ReadMessage(&b)
	if err != nil || len(parsed.Header["Subject"]) != 1 || len(parsed.Header["To"]) != 1 {
		t.Errorf("%s, %s: headers %v, %v", lang, kind, parsed.Header, err)
	}
}

// elements gives the attributes of the tags of a page, by name, and fails where an
// attribute could act.
func elements(t *testing.T, page string) map[string]string {
	t.Helper()
	seen := map[string]string{}
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := d.Token()
		if err == io.EOF {
			return seen
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, page)
		}
		tag, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range tag.Attr {
			seen[tag.Name.Local] += fmt.Sprintf("%s=%q ", a.Name.Local, a.Value)
			if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" && !strings.HasPrefix(a.Value, "https://paraph.example/") {
				t.Errorf("attribute %s=%q", a.Name.Local, a.Value)
			}
		}
		seen[tag.Name.Local] += ";"
	}
}

// TestSubjectCannotAddHeaders breaks lines where people choose the subject.
func TestSubjectCannotAddHeaders(t *testing.T) {
	t.Parallel()
	s, _ := service(t)
	f := facts()
	f["subject"] = "Sign\r\nBcc: everybody@b.example\r\n\r\nbody"
	v, err := s.pages.word("invitation", "en", f)
	if err != nil || v.Subject != "Sign Bcc: everybody@b.example body" {
		t.Errorf("subject %q, %v", v.Subject, err)
	}
}

func TestDatesInTheFormOfTheLanguage(t *testing.T) {
	t.Parallel()
	p, err := parsePages()
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 12, 31, 23, 30, 0, 0, time.UTC)
	for _, c := range []struct{ lang, zone, want string }{
		{"en", "", "31 December 2026, 23:30 UTC"},
		{"en", "no/such", "31 December 2026, 23:30 UTC"},
		{"de", "Europe/Vienna", "1. Januar 2027, 00:30 Uhr (UTC+01:00)"},
		{"fr", "UTC", "31 décembre 2026 à 23:30 (UTC)"},
		{"pl", "UTC", "31 grudnia 2026, 23:30 (UTC)"},
		{"ja", "Asia/Tokyo", "2027年1月1日 08:30（UTC+09:00）"},
		{"ko", "UTC", "2026년 12월 31일 23:30(UTC)"},
		{"ar", "America/New_York", "31 ديسمبر 2026، 18:30 (UTC-05:00)"},
	} {
		if got, err := p.date(c.lang, at, c.zone); err != nil || got != c.want {
			t.Errorf("%s, %s: %q, %v, want %q", c.lang, c.zone, got, err, c.want)
		}
	}
	v, err := p.word("invitation", "de", facts())
	if err != nil || !strings.Contains(v.text(), "vor dem 1. Januar 2027, 00:30 Uhr (UTC+01:00)") {
		t.Errorf("%s, %v", v.text(), err)
	}
}

func TestTheLanguageThatSuits(t *testing.T) {
	t.Parallel()
	p, err := parsePages()
	if err != nil {
		t.Fatal(err)
	}
	for locale, want := range map[string]string{"": "en", "??": "en", "de-AT": "de", "pt-PT": "pt", "en-GB": "en", "zh-Hans-CN": "zh", "uk": "uk", "iw": "he", "th": "en", "ar-EG": "ar"} {
		if got := p.match(locale); got != want {
			t.Errorf("%q is answered in %s, not %s", locale, got, want)
		}
	}
}
