package api_test

import (
	"fmt"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// named sends a document with a signature field to one person, and returns it with the address at
// which they sign.
func named(t *testing.T, c *apptest.Client, name string, more ...obj) (sent *apptest.Response, sign string) {
	t.Helper()
	fields := list{obj{"file_id": "0", "invitation_id": "0", "page": 1, "type": "signature", "name": "s", "x": .1, "y": .1, "width": .5, "height": .1}}
	for _, x := range more {
		field := obj{"file_id": "0", "invitation_id": "0", "page": 1}
		for k, v := range x {
			field[k] = v
		}
		fields = append(fields, field)
	}
	data := obj{"title": "Names", "send": true, "send_emails": false, "fields": fields,
		"invitations": list{obj{"name": name, "email": "yoshida@example.org"}}}
	sent = c.Post(t, "/documents", apptest.Multipart(t, data, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "One.")})).Want(t, 201)
	return sent, "/documents/" + sent.Text(t, "id") + "/" + sent.Text(t, "invitations.0.id") + "/sign"
}

func TestBlankSignaturesAreNone(t *testing.T) {
	t.Parallel()
	c := company(t)
	d, sign := named(t, c, "Ben Buyer")
	for _, blank := range []string{"   ", "\u200B", "\u3164", "\u2800", "\u3000\u00A0", "\uFE0F", "\u200D\u2060"} {
		refused(t, c.Post(t, sign, obj{"signature": obj{"type": "typed", "text": blank}}), "signature.text", "empty")
		person := list{obj{"name": blank, "email": "a@example.org"}}
		failed(t, c.Post(t, "/documents", obj{"title": "Blank", "invitations": person}), 422, "invitations.0.name")
	}
	refused(t, c.Post(t, sign, obj{"signature": obj{"type": "drawn", "data": "[[[5,5]],[[5,5,1]]]"}}), "signature.data", "empty")
	c.Post(t, sign, obj{"signature": obj{"type": "typed", "text": "B."}}).Want(t, 200)
	if got := c.Get(t, "/documents/"+d.Text(t, "id")).Want(t, 200).Text(t, "status"); got != "completed" {
		t.Error(got)
	}
}

// TestEveryNameCanSign signs as people whose names some or all fonts lack: typed, drawn, and with
// a field that says who they are.
func TestEveryNameCanSign(t *testing.T) {
	t.Parallel()
	c := company(t)
	for name, missing := range map[string]any{
		"𠮷田太郎": nil, "Ⅳ ① Roma": nil, "ދިވެހި": nil, "བོད": nil,
		"Amun 𓇋𓏠 Ra": "𓇋𓏠",
	} {
		d, sign := named(t, c, name, obj{"type": "name", "name": "who", "x": .1, "y": .3, "width": .5, "height": .05})
		if got := d.At(t, "invitations.0.name_undrawable"); got != missing {
			t.Errorf("%s: told of %v, want %v", name, got, missing)
		}
		known := c.Post(t, "/contacts", obj{"name": name, "email": fmt.Sprintf("n%x@example.org", name[:6])}).Want(t, 201)
		if got := known.At(t, "name_undrawable"); got != missing {
			t.Errorf("contact %s: told of %v, want %v", name, got, missing)
		}
		marks := obj{}
		if name == "𠮷田太郎" {
			marks["signature"] = obj{"type": "drawn", "data": "[[[0,0],[50,40],[100,10]]]"}
		}
		who := server(t).With(link(t, d, 0))
		who.Post(t, sign, obj{"consent": true, "signature": marks["signature"]}).Want(t, 200)
		pdf := c.Get(t, "/documents/"+d.Text(t, "id")+"/download").Want(t, 200).Body
		if text := apptest.PagesText(t, pdf); strings.Contains(text, "\uFFFD") || !strings.Contains(text, "yoshida@example.org") || name != "ދިވެހި" && !strings.Contains(text, name) { // poppler takes Thaana for left to right
			t.Errorf("%s: the page says %q", name, text)
		}
		verdict := c.Post(t, "/verify", apptest.Multipart(t, nil, apptest.File{Name: "a.pdf", Content: pdf})).Want(t, 200)
		if verdict.At(t, "sound") != true || verdict.Text(t, "later_changes") != "permitted" {
			t.Errorf("%s: %s", name, verdict.Body)
		}
	}
}
