package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"paraph/app/apptest"
)

var shownVersion = regexp.MustCompile(`name="shown" value="([0-9a-f]{64})"`)

// consented matches the ticked box of the consent.
var consented = regexp.MustCompile(`name="consent"[^>]*checked`)

// versionOn returns the version in the form of a page.
func versionOn(t *testing.T, html string) string {
	t.Helper()
	m := shownVersion.FindStringSubmatch(html)
	if m == nil {
		t.Fatalf("no version on the page: %.1000s", html)
	}
	return m[1]
}

// TestWhatWasShownIsWhatIsSigned changes what a page shows between the page and the act, with plain forms.
func TestWhatWasShownIsWhatIsSigned(t *testing.T) {
	t.Parallel()
	const changed = "has changed since you opened it"
	for name, change := range map[string]func(t *testing.T, d *sent){
		"consent text": func(t *testing.T, d *sent) {
			t.Helper()
			d.Patch(t, "/company", apptest.Map{"consent_text": "I give up everything."}).Want(t, http.StatusOK)
		},
		"sender": func(t *testing.T, d *sent) {
			t.Helper()
			d.Patch(t, "/company", apptest.Map{"name": "Somebody Else"}).Want(t, http.StatusOK)
		},
		"document": func(t *testing.T, d *sent) {
			t.Helper()
			ben := d.Get(t, "/documents/"+d.id).Want(t, http.StatusOK).Text(t, "invitations.1.id")
			d.Post(t, "/documents/"+d.id+"/"+ben+"/sign", apptest.Map{}).Want(t, http.StatusOK)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apptest.New(t)
			d := send(t, s, []apptest.Map{maria(), {"name": "Ben Buyer", "email": "ben@signer.example"}}, lease()...)
			d.Patch(t, "/company", apptest.Map{"consent_text": "I accept electronic papers."}).Want(t, http.StatusOK)
			v, at := invited(t, s), path(t, d.links[0])
			city := ""
			for _, f := range d.Get(t, "/documents/"+d.id).At(t, "fields").([]any) {
				if f := f.(map[string]any); f["type"] == "text" {
					city = "f." + f["id"].(string)
				}
			}
			_, html := v.get(at)
			answer := func(version string, more ...string) (int, string) {
				return v.send(at, append([]string{"do", "finish", "signature.text", "Maria S.", city, "Porto", "shown", version}, more...)...)
			}
			program := s.With(strings.TrimPrefix(at, "/s/"))
			inv := d.Get(t, "/documents/"+d.id).Text(t, "invitations.0.id")
			stale := program.Get(t, "/documents/"+d.id).Want(t, http.StatusOK).Text(t, "form_version")
			if stale != versionOn(t, html) {
				t.Error("the page and the API state different versions")
			}
			change(t, d)
			code, again := answer(versionOn(t, html), "consent", "yes")
			if code != http.StatusConflict || consented.MatchString(again) || d.happened(t, "invitation.signed") > 1 {
				t.Fatalf("the act on the outdated page: %d %.2000s", code, again)
			}
			want(t, again, changed, `value="Porto"`, `value="Maria S."`)
			r := program.Post(t, "/documents/"+d.id+"/"+inv+"/sign", apptest.Map{"consent": true, "form_version": stale, "fields": apptest.Map{"city": "Porto"}}).Want(t, http.StatusConflict)
			if got := r.Text(t, "code"); got != "form_outdated" {
				t.Errorf("the code is %q", got)
			}
			fresh := versionOn(t, again)
			if code, html = answer(fresh); code != http.StatusUnprocessableEntity {
				t.Errorf("without consent to what is shown now: %d %.1000s", code, html)
			}
			if code, html = answer(fresh, "consent", "yes"); code != http.StatusOK || d.happened(t, "invitation.signed") == 0 {
				t.Fatalf("the act on the page shown anew: %d %.1000s", code, html)
			}
			d.Post(t, "/documents/"+d.id+"/"+d.Get(t, "/documents/"+d.id).Text(t, "invitations.1.id")+"/sign", apptest.Map{}) // unless he has signed
			evidence := d.Post(t, "/documents/"+d.id+"/download", apptest.Map{"content": "evidence"}).Want(t, http.StatusOK)
			text := map[bool]string{true: "I give up everything.", false: "I accept electronic papers."}[name == "consent text"]
			if evidence.Text(t, "signatories.0.form_version") != fresh || evidence.Text(t, "signatories.0.consent_text") != text {
				t.Errorf("the evidence is %s", evidence.Body)
			}
		})
	}
}

