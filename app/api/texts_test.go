package api_test

import (
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/apptest/patience"
)

// TestTextsByTheAPI rewords the invitation, sends it, and restores the default text.
func TestTextsByTheAPI(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c, other := s.Company(t), s.Company(t)
	const at = "/company/texts/invitation/en"
	usual := c.Get(t, at).Want(t, 200)
	if usual.At(t, "own") != false || !strings.Contains(usual.Text(t, "body"), "{{link}}") || usual.Text(t, "required.0") != "link" {
		t.Errorf("the usual text is %s", usual.Body)
	}
	for _, x := range []struct{ subject, body, field, code string }{
		{"", "{{link}}", "subject", "required"}, {"Sign", "Please.", "body", "variable_missing"}, {"Sign", "{{link}}" + strings.Repeat(" {{message}}", 6), "body", "variable_repeated"}, {"Sign", "{{link}} {{titel}}", "body", "unknown_mail_variable"},
		{"{{link}}", "{{link}}", "subject", "unknown_mail_variable"}, {"Sign", "{{link}}" + strings.Repeat("x", 10_000), "body", "too_long"}, {"Sign", "{{link}}\x07", "body", "control_characters"},
	} {
		for _, r := range []*apptest.Response{c.Put(t, at, obj{"subject": x.subject, "body": x.body}), c.Post(t, at+"/preview", obj{"subject": x.subject, "body": x.body})} {
			if failed(t, r, 422, x.field); !strings.HasPrefix(r.Text(t, "codes."+x.field+".0"), x.code) {
				t.Errorf("%q, %q: %s", x.subject, x.body, r.Body)
			}
		}
	}
	own := obj{"subject": "Lease: {{title}}", "body": "Dear {{name}},\n\n<b>{{title}}</b> waits.\n\n{{link}}"}
	p := c.Post(t, at+"/preview", own).Want(t, 200)
	if p.Text(t, "subject") != "Lease: [title]" || !strings.Contains(p.Text(t, "text"), "<b>[title]</b> waits.") || !strings.Contains(p.Text(t, "html"), "&lt;b&gt;[title]&lt;/b&gt; waits.") {
		t.Errorf("the preview is %s", p.Body)
	}
	if c.Get(t, at).At(t, "own") != false {
		t.Error("a preview changed the text")
	}
	r := c.Put(t, at, own).Want(t, 200)
	if r.At(t, "own") != true || r.Text(t, "changes.0.email") != c.Email {
		t.Errorf("the text is now %s", r.Body)
	}
	sent(t, c, 1)
	sent(t, other, 1)
	if m := invitationSubject(t, c); !strings.HasPrefix(m, "Lease: ") {
		t.Errorf("the message says %q", m)
	}
	if m := invitationSubject(t, other); strings.HasPrefix(m, "Lease: ") {
		t.Error("another company's message has the text")
	}
	c.Delete(t, at).Want(t, 204)
	c.Delete(t, at).Want(t, 204)
	after := c.Get(t, at)
	if after.Text(t, "body") != usual.Text(t, "body") || len(after.At(t, "changes").(list)) != 2 || after.At(t, "changes.0.subject") != nil {
		t.Errorf("after the return: %s", after.Body)
	}
}

// invitationSubject waits for the message that follows from sending a document.
func invitationSubject(t *testing.T, c *apptest.Client) (subject string) {
	t.Helper()
	patience.Until(t, "the outbox holds the invitation", func() (string, bool) {
		r := c.Get(t, "/outbox").Want(t, 200)
		if len(r.At(t, "data").(list)) == 0 {
			return string(r.Body), false
		}
		subject = r.Text(t, "data.0.subject")
		return subject, true
	})
	return subject
}

// TestTextsAreListedByKind reports in which languages a company has a text of its own.
func TestTextsAreListedByKind(t *testing.T) {
	t.Parallel()
	c := company(t)
	for _, language := range []string{"nl", "de"} {
		c.Put(t, "/company/texts/voided/"+language, obj{"subject": "x", "body": "x"}).Want(t, 200)
	}
	found := false
	for _, k := range c.Get(t, "/company/texts").Want(t, 200).At(t, "data").(list) {
		k := k.(obj)
		if languages := k["languages"].(list); k["kind"] == "voided" {
			found = len(languages) == 2 && languages[0] == "de" && languages[1] == "nl"
		} else if len(languages) > 0 || len(k["variables"].(list)) == 0 {
			t.Errorf("listed as %v", k)
		}
	}
	if !found {
		t.Error("the languages of the company's own texts are not listed")
	}
	for _, path := range []string{"nothing/en", "invitation/xx", "invitation/EN", "warning_certificate/en", "test/en"} {
		failed(t, c.Get(t, "/company/texts/"+path), 404)
		failed(t, c.Put(t, "/company/texts/"+path, obj{"subject": "x", "body": "{{link}}"}), 404)
		failed(t, c.Delete(t, "/company/texts/"+path), 404)
	}
	m := c.Member(t, account.RoleMember)
	failed(t, m.Get(t, "/company/texts"), 403)
	failed(t, m.Put(t, "/company/texts/voided/en", obj{"subject": "x", "body": "x"}), 403)
}
