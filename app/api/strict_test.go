package api_test

import (
	"fmt"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestUnknownNamesAreTold sends misspelled members and parameters: named in a header by default,
// refused when the client or the server is strict.
func TestUnknownNamesAreTold(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	const strict = "handling=strict"
	for _, x := range []struct {
		method, path string
		body         obj
		name, near   string
	}{
		{"POST", "/documents", obj{"titel": "Lease"}, "titel", "title"},
		{"POST", "/documents", obj{"invitations": list{obj{"name": "Ben", "email": "ben@x.example", "rolle": "viewer"}}}, "invitations.0.rolle", "role"},
		{"POST", "/documents", obj{"a \"quoted\"\r\nname": 1}, "a ?quoted???name", ""},
		{"GET", "/documents?per-page=5", nil, "per-page", "per_page"},
		{"GET", "/documents?zebra=5", nil, "zebra", ""},
		{"GET", "/me?x=1", nil, "x", ""},
	} {
		var body any
		if x.body != nil {
			body = x.body
		}
		r := c.Do(t, x.method, x.path, body)
		told := r.Header.Get("Warning")
		if r.Status >= 300 || !strings.Contains(told, x.name) || x.near != "" && !strings.Contains(told, "did you mean "+x.near+"?") {
			t.Errorf("%s %s %v: %d, %q", x.method, x.path, x.body, r.Status, told)
		}
		if strings.Contains(x.name, "?") { // differs from what was sent
			continue
		}
		r = c.Do(t, x.method, x.path, body, "Prefer", "respond-async, "+strict)
		if refused := `"codes":{"` + x.name + `":["unknown_name"]}`; r.Status != 422 || !strings.Contains(string(r.Body), refused) || r.Header.Get("Preference-Applied") != strict {
			t.Errorf("strictly: %s", r.Body)
		}
	}
	known := c.Do(t, "POST", "/documents", obj{"title": "Lease", "Metadata": obj{"any": "thing"}}, "Prefer", strict).Want(t, 201)
	if told := known.Header.Get("Warning"); told != "" {
		t.Errorf("nothing was unknown, but: %s", told)
	}
}

// TestBrokenJSONIsLocated checks that the place of a mistake is told.
func TestBrokenJSONIsLocated(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	for body, place := range map[string]string{
		"{\n \"title\": \"Lease\",\n}": "line 3, column 1", `{"title": 'x'}`: "line 1, column 11", `{"title": "x"`: "line 1, column 13", "[1, 2": "line 1, column 5", "{\"ä\": x}": "column 7"} {
		r := c.Do(t, "POST", "/documents", apptest.Raw{Type: "application/json", Body: []byte(body)})
		if r.Status != 400 || !strings.Contains(r.Text(t, "message"), place) || r.Text(t, "code") != "body_not_json" {
			t.Errorf("%q: %d %s", body, r.Status, r.Body)
		}
	}
}

// TestRefusalsOfTokensHaveReasons checks the codes of 401, all with the same message.
func TestRefusalsOfTokensHaveReasons(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	token := c.Post(t, "/tokens", obj{"name": "x", "expires_at": s.Clock.Now().AddDate(0, 0, 2).Format("2006-01-02")}).Want(t, 201).Text(t, "token")
	check := func(what string, r *apptest.Response, code, challenge string) {
		t.Helper()
		if r.Status != 401 || r.Text(t, "message") != "Unauthenticated." || r.Text(t, "code") != code || r.Header.Get("WWW-Authenticate") != challenge {
			t.Errorf("%s: %d %s, %q", what, r.Status, r.Body, r.Header.Get("WWW-Authenticate"))
		}
	}
	const invalid = `Bearer realm="paraph", error="invalid_token"`
	check("no token", s.Anonymous().Get(t, "/documents"), "token_missing", `Bearer realm="paraph"`)
	check("no token of ours", s.With("nonsense").Get(t, "/documents"), "token_invalid", invalid)
	check("a wrong password", s.Anonymous().Post(t, "/login", obj{"email": c.Email, "password": "wrong"}), "credentials_wrong", invalid)
	check("nobody's address", s.Anonymous().Post(t, "/login", obj{"email": "nobody@nowhere.example", "password": "wrong"}), "credentials_wrong", invalid)
	s.With(token).Get(t, "/documents").Want(t, 200)
	s.Advance(t, "96h")
	check("an expired token", s.With(token).Get(t, "/documents"), "token_expired", invalid)
}

// TestDocumentsAreFoundByExactValues lists documents by what an integration knows of them.
func TestDocumentsAreFoundByExactValues(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	make := func(title string, more obj) string {
		return c.Post(t, "/documents", merged(obj{"title": title}, more)).Want(t, 201).Text(t, "id")
	}
	long := strings.Repeat("long ", 60)
	order := make("Order", obj{"external_id": "4711", "metadata": obj{"customer": "Ännchen & Co", "note": long}, "invitations": list{obj{"name": "Ben", "email": "Ben@Signer.example"}}})
	make("Other", obj{"external_id": "4711x", "metadata": obj{"customer": "ännchen & co"}})
	template := c.Post(t, "/templates", obj{"title": "Lease"}).Want(t, 201).Text(t, "id")
	leased := c.Post(t, "/templates/"+template+"/documents", obj{}).Want(t, 201).Text(t, "id")
	declined := sent(t, c, 1)
	c.Post(t, "/documents/"+declined.Text(t, "id")+"/"+declined.Text(t, "invitations.0.id")+"/decline", obj{"reason": "No."}).Want(t, 200)
	for query, want := range map[string]string{
		"external_id=4711": order, "metadata.customer=%C3%84nnchen+%26+Co": order, "metadata[note]=" + strings.ReplaceAll(long, " ", "+"): order,
		"recipient=ben@signer.example": order, "template=" + template: leased, "attention=declined": declined.Text(t, "id"),
		"external_id=4711&status=completed": "", "external_id=4711&metadata.customer=other": "", "external_id=471": "", "attention=sealing": "",
	} {
		r := c.Get(t, "/documents?"+query).Want(t, 200)
		if ids := strings.Join(r.Texts(t, "data", "id"), " "); ids != want || r.Header.Get("Warning") != "" {
			t.Errorf("%s finds %q, want %q; %s", query, ids, want, r.Header.Get("Warning"))
		}
	}
	failed(t, c.Get(t, "/documents?attention=nonsense"), 422, "attention")
	if r := c.Server.Company(t).Get(t, "/documents?external_id=4711").Want(t, 200); r.Int(t, "meta.total") != 0 {
		t.Errorf("another company finds %s", r.Body)
	}
}

// TestWhatWasGotMayBeSentBack sends the fields of a document back, changed, with members that only
// answers have.
func TestWhatWasGotMayBeSentBack(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	d := draft(t, c, 1, obj{"fields": list{obj{"type": "text", "invitation_id": "0", "x": .1, "y": .1, "width": .3, "height": .05, "name": "note"}}})
	at := "/documents/" + d.Text(t, "id") + "/fields"
	got := c.Get(t, at).Want(t, 200).At(t, "data").(list)
	if r := c.Put(t, at, obj{"fields": got}, "Prefer", "handling=strict").Want(t, 200); r.Header.Get("Warning") != "" {
		t.Error(r.Header.Get("Warning"))
	}
	for i := range 12 { // more members that are only in answers than unknown ones are reported
		got = append(got, merged(got[0].(obj), obj{"name": fmt.Sprint("note", i), "y": .2 + float64(i)/20}))
	}
	got[12].(obj)["requierd"] = true
	if told := c.Put(t, at, obj{"fields": got}).Want(t, 200).Header.Get("Warning"); !strings.Contains(told, "fields.12.requierd, did you mean required?") {
		t.Errorf("behind many members of answers: %q", told)
	}
}
