package app_test

import (
	"strings"
	"testing"

	"paraph/app/apptest"
)

// ends lists the ways in which a document ends without being completed. Each takes
// the signatories' API clients and returns a text of the first one's page.
var ends = map[string]func(t *testing.T, p, other signatory) string{
	"voided": func(t *testing.T, p, _ signatory) string {
		p.owner.Post(t, p.document+"/void", apptest.Map{"reason": "The price is wrong."}).Want(t, 200)
		return "This document was voided"
	},
	"expired": func(t *testing.T, p, _ signatory) string {
		p.Advance(t, "2400h")
		return "The deadline has passed"
	},
	"declined by them": func(t *testing.T, p, _ signatory) string {
		p.Post(t, p.invitation+"/decline", nil).Want(t, 200)
		return "You declined to sign"
	},
	"declined by another": func(t *testing.T, _, other signatory) string {
		other.Post(t, other.invitation+"/decline", nil).Want(t, 200)
		return "Signing has stopped"
	},
	"declined after they signed": func(t *testing.T, p, other signatory) string {
		p.Post(t, p.invitation+"/sign", apptest.Map{"consent": true}).Want(t, 200)
		other.Post(t, other.invitation+"/decline", nil).Want(t, 200)
		return "Signing has stopped"
	},
}

// both sends a document to two people.
func both(t *testing.T, owner *apptest.Client) (p, other signatory, file string) {
	t.Helper()
	d := owner.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Contract", "message": "The secret terms", "send": true, "expires_at": "2027-01-01T00:00:00Z",
		"invitations": apptest.List{apptest.Map{"name": "Sam", "email": "sam@signer.example", "message": "Dear Sam"}, apptest.Map{"name": "Kim", "email": "kim@signer.example"}},
		"fields":      apptest.List{apptest.Map{"type": "text", "name": "salary", "required": false, "invitation_id": "0", "x": 0, "y": 0, "width": .1, "height": .1}}},
		apptest.File{Name: "secret.pdf", Content: apptest.PDF(t, "The contract.")})).Want(t, 201)
	at := "/documents/" + d.Text(t, "id")
	person := func(n string) signatory {
		_, link, _ := strings.Cut(d.Text(t, "invitations."+n+".sign_url"), "/s/")
		return signatory{owner.Server.With(link), owner, at, at + "/" + d.Text(t, "invitations."+n+".id")}
	}
	return person("0"), person("1"), d.Text(t, "files.0.id")
}

func TestClosedDocumentsShowWhatHappenedAndNothingElse(t *testing.T) {
	t.Parallel()
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apptest.New(t)
			p, other, file := both(t, s.Company(t))
			says := end(t, p, other)
			d := p.Get(t, p.document).Want(t, 200)
			page := s.Anonymous().Get(t, "/s/"+p.Token).Want(t, 200)
			for _, r := range []*apptest.Response{d, page} {
				for _, secret := range []string{"secret", "salary", "Dear Sam", "kim@signer.example", file} {
					if strings.Contains(string(r.Body), secret) {
						t.Errorf("%s shows %q", r.What, secret)
					}
				}
			}
			if !strings.Contains(string(page.Body), says) || !strings.Contains(string(page.Body), "can no longer open the document") {
				t.Errorf("the page does not say %q: %s", says, page.Body)
			}
			for _, path := range []string{"/download?version=current", "/download?version=original", "/download?content=evidence", "/files/" + file + "/content", "/files/" + file + "/pages/1.png"} {
				if r := p.Get(t, p.document+path); r.Status != 409 || r.Text(t, "code") != "document_closed" {
					t.Errorf("%s: %d %.100s", path, r.Status, r.Body)
				}
			}
			for _, path := range []string{"/text", "/files/current", "/files/all", "/pages/" + file + "/1.png"} {
				if r := s.Anonymous().Get(t, "/s/"+p.Token+path); r.Status < 300 {
					t.Errorf("%s: %d", path, r.Status)
				}
			}
		})
	}
}

func TestCompaniesMayKeepClosedDocumentsReadable(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	p, _, file := both(t, owner)
	if owner.Get(t, "/company").At(t, "closed_documents_readable") != false {
		t.Error("closed documents are readable by default")
	}
	owner.Patch(t, "/company", apptest.Map{"closed_documents_readable": true}).Want(t, 200)
	p.owner.Post(t, p.document+"/void", apptest.Map{"reason": "The price is wrong."}).Want(t, 200)
	p.Get(t, p.document+"/files/"+file+"/content").Want(t, 200)
}

func TestCompletedDocumentsStayReadable(t *testing.T) {
	t.Parallel()
	p, other, file := both(t, apptest.New(t).Company(t))
	for _, who := range []signatory{p, other} {
		who.Post(t, who.invitation+"/sign", apptest.Map{"consent": true}).Want(t, 200)
	}
	p.Get(t, p.document+"/files/"+file+"/content").Want(t, 200)
	p.Get(t, p.document+"/download").Want(t, 200)
}
