package web_test

import (
	"net/http"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
)

// TestTextsOfMessages rewords the invitation and sends it.
func TestTextsOfMessages(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	v := browse(t, owner)
	_, html := v.get("/app/settings/texts")
	v.contains(html, "Request to approve as a recipient", "Code for signing", "Default")
	if strings.Contains(html, "texts.kind.") {
		t.Error("a kind of message has no name")
	}
	_, html = v.get("/app/settings/texts?kind=invitation&language=en")
	v.contains(html, "{{sender}} asks you to sign: {{title}}", "Hello {{name}},", "{{message}}", "{{link}}", "Please respond by {{expires}}.")
	form := func(subject, body string) []string {
		return []string{"kind", "invitation", "language", "en", "subject", subject, "body", body}
	}
	for _, c := range []struct{ subject, body, want string }{
		{"{{titel}}", "{{link}}", "{{titel}} is not a variable of this message"},
		{"{{link}}", "{{link}}", "{{link}} is not a variable of this message"},
		{"Sign", "Please sign.", "must contain {{link}}"},
		{"", "{{link}}", "subject"},
		{strings.Repeat("x", 201), "{{link}}", "200"},
		{"Sign", "{{link}}\x07", "control characters"},
	} {
		status, html := v.send("/app/settings/texts", form(c.subject, c.body)...)
		if status != http.StatusUnprocessableEntity {
			t.Errorf("%q, %q: %d", c.subject, c.body, status)
		}
		v.contains(html, c.want)
	}
	body := "Dear {{name}},\r\n\r\n<b>{{title}}</b> waits.\nDo it soon.\r\n\r\nUntil {{expires}}.\r\n\r\n{{message}}\r\n\r\n{{link}}"
	_, html = v.send("/app/settings/texts/preview", form("Lease: {{title}}", body)...)
	v.contains(html, "Lease: [title]", "Dear Owner Person", "Read and sign:", `target="letter"`, `name="letter"`)
	status, letter := v.send("/app/settings/texts/preview/message", form("Lease: {{title}}", body)...)
	v.contains(letter, "Dear Owner Person", "&lt;b&gt;[title]", "Read and sign</a>")
	if status != http.StatusOK || strings.Contains(letter, "csrf") {
		t.Errorf("the preview with layout is %d %.200s", status, letter)
	}
	_, html = v.send("/app/settings/texts", form("Lease: {{title}}", body)...)
	v.contains(html, "Changes", "Reset to default")
	owner.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "A lease & <i>", "message": "Thank you.", "send": true, "invitations": apptest.List{maria()}},
		apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})).Want(t, http.StatusCreated)
	m := s.Mails(t, "maria@signer.example")[0]
	if strings.ContainsAny(m.Subject, "\r\n") || !strings.HasPrefix(m.Subject, "Lease: A lease") {
		t.Errorf("the subject is %q", m.Subject)
	}
	if !strings.Contains(m.Text, "Do it soon.") || strings.Contains(m.Text, "Until") || !strings.Contains(m.Text, "> Thank you.") || !strings.Contains(m.Text, "/s/") || strings.Contains(m.Text, "{{") {
		t.Errorf("the text is %q", m.Text)
	}
	if strings.Contains(m.HTML, "<b>") || strings.Contains(m.HTML, "<i>") || !strings.Contains(m.HTML, "&lt;b&gt;A") || !strings.Contains(m.HTML, `/s/`) {
		t.Errorf("the HTML is %s", m.HTML)
	}
	_, html = v.send("/app/settings/texts/reset", "kind", "invitation", "language", "en")
	v.contains(html, "The default text is used again", "asks you to sign")
	if status, _ := browse(t, owner.Member(t, account.RoleMember)).send("/app/settings/texts", form("x", "{{link}}")...); status != http.StatusForbidden {
		t.Errorf("a member changes texts: %d", status)
	}
}
