package web_test

import (
	"net/http"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestAccountLanguageChangesTheTeamsPages changes the language of an account and reads the team's
// pages in it, whatever the browser asks for.
func TestAccountLanguageChangesTheTeamsPages(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	for _, x := range []struct{ locale, tag, text string }{
		{"en", "en", "Documents"}, {"de", "de", "Dokumente"}, {"de-AT", "de", "Einstellungen"}, {"th", "en", "Settings"},
	} {
		c.Patch(t, "/me", apptest.Map{"locale": x.locale}).Want(t, http.StatusOK)
		_, page := fetch(t, s.URL+"/app/documents", "Cookie", "paraph_session="+c.Token, "Accept-Language", "ja")
		if !strings.Contains(page, `<html lang="`+x.tag+`"`) || !strings.Contains(page, x.text) {
			t.Errorf("the page of an account in %s does not say %q in %s: %.600s", x.locale, x.text, x.tag, page)
		}
	}
}

// TestCompanyLanguageIsTheDefaultForRecipients reads the invitation and the page behind it, with
// a language at every level: company, document, recipient and browser.
func TestCompanyLanguageIsTheDefaultForRecipients(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	for _, x := range []struct{ company, document, recipient, browser, mail, page string }{
		{"en", "", "", "", "asks you to sign", "en"},
		{"de", "", "", "", "bittet Sie", "de"},
		{"de", "", "", "th", "bittet Sie", "de"},
		{"de", "", "", "fr", "bittet Sie", "fr"},
		{"de", "es", "", "", "le pide", "es"},
		{"de", "es", "", "fr", "le pide", "fr"},
		{"de", "es", "nl", "fr", "vraagt u", "nl"},
	} {
		c := s.Company(t)
		c.Patch(t, "/company", apptest.Map{"locale": x.company}).Want(t, http.StatusOK)
		to := "maria." + strings.ToLower(c.CompanyID) + "@signer.example"
		person := apptest.Map{"name": "Maria", "email": to}
		if x.recipient != "" {
			person["locale"] = x.recipient
		}
		document := apptest.Map{"title": "Lease"}
		if x.document != "" {
			document["locale"] = x.document
		}
		id := c.Post(t, "/documents", document).Want(t, http.StatusCreated).Text(t, "id")
		c.Post(t, "/documents/"+id+"/upload", apptest.Multipart(t, nil, apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "A lease.")})).Want(t, http.StatusCreated)
		c.Post(t, "/documents/"+id+"/invite", apptest.Map{"invitations": []apptest.Map{person}}).Want(t, http.StatusCreated)
		link := c.Post(t, "/documents/"+id+"/send", apptest.Map{}).Want(t, http.StatusOK).Texts(t, "invitations", "sign_url")[0]
		_, token, _ := strings.Cut(link, "/s/")
		var headers []string
		if x.browser != "" {
			headers = []string{"Accept-Language", x.browser}
		}
		if _, page := fetch(t, s.URL+"/s/"+token, headers...); !strings.Contains(page, `<html lang="`+x.page+`"`) {
			t.Errorf("%+v: the page is %.200s", x, page)
		}
		if mails := s.Mails(t, to); len(mails) != 1 || !strings.Contains(mails[0].Text, x.mail) {
			t.Errorf("%+v: the mails are %+v", x, mails)
		}
	}
}

// TestZoomIsWrittenAsInTheLanguage reads percentages that the server and the scripts write.
func TestZoomIsWrittenAsInTheLanguage(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	sent := send(t, s, []apptest.Map{maria()}, lease()...)
	draft := newDraft(t, sent.Client, 1, maria())
	w := open(t, look{})
	for locale, want := range map[string]string{"en": "150%", "fr": "150\u00a0%", "tr": "%150"} {
		w.anew(locale)
		w.visit(sent.links[0])
		w.until(`!!document.querySelector("#zoom option")`)
		w.wants(`document.querySelectorAll("#zoom option")[1].textContent === `+quoted(want)+`[0]`, "signing in "+locale)

		sent.Patch(t, "/me", apptest.Map{"locale": locale}).Want(t, http.StatusOK)
		w.enter(sent.Client)
		w.edit(draft)
		w.js(`document.querySelector("[data-do=zoom-in]").click()`)
		w.wants(`document.querySelector("#zoom").textContent.replace(/\d+/, "150") === `+quoted(want)+`[0]`, "the editor in "+locale)
	}
}
