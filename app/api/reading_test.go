package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestReadToEnd refuses a signature and a confirmation until all pages of all files were read.
func TestReadToEnd(t *testing.T) {
	t.Parallel()
	c := company(t)
	reader := merged(signer(2), obj{"role": "reader"})
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Terms", "read_to_end": true, "send": true, "invitations": list{signer(1), reader, signer(3)}},
		apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "One.", "Two.", "Three.")}, apptest.File{Name: "b.pdf", Content: apptest.PDF(t, "Four.", "Five.")})).Want(t, 201)
	at, ids := "/documents/"+d.Text(t, "id"), d.Texts(t, "invitations", "id")
	mine := server(t).With(link(t, d, 0))
	if got := mine.Get(t, at).Want(t, 200).At(t, "read_to_end"); got != true {
		t.Errorf("the signatory sees read_to_end %v", got)
	}
	sign := at + "/" + ids[0] + "/sign"
	for left, in := range map[string]obj{"1–5": {}, "2, 4–5": {"pages_shown": list{3, 1, 3, 0, 6, -1}}, "5": {"pages_shown": list{1, 2, 3, 4}, "read_all": false}} {
		r := failed(t, mine.Post(t, sign, in), 422, "pages")
		if s := string(r.Body); !strings.Contains(s, "Not shown yet: "+left+".") || !strings.Contains(s, `["pages_unread"]`) {
			t.Errorf("%v is refused with %s", in, s)
		}
	}
	mine.Post(t, sign, obj{"pages_shown": list{5, 4, 3, 2, 1}}).Want(t, 200)
	theirs, read := server(t).With(link(t, d, 1)), at+"/"+ids[1]+"/read"
	failed(t, theirs.Post(t, read, obj{}), 422, "pages")
	theirs.Post(t, read, obj{"read_all": true}).Want(t, 200)
	// The company's own pages may show the document.
	if d = c.Post(t, at+"/"+ids[2]+"/sign", obj{}).Want(t, 200); d.Text(t, "status") != "completed" {
		t.Errorf("in the end it is %s", d.Body)
	}
	var evidence struct {
		Signatories []struct {
			Reading string
			Pages   int
		}
	}
	if err := json.Unmarshal(c.Get(t, at+"/download?content=evidence").Want(t, 200).Body, &evidence); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"shown", "confirmed", ""} {
		if got := evidence.Signatories[i]; got.Reading != want || (got.Pages == 5) != (want != "") {
			t.Errorf("the evidence of %d is %+v, want %q", i, got, want)
		}
	}
	text := strings.Join(strings.Fields(apptest.PagesText(t, c.Get(t, at+"/download?content=certificate").Want(t, 200).Body)), " ")
	for _, want := range []string{"All pages were shown (5)", "Confirmed reading all pages (5)"} {
		if strings.Count(text, want) != 1 {
			t.Errorf("the certificate does not say %q:\n%s", want, text)
		}
	}
	events := string(c.Get(t, at+"/events?per_page=100").Want(t, 200).Body)
	for _, want := range []string{`"reading":"shown"`, `"reading":"confirmed"`} {
		if strings.Count(events, want) != 1 {
			t.Errorf("the audit trail has no %s: %s", want, events)
		}
	}
	checkSigned(t, c.Get(t, at+"/files/"+d.Text(t, "files.0.id")+"/content").Want(t, 200).Body, 3)
}

// TestReadToEndByDefault takes the setting from the company to templates and documents, and leaves
// documents alone that don't ask for it.
func TestReadToEndByDefault(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := sent(t, c, 1)
	at := "/documents/" + d.Text(t, "id")
	failed(t, c.Patch(t, at, obj{"read_to_end": true}), 409)
	server(t).With(link(t, d, 0)).Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{}).Want(t, 200)
	if strings.Contains(string(c.Get(t, at+"/download?content=evidence").Want(t, 200).Body), `"reading"`) {
		t.Error("the evidence says how a document was read that did not ask for it")
	}
	if got := c.Patch(t, "/company", obj{"read_to_end": true}).Want(t, 200).At(t, "read_to_end"); got != true {
		t.Errorf("the company has read_to_end %v", got)
	}
	if d := draft(t, c, 1); d.At(t, "read_to_end") != true {
		t.Errorf("a new document is %s", d.Body)
	}
	if d := draft(t, c, 1, obj{"read_to_end": false}); d.At(t, "read_to_end") != false {
		t.Errorf("a document without it is %s", d.Body)
	}
	template := c.Post(t, "/templates", obj{"title": "Terms", "roles": list{obj{"role_name": "Buyer"}}}).Want(t, 201)
	if template.At(t, "read_to_end") != true {
		t.Errorf("a new template is %s", template.Body)
	}
	c.Patch(t, "/company", obj{"read_to_end": false}).Want(t, 200)
	copied := c.Post(t, "/documents/"+draft(t, c, 1, obj{"read_to_end": true}).Text(t, "id")+"/duplicate", nil).Want(t, 201)
	if copied.At(t, "read_to_end") != true {
		t.Errorf("the copy is %s", copied.Body)
	}
}
