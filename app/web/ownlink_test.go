package web_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// downloadedText returns the text of a document's certificate of completion on one line, and its evidence.
func downloadedText(t *testing.T, c *apptest.Client, id string) (certificate string, evidence map[string]any) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "certificate.pdf")
	if err := os.WriteFile(path, c.Post(t, "/documents/"+id+"/download", apptest.Map{"content": "certificate"}).Want(t, http.StatusOK).Body, 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := exec.CommandContext(t.Context(), "pdftotext", path, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	c.Post(t, "/documents/"+id+"/download", apptest.Map{"content": "evidence"}).Want(t, http.StatusOK).Decode(t, &evidence)
	return strings.Join(strings.Fields(string(text)), " "), evidence
}

// TestAnAccountThatTheCompanyMadeIsNamed signs in with an account for the address of a recipient, made by the company
// that sent the document, and does everything that could pass for the recipient's own act.
func TestAnAccountThatTheCompanyMadeIsNamed(t *testing.T) {
	t.Parallel()
	const made = "account made by Company 1, address not proven"
	for _, x := range []struct {
		name   string
		proven bool
		act    func(t *testing.T, bob *apptest.Client, id, invitation, link string)
		says   string // the certificate, besides the name of the account, if it is not proven
		event  string // whose actor is in doubt
	}{
		{"opens the link in the web app", false, openOwn, "shown in the web app to Bob", "invitation.link_shown"},
		{"opens it with a proven address", true, openOwn, "shown in the web app to Bob", ""},
		{"signs with a token", false, func(t *testing.T, bob *apptest.Client, id, invitation, _ string) {
			t.Helper()
			bob.Post(t, "/documents/"+id+"/"+invitation+"/sign", apptest.Map{}).Want(t, http.StatusOK)
		}, "Recorded by Bob", "invitation.signed"},
		{"hosts the signing in person", false, func(t *testing.T, bob *apptest.Client, id, invitation, _ string) {
			t.Helper()
			v := browse(t, bob)
			v.send("/app/documents/" + id + "/people/" + invitation + "/in-person")
			v.send("/s/in-person/confirm")
			v.send("/s/in-person", "do", "finish", "signature.text", "Bob", "consent", "yes")
		}, "Host of the in-person signing", "invitation.in_person"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			s := apptest.New(t)
			owner := s.Company(t)
			owner.Post(t, "/members", apptest.Map{"email": "bob@else.example", "name": "Bob", "password": apptest.Password}).Want(t, http.StatusCreated)
			bob := s.Login(t, "bob@else.example")
			if x.proven {
				bob.Post(t, "/email/reverify", nil).Want(t, http.StatusAccepted)
				s.Anonymous().Get(t, "/email/verify?token="+s.Link(t, bob.Email, "/confirm/")).Want(t, http.StatusOK)
				bob = s.Login(t, bob.Email)
			}
			d := owner.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Loan", "send": true, "invitations": apptest.List{apptest.Map{"name": "Bob", "email": bob.Email}}},
				apptest.File{Name: "loan.pdf", Content: apptest.PDF(t, "A loan.")})).Want(t, http.StatusCreated)
			id := d.Text(t, "id")
			x.act(t, bob, id, d.Text(t, "invitations.0.id"), strings.TrimPrefix(d.Text(t, "invitations.0.sign_url"), s.URL))
			text, evidence := downloadedText(t, owner, id)
			if !strings.Contains(text, x.says) || strings.Contains(text, made) == x.proven {
				t.Errorf("the certificate says %s", text)
			}
			stated, err := json.Marshal(evidence)
			if err != nil || strings.Contains(string(stated), `"actor_doubt":"made_by_company"`) == x.proven {
				t.Errorf("the evidence is %s, %v", stated, err)
			}
			events := owner.Get(t, "/documents/"+id+"/events?per_page=100").Want(t, http.StatusOK)
			for i, kind := range events.Texts(t, "data", "type") {
				actor := events.At(t, "data").([]any)[i].(map[string]any)["actor"].(map[string]any)
				if actor["email"] == bob.Email && actor["type"] == "user" && (actor["doubt"] == "made_by_company") == x.proven {
					t.Errorf("%s is by %v", kind, actor)
				}
			}
			if x.event != "" && !strings.Contains(strings.Join(events.Texts(t, "data", "type"), " "), x.event) {
				t.Errorf("%s is missing", x.event)
			}
		})
	}
}

// openOwn opens the own link of a member in the web app and signs.
func openOwn(t *testing.T, bob *apptest.Client, id, invitation, link string) {
	t.Helper()
	v := browse(t, bob)
	v.send("/app/documents/" + id + "/people/" + invitation + "/sign")
	_, html := v.send(link, "do", "finish", "signature.text", "Bob", "consent", "yes")
	if !strings.Contains(html, "Thank you") && !strings.Contains(html, "igned") {
		t.Fatalf("not signed: %.1000s", html)
	}
}
