package web_test

import (
	"net/http"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
)

// TestSignInPerson hands a device over: the member is signed out on it, the signatory proves
// their identity and signs, and no session is left afterwards.
func TestSignInPerson(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()}, lease()...)
	host := d.Member(t, account.RoleMember)
	inv := d.Get(t, "/documents/"+d.id).Text(t, "invitations.0.id")
	v, hand := browse(t, host), "/app/documents/"+d.id+"/people/"+inv+"/in-person"
	_, page := v.get("/app/documents/" + d.id + "?tab=recipients")
	want(t, page, `href="`+hand+`"`, "Sign in person")
	_, page = v.get(hand)
	want(t, page, "Let Maria Silva sign on this device", "You are signed out first")
	if n := d.happened(t, "invitation.in_person"); n != 0 {
		t.Errorf("looking hands over %d devices", n)
	}

	_, page = v.send(hand)
	const at = "/s/in-person"
	want(t, page, "Are you Maria Silva (maria@signer.example)?", "invites you to sign", `action="`+at+`/confirm"`, "not", "First page", d.links[0])
	_, page = v.get("/app/documents/" + d.id)
	want(t, page, "/signin", "not", "Lease of a flat")
	if status, _ := v.get(at + "/files/current"); status != http.StatusOK {
		t.Errorf("the check of the name: %d", status)
	}
	_, page = v.get(at + "/text")
	want(t, page, "Are you Maria Silva", "not", "First page")
	if r := s.With(host.Token).Get(t, "/documents/"+d.id); r.Status != http.StatusUnauthorized {
		t.Errorf("the member's session goes on: %d", r.Status)
	}
	_, page = invited(t, s).get(at)
	want(t, page, "Please return the device", "not", "Maria", "Lease")

	_, page = v.send(at + "/confirm")
	want(t, page, "First page of the lease", "You are signing on", `action="`+at+`/back"`, "not", strings.TrimPrefix(d.links[0], s.URL))
	city := ""
	for _, f := range d.Get(t, "/documents/"+d.id).At(t, "fields").([]any) {
		if f := f.(map[string]any); f["type"] == "text" {
			city = "f." + f["id"].(string)
		}
	}
	_, page = v.send(at, "do", "finish", "signature.text", "Maria Silva", city, "Porto")
	want(t, page, "Please return the device", "You have signed", "Thank you, Maria Silva", "not", "Lease of a flat", "/files/")
	for _, closed := range []string{"", "/files/document", "/text"} {
		_, page := v.get(at + closed)
		want(t, page, "Please return the device", "not", "%PDF", "First page")
	}

	evidence := string(d.Post(t, "/documents/"+d.id+"/download", apptest.Map{"content": "evidence"}).Want(t, http.StatusOK).Body)
	want(t, strings.ReplaceAll(evidence, ": ", ":"), `"method":"in_person"`, `"host":"`, host.Email)
	if n := d.happened(t, "invitation.in_person"); n != 1 {
		t.Errorf("the handing over is recorded %d times", n)
	}
}

// TestHandBackWithoutSigning ends signing in person, by the person, and by timeout.
func TestHandBackWithoutSigning(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()})
	inv := d.Get(t, "/documents/"+d.id).Text(t, "invitations.0.id")
	hand := "/app/documents/" + d.id + "/people/" + inv + "/in-person"
	viewer := browse(t, d.Member(t, account.RoleViewer))
	if status, _ := viewer.get(hand); status != http.StatusForbidden {
		t.Errorf("a viewer is asked: %d", status)
	}
	if status, _ := viewer.send(hand); status != http.StatusForbidden {
		t.Errorf("a viewer hands over: %d", status)
	}
	if status, _ := browse(t, s.Company(t)).send(hand); status != http.StatusNotFound {
		t.Errorf("another company hands over: %d", status)
	}
	for name, end := range map[string]func(v *visitor){
		"handed back": func(v *visitor) { v.send("/s/in-person/back") },
		"an hour":     func(*visitor) { s.Advance(t, "61m") },
	} {
		v := browse(t, d.Member(t, account.RoleMember))
		v.send(hand)
		_, page := v.send("/s/in-person/confirm")
		want(t, page, "First page")
		end(v)
		if _, page = v.get("/s/in-person"); !strings.Contains(page, "Please return the device") || strings.Contains(page, "First page") {
			t.Errorf("%s: the page is %.500s", name, page)
		}
		if status, _ := v.send("/s/in-person", "do", "finish", "signature.text", "Maria Silva"); status != http.StatusOK || d.status(t) != "sent" {
			t.Errorf("%s: it is still signed: %d %s", name, status, d.status(t))
		}
	}
}
