package notify

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"net/mail"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"

	outgoing "paraph/app/mail"
	"paraph/app/signing/record"
	"paraph/app/words"
	"paraph/kv"
)

// kinds lists all kinds of messages.
func kinds(c *words.Catalogue) []string {
	var kinds []string
	for _, key := range c.English().Keys("mail.") {
		if kind, ok := strings.CutSuffix(key, ".subject"); ok {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

func catalogue(t testing.TB) *words.Catalogue {
	t.Helper()
	c, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// facts returns everything that a message may contain, with hostile values where
// strangers choose them.
func facts() map[string]string {
	const hostile = `<script>alert(1)</script>"' onload=x {{.code}} & <!--`
	return map[string]string{"title": hostile, "message": "first\n" + hostile, "reason": hostile, "name": hostile, "sender": hostile, "signatory": hostile,
		"inviter": hostile, "company": hostile, "email": "a@b.example", "code": "123456", "minutes": "10", "link": "https://paraph.example/s/token",
		"expires": "2026-12-31T23:30:00Z", "expires_at": "2026-12-31T23:30:00Z", "timezone": "Europe/Vienna"}
}

func service(t testing.TB) (*Outbox, *kv.DB) {
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
	s, err := NewOutbox(Options{DB: db, Words: catalogue(t), Jobs: kv.NewJobs(db), NewID: ulid.Make})
	if err != nil {
		t.Fatal(err)
	}
	return s, db
}

// TestEveryMessageInEveryLanguage writes them all with hostile facts and checks
// what parsers of HTML and of mail see.
func TestEveryMessageInEveryLanguage(t *testing.T) {
	if testing.Short() {
		t.Skip("every message in every language, one after the other")
	}
	t.Parallel()
	s, db := service(t)
	id := ""
	s.NewID = func() ulid.ULID { u := ulid.Make(); id = u.String(); return u }
	for _, lang := range s.Words.Tags() {
		for _, kind := range kinds(s.Words) {
			for _, role := range append(record.Roles(), "") {
				f := facts()
				f["role"] = role
				if err := db.Update(func(tx *kv.Tx) error {
					return s.write(tx, Message{Kind: kind, Company: "C", To: "to@b.example", ToName: "To"}, lang, f)
				}); err != nil {
					t.Fatalf("%s, %s: %v", lang, kind, err)
				}
				checkMessage(t, lang, kind, stored(t, s, id))
			}
		}
	}
}

func stored(t *testing.T, s *Outbox, id string) (m Message) {
	t.Helper()
	if err := s.DB.View(func(tx *kv.Tx) (err error) { m, err = s.Messages.read(tx, id); return err }); err != nil {
		t.Fatal(err)
	}
	return m
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

// elements returns the attributes of the tags of a page, by name, and fails if an
// attribute could run code.
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

// TestSubjectCannotAddHeaders puts line breaks where people choose the subject.
func TestSubjectCannotAddHeaders(t *testing.T) {
	t.Parallel()
	s, _ := service(t)
	f := facts()
	f["subject"] = "Sign\r\nBcc: everybody@b.example\r\n\r\nbody"
	v, err := s.Texts.wording.word("invitation", "en", f, nil)
	if err != nil || v.Subject != "Sign Bcc: everybody@b.example body" {
		t.Errorf("subject %q, %v", v.Subject, err)
	}
}

func TestDeadlinesAreInTheCompanysZone(t *testing.T) {
	t.Parallel()
	s, _ := service(t)
	for zone, want := range map[string]string{"Europe/Vienna": "bis zum 1. Januar 2027, 00:30 Uhr (UTC+01:00)", "no/such": "bis zum 31. Dezember 2026, 23:30 Uhr (UTC)"} {
		f := facts()
		f["timezone"] = zone
		v, err := s.Texts.wording.word("invitation", "de-AT", f, nil)
		if err != nil || !strings.Contains(v.text(), want) {
			t.Errorf("%s, %v", v.text(), err)
		}
	}
}

func TestALineWithoutItsFactIsLeftOut(t *testing.T) {
	t.Parallel()
	s, _ := service(t)
	for _, c := range []struct {
		kind, fact, sentence string
	}{
		{"invitation", "expires", "Please respond by"}, {"reminder", "expires", "Please respond by"},
		{"declined", "reason", "Reason:"}, {"voided", "reason", "Reason:"},
	} {
		f := facts()
		with, err := s.Texts.wording.word(c.kind, "en", f, nil)
		if err != nil {
			t.Fatal(err)
		}
		delete(f, c.fact)
		without, err := s.Texts.wording.word(c.kind, "en", f, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(with.text(), c.sentence) || strings.Contains(without.text(), c.sentence) ||
			len(with.Body) != len(without.Body)+1 {
			t.Errorf("%s: with %q, without %q", c.kind, with.Body, without.Body)
		}
	}
}

func TestAnApproverIsAskedToApprove(t *testing.T) {
	t.Parallel()
	s, _ := service(t)
	for _, kind := range []string{"invitation", "reminder"} {
		f := facts()
		signer, err := s.Texts.wording.word(kind, "en", f, nil)
		if err != nil {
			t.Fatal(err)
		}
		f["role"] = "approver"
		approver, err := s.Texts.wording.word(kind, "en", f, nil)
		if err != nil {
			t.Fatal(err)
		}
		if signer.Button != "Read and sign" || approver.Button != "Read and approve" || signer.Lead == approver.Lead {
			t.Errorf("%s: %q and %q, %q and %q", kind, signer.Button, approver.Button, signer.Lead, approver.Lead)
		}
	}
}

func TestAnUnknownKindIsRefused(t *testing.T) {
	t.Parallel()
	s, _ := service(t)
	if v, err := s.Texts.wording.word("no_such", "en", facts(), nil); err == nil {
		t.Errorf("got %q", v.text())
	}
}

// TestPreviewLine checks the first text of a message, which clients show under its subject.
func TestPreviewLine(t *testing.T) {
	t.Parallel()
	s, _ := service(t)
	for name, c := range map[string]struct {
		kind, message string
		own           *MailText
		want          string
	}{
		"what the sender wrote":     {"invitation", "Please sign\n\nby Friday.", nil, "Please sign by Friday."},
		"what it is about":          {"completed", "", nil, "Everyone has signed “Lease”."},
		"a company's own text":      {"invitation", "", &MailText{Subject: "Lease", Body: "Dear tenant,\n\nhere is the lease.\n\n{{link}}"}, "Dear tenant,"},
		"no more than a line of it": {"invitation", strings.Repeat("long ", 100), nil, strings.Repeat("long ", 28)},
	} {
		v, err := s.Texts.wording.word(c.kind, "en", map[string]string{"title": "Lease", "message": c.message, "link": "https://x"}, c.own)
		if err != nil {
			t.Fatal(err)
		}
		var html bytes.Buffer
		if err := s.Texts.wording.layout.Execute(&html, v); err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(html.String(), `<div style="display:none`)
		_, line, _ := strings.Cut(body, ">")
		line, _, _ = strings.Cut(line, "</div>")
		text, padding, _ := strings.Cut(line, "&#847;")
		if !strings.HasPrefix(text, c.want) || strings.Count(padding, "&nbsp;")+utf8.RuneCountInString(text) != maxPreview {
			t.Errorf("%s: %.200s", name, line)
		}
	}
}

// TestPlainTextIsPunctuatedAsItsLanguage checks the line before the address in plain text.
func TestPlainTextIsPunctuatedAsItsLanguage(t *testing.T) {
	t.Parallel()
	s, _ := service(t)
	for language, want := range map[string]string{
		"en": "Read and sign:", "fr": "Lire et signer\u00a0:", "zh": "阅读并签署：", "ar": "قراءة وتوقيع:",
	} {
		v, err := s.Texts.wording.word("invitation", language, genuine(), nil)
		if err != nil || !strings.Contains(v.text(), "\n"+want+"\nhttps://sign.harbour.example/") {
			t.Errorf("%s: %v, %s", language, err, v.text())
		}
	}
}