// TestConsentIsToTheTextThatWasShown changes the text between the page that asks for consent and the answer, and
// after the answer.
func TestConsentIsToTheTextThatWasShown(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := gated(t, s, []apptest.Map{maria()}, lease()...)
	v, at := invited(t, s), path(t, d.links[0])
	_, first := v.get(at)
	d.Patch(t, "/company", apptest.Map{"consent_text": "Second text."}).Want(t, http.StatusOK)
	code, html := v.send(at+"/consent", "shown", versionOn(t, first))
	if code != http.StatusConflict || d.happened(t, "invitation.consented") != 0 {
		t.Errorf("the consent to a former text is recorded: %d", code)
	}
	want(t, html, "has changed since you opened it", "Second text.", "not", "First page")
	_, html = v.send(at+"/consent", "shown", versionOn(t, html))
	want(t, html, "First page of the lease")
	city := ""
	for _, f := range d.Get(t, "/documents/"+d.id).At(t, "fields").([]any) {
		if f := f.(map[string]any); f["type"] == "text" {
			city = "f." + f["id"].(string)
		}
	}
	d.Patch(t, "/company", apptest.Map{"consent_text": "Third text."}).Want(t, http.StatusOK)
	finish := []string{"do", "finish", "signature.text", "Maria S.", city, "Porto", "shown"}
	code, html = v.send(at, append(finish, versionOn(t, html))...)
	if code != http.StatusConflict || d.status(t) != "sent" {
		t.Errorf("signed with consent to a former text: %d", code)
	}
	want(t, html, "Third text.", "not", "First page")
	_, html = v.send(at+"/consent", "shown", versionOn(t, html))
	want(t, html, `value="Porto"`, `value="Maria S."`)
	if _, html = v.send(at, append(finish, versionOn(t, html))...); d.status(t) != "completed" {
		t.Fatalf("not signed: %.1000s", html)
	}
	evidence := d.Post(t, "/documents/"+d.id+"/download", apptest.Map{"content": "evidence"}).Want(t, http.StatusOK)
	if got := evidence.Text(t, "signatories.0.consent_text"); got != "Third text." {
		t.Errorf("the evidence has the text %q", got)
	}
}

// TestEverybodyIsShownTheFieldsOfOthers looks at a document before and after somebody else has filled in their fields.
func TestEverybodyIsShownTheFieldsOfOthers(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	field := func(who, kind, label string, y float64) apptest.Map {
		return apptest.Map{"invitation_id": who, "type": kind, "name": "internal-" + label, "label": label, "page": 1, "x": 0.1, "y": y, "width": 0.4, "height": 0.05}
	}
	d := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease", "send": true, "invitations": apptest.List{maria(), apptest.Map{"name": "Ben Buyer", "email": "ben@signer.example"}},
		"fields": apptest.List{field("0", "text", "City", 0.1), field("1", "text", "Rent", 0.3), field("1", "signature", "Below", 0.5)}},
		apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "A page.")})).Want(t, http.StatusCreated)
	id := d.Text(t, "id")
	_, token, _ := strings.Cut(d.Text(t, "invitations.0.sign_url"), "/s/")
	v := invited(t, s)
	for _, x := range []struct {
		state  string
		filled bool
	}{{"to be filled in", false}, {"filled in", true}} {
		_, page := v.get("/s/" + token)
		want(t, page, "Rent (Ben Buyer), "+x.state, "Below (Ben Buyer), "+x.state, `x="124" y="526`, "not", "internal-", "City (")
		_, text := v.get("/s/" + token + "/text")
		want(t, text, "Rent (Ben Buyer), "+x.state)
		others, _ := s.With(token).Get(t, "/documents/"+id).Want(t, http.StatusOK).At(t, "other_fields").([]any)
		if len(others) != 2 {
			t.Fatalf("the API shows %v", others)
		}
		rent := others[0].(map[string]any)
		if rent["label"] != "Rent" || rent["invitation_id"] != d.Text(t, "invitations.1.id") || rent["y"] != 0.3 || rent["filled_in"] != x.filled {
			t.Errorf("the API shows %v", rent)
		}
		if !x.filled {
			c.Post(t, "/documents/"+id+"/"+d.Text(t, "invitations.1.id")+"/sign", apptest.Map{"fields": apptest.Map{"internal-Rent": "700"}}).Want(t, http.StatusOK)
		}
	}
	if others := c.Get(t, "/documents/"+id).At(t, "other_fields").([]any); len(others) != 0 {
		t.Errorf("a member is told of the fields of others apart from all: %v", others)
	}
}
