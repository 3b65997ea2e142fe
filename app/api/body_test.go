package api_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
)

func jsonBody(text string) apptest.Raw {
	return apptest.Raw{Type: "application/json", Body: []byte(text)}
}

func TestFilesInJSONComeInAnySpelling(t *testing.T) {
	t.Parallel()
	c := company(t)
	pdf := base64.StdEncoding.EncodeToString(apptest.PDF(t, "The contract."))
	escaped := strings.NewReplacer("/", `\/`, "+", `\u002b`).Replace(pdf)
	lines := strings.Join(strings.SplitAfter(pdf, "A"), `\r\n`)
	for what, file := range map[string]string{
		"plain":                  `{"name":"a.pdf","content":"` + pdf + `"}`,
		"content first":          `{"content":"` + pdf + `","name":"a.pdf"}`,
		"spaced":                 "{ \"content\" :\n\t\"" + pdf + "\" , \"name\" : \"a.pdf\" }",
		"escaped":                `{"name":"a.pdf","content":"` + escaped + `"}`,
		"in lines":               `{"name":"a.pdf","content":"` + lines + `"}`,
		"a data URL":             `{"name":"a.pdf","content":"data:application/pdf;base64,` + pdf + `"}`,
		"a member in other case": `{"name":"a.pdf","Content":"` + pdf + `"}`,
		"behind a decoy":         `{"x":{"content":"1"},"content":"` + pdf + `","name":"a.pdf"}`,
	} {
		r := c.Post(t, "/documents", jsonBody(`{"metadata":{"content":"kept"},"files":[`+file+`]}`))
		if r.Status != 201 {
			t.Errorf("%s: %d %s", what, r.Status, r.Body)
			continue
		}
		if got := r.Text(t, "files.0.name"); got != "a.pdf" {
			t.Errorf("%s: name %q", what, got)
		}
		if got := r.Text(t, "metadata.content"); got != "kept" {
			t.Errorf("%s: metadata %q", what, got)
		}
	}
}

func TestFilesInJSONKeepTheirOrderAndTheirFaults(t *testing.T) {
	t.Parallel()
	c := company(t)
	pdf := base64.StdEncoding.EncodeToString(apptest.PDF(t, "The contract."))
	two := c.Post(t, "/documents", obj{"files": list{obj{"name": "b.pdf", "content": pdf}, obj{"name": "a.pdf", "content": pdf}}}).Want(t, 201)
	if two.Text(t, "files.0.name") != "b.pdf" || two.Text(t, "files.1.name") != "a.pdf" {
		t.Errorf("got %s", two.Body)
	}
	bad := obj{"files": list{obj{"name": "a.pdf", "content": "*"}, obj{"content": pdf}, obj{"name": "c.pdf"}, obj{"name": "d.pdf", "content": pdf + "!"}}}
	failed(t, c.Post(t, "/documents", bad), 422, "files.0.content", "files.1.name", "files.2.content", "files.3.content")
	failed(t, c.Post(t, "/documents", jsonBody(`{"files":[{"name":"a.pdf","content":"`+pdf)), 400)
	failed(t, c.Post(t, "/documents", jsonBody(`{"files":[{"name":"a.pdf","content":7}]}`)), 422, "files.0.content")
}

func TestTypesAreCheckedAllAtOnce(t *testing.T) {
	t.Parallel()
	c := company(t)
	r := failed(t, c.Post(t, "/documents", jsonBody(`{"title":1,"remind_every_days":1.5,"allow_decline":"x","metadata":{"a":1},"invitations":[{"name":[]},{"email":null},null,{"position":"1"}],"fields":{}}`)),
		422, "title", "remind_every_days", "allow_decline", "metadata.a", "invitations.0.name", "invitations.3.position", "fields")
	errors, ok := r.At(t, "errors").(obj)
	if !ok || errors["invitations.1.email"] != nil {
		t.Errorf("null counts as given: %s", r.Body)
	}
	failed(t, c.Post(t, "/documents/"+c.Post(t, "/documents", obj{}).Text(t, "id")+"/fields", jsonBody(`{"\u0066ields":[{"page":1.5,"value":[]}]}`)), 422, "fields.0.page", "fields.0.value")
}

func TestAnswersAreNotKeptByBrowsersOrGuessedAt(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := draft(t, c, 1)
	for _, r := range []*apptest.Response{d, c.Get(t, "/me"), c.Get(t, "/nothing"), server(t).Anonymous().Get(t, "/me"), c.Post(t, "/documents", "x")} {
		if r.Header.Get("Cache-Control") != "no-store" || r.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", r.What, r.Header)
		}
	}
	file := c.Get(t, "/documents/"+d.Text(t, "id")+"/files/"+d.Text(t, "files.0.id")+"/content").Want(t, 200)
	if got := file.Header.Get("Cache-Control"); !strings.HasPrefix(got, "private") {
		t.Errorf("a file: Cache-Control %q", got)
	}
}

func TestARepetitionShowsNoMoreThanItsCallerMaySee(t *testing.T) {
	t.Parallel()
	c := company(t)
	made := c.Post(t, "/tokens", obj{"name": "all", "scopes": list{"read", "write", "sign"}}, "Idempotency-Key", "t").Want(t, 201)
	wide := server(t).With(made.Text(t, "token"))
	narrow := server(t).With(c.Post(t, "/tokens", obj{"name": "some", "scopes": list{"read", "write"}}).Text(t, "token"))
	reader := server(t).With(c.Post(t, "/tokens", obj{"name": "few", "scopes": list{"read"}}).Text(t, "token"))

	wide.Post(t, "/documents", obj{"title": "A"}, "Idempotency-Key", "d").Want(t, 201)
	failed(t, narrow.Post(t, "/documents", obj{"title": "A"}, "Idempotency-Key", "d"), 409, "idempotency_key_reused")
	failed(t, reader.Post(t, "/documents", obj{"title": "A"}, "Idempotency-Key", "d"), 403, "scope_missing")

	again := c.Post(t, "/tokens", obj{"name": "all", "scopes": list{"read", "write", "sign"}}, "Idempotency-Key", "t").Want(t, 201)
	if again.Text(t, "id") != made.Text(t, "id") || again.At(t, "token") != nil {
		t.Errorf("repeated: %s", again.Body)
	}
	hook := obj{"url": "https://hooks.example/a", "events": list{"*"}}
	first := c.Post(t, "/webhooks", hook, "Idempotency-Key", "w").Want(t, 201)
	second := c.Post(t, "/webhooks", hook, "Idempotency-Key", "w").Want(t, 201)
	if first.Text(t, "secret") == "" || second.Text(t, "id") != first.Text(t, "id") || second.At(t, "secret") != nil {
		t.Errorf("repeated: %s", second.Body)
	}
}

func TestASignatoryOfAnotherDocumentIsRefusedBeforeTheBody(t *testing.T) {
	t.Parallel()
	c := company(t)
	mine, other := sent(t, c, 1), sent(t, c, 1)
	s := server(t).With(link(t, mine, 0))
	at := "/documents/" + other.Text(t, "id") + "/" + other.Text(t, "invitations.0.id") + "/sign"
	failed(t, s.Post(t, at, jsonBody("no JSON")), 404)
	failed(t, c.Member(t, account.RoleViewer).Post(t, at, jsonBody("no JSON")), 403)
}
