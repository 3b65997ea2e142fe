package web_test

import (
	"net/http"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
)

// TestWhatTheSenderAllows forbids declining and passing on in the review page,
// and checks that pages and API refuse them.
func TestWhatTheSenderAllows(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	r := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease of a flat", "invitations": []apptest.Map{maria()}},
		apptest.File{Name: "lease.pdf", Content: apptest.PDF(t)})).Want(t, http.StatusCreated)
	id := r.Text(t, "id")
	if r.At(t, "allow_decline") != true || r.At(t, "allow_delegation") != true {
		t.Errorf("by itself a document allows %v and %v", r.At(t, "allow_decline"), r.At(t, "allow_delegation"))
	}
	v := browse(t, c)
	_, html := v.get("/app/documents/" + id + "/review")
	want(t, html, `name="allow_decline" value="yes" checked`, `name="allow_delegation" value="yes" checked`)
	status, html := v.send("/app/documents/"+id+"/review", "do", "save", "redirect_url", "javascript:alert(1)")
	if status != http.StatusUnprocessableEntity {
		t.Errorf("a script as address: %d", status)
	}
	want(t, html, "web address such as")
	v.send("/app/documents/"+id+"/review", "do", "send", "seen", "yes", "redirect_url", "https://example.org/thanks?a=1")
	got := c.Get(t, "/documents/"+id).Want(t, http.StatusOK)
	if got.At(t, "allow_decline") != false || got.At(t, "allow_delegation") != false || got.Text(t, "redirect_url") != "https://example.org/thanks?a=1" || got.Text(t, "status") != "sent" {
		t.Fatalf("the document is %s", got.Body)
	}
	_, token, _ := strings.Cut(got.Text(t, "invitations.0.sign_url"), "/s/")
	guest, at := invited(t, s), "/s/"+token
	_, html = guest.get(at)
	want(t, html, `id="sign"`, "not", at+"/not-me", at+"/decline", at+"/delegate")
	for _, form := range []string{"/decline", "/delegate", "/not-me"} {
		if _, html := guest.get(at + form); !strings.Contains(html, `id="sign"`) {
			t.Errorf("%s is shown", form)
		}
		guest.send(at+form, "name", "Dora Deputy", "email", "dora@signer.example")
	}
	act := "/documents/" + id + "/" + got.Text(t, "invitations.0.id")
	for _, who := range []*apptest.Client{c, s.With(token)} {
		who.Post(t, act+"/decline", apptest.Map{"reason": "No."}).Want(t, http.StatusConflict)
		who.Post(t, act+"/delegate", apptest.Map{"name": "Dora Deputy", "email": "dora@signer.example"}).Want(t, http.StatusConflict)
	}
	if now := s.With(token).Get(t, "/documents/"+id).Want(t, http.StatusOK); strings.Contains(string(now.Body), `"decline"`) || now.Text(t, "invitations.0.status") == "declined" {
		t.Errorf("declining is offered or done: %s", now.Body)
	}

	onward := func(event string) string {
		return `href="https://example.org/thanks?a=1&document=` + id + `&event=` + event + `&invitation=` + got.Text(t, "invitations.0.id") + `"`
	}
	_, html = guest.send(at, "do", "save")
	want(t, html, `id="sign"`, onward("saved"), "Continue to example.org", "not", "data-seconds")
	_, html = guest.get(at)
	want(t, html, `id="sign"`, "not", "Continue to example.org")
	_, html = guest.send(at, "do", "finish", "signature.text", "Maria Silva")
	want(t, html, "Everyone has signed", onward("signed"), "Continue to example.org", `data-seconds="10"`)
	_, html = guest.get(at)
	want(t, html, "Continue to example.org", "not", "data-seconds", "leave.")
}

// TestReasons declines with an offered reason and a written one. Everybody reads the offered one in
// their own language.
func TestReasons(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()})
	v, at := invited(t, s), path(t, d.links[0])
	_, html := v.send(at+"/delegate", "name", "Dora Deputy", "email", "dora@signer.example", "reason", "She is the tenant.")
	want(t, html, "Delegated")
	events := string(d.Get(t, "/documents/"+d.id+"/events?per_page=100").Want(t, http.StatusOK).Body)
	want(t, events, "She is the tenant.")
	link := "/s/" + s.Link(t, "dora@signer.example", "/s/")
	_, html = v.get(link + "/decline")
	want(t, html, "It contains a mistake", "only see that someone declined")
	v.send("/language", "language", "de")
	_, html = v.send(link+"/decline", "choice", "mistake", "reason", "The rent is wrong.")
	want(t, html, "Es enthält einen Fehler. The rent is wrong.")
	want(t, string(d.Get(t, "/documents/"+d.id).Body), `"declined_reason":"It contains a mistake. The rent is wrong."`)
}

// TestSomebodyElseIsSignedIn expects a note if a member opens somebody else's link,
// and none for their own.
func TestSomebodyElseIsSignedIn(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()})
	at := path(t, d.links[0])
	v := browse(t, d.Client)
	_, html := v.get(at)
	want(t, html, "You're signed in as "+d.Email, "Continue as Maria Silva", `href="/app/documents/`+d.id+`"`, `id="sign"`)
	_, html = v.get(at + "?as=invited")
	want(t, html, `id="sign"`, "not", "You're signed in as")
	_, html = invited(t, s).get(at)
	want(t, html, "not", "You're signed in as")
	_, html = browse(t, s.Company(t)).get(at)
	want(t, html, `href="/app/action"`, "not", "/app/documents/"+d.id)

	member := d.Member(t, account.RoleMember)
	own := send(t, s, []apptest.Map{{"name": "Member", "email": strings.ToUpper(member.Email)}})
	_, html = browse(t, member).get(path(t, own.links[0]))
	want(t, html, `id="sign"`, "not", "You're signed in as")
}

// TestReasonAndHint requires a reason for declining, and sets a hint for the
// access code.
func TestReasonAndHint(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	person := maria()
	person["access_code"], person["access_code_hint"] = "Ponto-7", "The street of our first office"
	r := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease of a flat", "invitations": []apptest.Map{person}},
		apptest.File{Name: "lease.pdf", Content: apptest.PDF(t)})).Want(t, http.StatusCreated)
	id := r.Text(t, "id")
	if r.At(t, "decline_reason_required") != false || r.Text(t, "invitations.0.access_code_hint") != "The street of our first office" {
		t.Errorf("the document is %s", r.Body)
	}
	v := browse(t, c)
	_, html := v.get("/app/documents/" + id + "/files")
	want(t, html, `value="The street of our first office"`)
	v.send("/app/documents/"+id+"/review", "do", "send", "seen", "yes", "redirect_url", "", "allow_decline", "yes", "decline_reason", "yes")
	got := c.Get(t, "/documents/"+id).Want(t, http.StatusOK)
	if got.At(t, "decline_reason_required") != true || got.Text(t, "status") != "sent" {
		t.Fatalf("the document is %s", got.Body)
	}
	_, token, _ := strings.Cut(got.Text(t, "invitations.0.sign_url"), "/s/")
	guest, at := invited(t, s), "/s/"+token
	_, html = guest.get(at)
	want(t, html, "Hint:", "The street of our first office", "not", `id="sign"`)
	guest.send(at+"/identify", "code", "Ponto-7")
	_, html = guest.get(at + "/decline")
	want(t, html, "Choose a reason or write your own")
	if status, html := guest.send(at+"/decline", "reason", " "); status != http.StatusUnprocessableEntity {
		t.Errorf("declining without a reason: %d %.300s", status, html)
	}
	act := "/documents/" + id + "/" + got.Text(t, "invitations.0.id")
	c.Post(t, act+"/decline", apptest.Map{}).Want(t, http.StatusUnprocessableEntity)
	guest.send(at+"/decline", "choice", "content")
	if now := c.Get(t, "/documents/"+id).Want(t, http.StatusOK); now.Text(t, "invitations.0.status") != "declined" || now.Text(t, "invitations.0.declined_reason") == "" {
		t.Errorf("the document is %s", now.Body)
	}
}

// TestSendWithoutMails sends a document without e-mails in the review page, which then
// shows the links.
func TestSendWithoutMails(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	id := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease of a flat", "invitations": []apptest.Map{maria()}},
		apptest.File{Name: "lease.pdf", Content: apptest.PDF(t)})).Want(t, http.StatusCreated).Text(t, "id")
	v := browse(t, c)
	v.send("/app/documents/"+id+"/review", "do", "save", "redirect_url", "", "no_emails", "yes", "allow_delegation", "yes")
	_, html := v.get("/app/documents/" + id + "/review")
	want(t, html, `name="no_emails" value="yes" checked`, "No e-mail goes out for this document", "not", `name="allow_delegation" value="yes" checked`)
	_, html = v.send("/app/documents/"+id+"/review", "do", "send", "seen", "yes", "redirect_url", "", "no_emails", "yes")
	want(t, html, "The document has been sent", "No e-mail goes out for this document")
}

// TestDecliningLeadsOnwardAndVoids declines two documents of a company that leaves them to their owners: one says
// that it is voided then, and both lead to the sender's page.
func TestDecliningLeadsOnwardAndVoids(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	for choice, status := range map[string]string{"": "sent", "void": "voided"} {
		id := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease", "invitations": apptest.List{maria()}, "redirect_url": "https://example.org/"},
			apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})).Want(t, http.StatusCreated).Text(t, "id")
		v := browse(t, c)
		v.send("/app/documents/"+id+"/review", "do", "save", "redirect_url", "https://example.org/", "allow_decline", "yes", "on_decline", choice)
		_, html := v.get("/app/documents/" + id + "/review")
		want(t, html, `<option value="`+choice+`" selected`)
		c.Post(t, "/documents/"+id+"/send", apptest.Map{}).Want(t, http.StatusOK)
		got := c.Get(t, "/documents/"+id).Want(t, http.StatusOK)
		if on := got.At(t, "on_decline"); choice == "" && on != nil || choice != "" && on != choice {
			t.Errorf("on_decline is %v instead of %q", on, choice)
		}
		_, token, _ := strings.Cut(got.Text(t, "invitations.0.sign_url"), "/s/")
		_, html = invited(t, s).send("/s/"+token+"/decline", "choice", "other", "reason", "Too expensive.")
		want(t, html, `event=declined&invitation=`+got.Text(t, "invitations.0.id"), `data-seconds="10"`, "You declined to sign", "not", "voided this document")
		if now := c.Get(t, "/documents/"+id).Want(t, http.StatusOK).Text(t, "status"); now != status {
			t.Errorf("with %q the document is %s", choice, now)
		}
	}
	c.Post(t, "/documents", apptest.Map{"title": "Lease", "on_decline": "burn"}).Want(t, http.StatusUnprocessableEntity)
}
