package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"paraph/app/apptest"
)

// onInvitations lists the operations that replace an invitation, move it to another document, or
// change who gets access through it. All other operations on documents are in harmless; a new
// operation must be added to one of the two.
var onInvitations = map[string]func(t *testing.T, g guarded) guarded{
	"delegate": func(t *testing.T, g guarded) guarded {
		g.proven(t).Post(t, g.path()+"/delegate", kim()).Want(t, 200)
		return g.next(t)
	},
	"replace": func(t *testing.T, g guarded) guarded {
		if g.check == "access_code" {
			failed(t, g.owner.Post(t, g.path()+"/replace", kim()), 422, "access_code")
		}
		g.owner.Post(t, g.path()+"/replace", merged(kim(), g.given())).Want(t, 200)
		return g.next(t)
	},
	"duplicate": func(t *testing.T, g guarded) guarded {
		d := g.owner.Post(t, "/documents/"+g.document+"/duplicate", nil).Want(t, 201)
		g.document, g.invitation = d.Text(t, "id"), d.Text(t, "invitations.0.id")
		if g.check == "access_code" {
			failed(t, g.owner.Post(t, "/documents/"+g.document+"/send", nil), 422, "invitations.0.access_code")
			g.owner.Patch(t, "/documents/"+g.document+"/invitations/"+g.invitation, g.given()).Want(t, 200)
		}
		g.owner.Post(t, "/documents/"+g.document+"/send", nil).Want(t, 200)
		return g.linked(t)
	},
	"template": func(t *testing.T, g guarded) guarded {
		made := g.owner.Post(t, "/documents/"+g.document+"/template", obj{"roles": list{"Tenant"}}).Want(t, 201)
		use := "/templates/" + made.Text(t, "id") + "/documents"
		if g.check == "access_code" {
			failed(t, g.owner.Post(t, use, obj{"people": list{merged(kim(), obj{"role": "Tenant"})}, "send": true}), 422, "invitations.0.access_code")
		}
		d := g.owner.Post(t, use, obj{"people": list{merged(kim(), g.given(), obj{"role": "Tenant"})}, "send": true}).Want(t, 201)
		g.document, g.invitation = d.Text(t, "id"), d.Text(t, "invitations.0.id")
		return g.linked(t)
	},
	"bulk": func(t *testing.T, g guarded) guarded {
		made := g.owner.Post(t, "/documents/"+g.document+"/template", obj{"roles": list{"Tenant"}}).Want(t, 201)
		use := "/templates/" + made.Text(t, "id") + "/bulk"
		if g.check == "access_code" {
			failed(t, g.owner.Post(t, use, obj{"rows": list{obj{"people": list{merged(kim(), obj{"role": "Tenant"})}}}, "send": true}), 422, "rows.0.invitations.0.access_code")
		}
		r := g.owner.Post(t, use, obj{"rows": list{obj{"people": list{merged(kim(), g.given(), obj{"role": "Tenant"})}}}, "send": true}).Want(t, 200)
		g.document = over(t, g.owner, r.Text(t, "run.id"))[0]
		g.invitation = g.owner.Get(t, "/documents/"+g.document).Want(t, 200).Text(t, "invitations.0.id")
		return g.linked(t)
	},
	"remind": func(t *testing.T, g guarded) guarded {
		g.s.Advance(t, "1h")
		g.owner.Post(t, g.path()+"/remind", nil).Want(t, 200)
		return g.linked(t)
	},
	"extend": func(t *testing.T, g guarded) guarded {
		g.s.Advance(t, "2400h")
		g.owner = g.s.Login(t, g.owner.Email)
		g.owner.Post(t, "/documents/"+g.document+"/extend", obj{"expires_at": "2040-01-01T00:00:00Z"}).Want(t, 200)
		return g.linked(t)
	},
	"archive": func(t *testing.T, g guarded) guarded { return g.linked(t) }, // not while it is sent
	"reopen": func(t *testing.T, g guarded) guarded {
		d := draft(t, g.owner, 0, obj{"invitations": list{merged(kim(), obj{"authentication": g.check}, g.given())}})
		g.document, g.invitation = d.Text(t, "id"), d.Text(t, "invitations.0.id")
		for _, step := range []string{"submit", "approve", "reopen", "send"} {
			g.owner.Post(t, "/documents/"+g.document+"/"+step, nil).Want(t, 200)
		}
		return g.linked(t)
	},
	"PATCH invitation": func(t *testing.T, g guarded) guarded {
		if g.check == "access_code" {
			g.owner.Patch(t, "/documents/"+g.document+"/invitations/"+g.invitation, obj{"access_code": "another code"}).Want(t, 200)
		}
		failed(t, g.owner.Patch(t, "/documents/"+g.document+"/invitations/"+g.invitation, obj{"authentication": "link"}), 409)
		return g.linked(t)
	},
}

// harmless are the operations on documents that don't derive an invitation from
// another.
var harmless = strings.Fields(`seal unschedule upload invite send submit withdraw approve reject void restore templates fields files sign read fill-in view consent decline code identify
	download certificate move detect uploads purge flatten finish split merge redact confirm documents archive links
	PATCH/links DELETE/links PATCH/documents PATCH/templates DELETE/templates PATCH/fields PATCH/files PUT/fields PUT/content PUT/pages DELETE/documents DELETE/fields DELETE/files DELETE/invitations DELETE/uploads PATCH/uploads`)

// guarded is an invitation with an access check, and its location.
type guarded struct {
	s                          *apptest.Server
	owner                      *apptest.Client
	check                      string
	document, invitation, link string
}

func kim() obj { return obj{"name": "Kim", "email": "kim@signer.example"} }

// given returns the check as set by the sender, for operations that can't copy
// it.
func (g guarded) given() obj {
	if g.check == "access_code" {
		return obj{"access_code": "kim's own code"}
	}
	return obj{}
}

func (g guarded) path() string { return "/documents/" + g.document + "/" + g.invitation }

// proven returns the client of the first person, who has entered their code.
func (g guarded) proven(t *testing.T) *apptest.Client {
	t.Helper()
	code := "first code"
	if g.check == "email_code" {
		g.s.With(g.link).Post(t, g.path()+"/code", nil).Want(t, 202)
		code = mailedCode(t, g.s, "sam@signer.example")
	}
	return g.s.With(g.s.With(g.link).Post(t, g.path()+"/identify", obj{"code": code}).Want(t, 200).Text(t, "token"))
}

// mailedCode returns the code of the newest message with one.
func mailedCode(t *testing.T, s *apptest.Server, to string) string {
	t.Helper()
	for _, m := range s.Mails(t, to) {
		if m.Kind == "signing_code" {
			for _, word := range strings.FieldsFunc(m.Text, func(c rune) bool { return c < '0' || c > '9' }) {
				if len(word) == 6 {
					return word
				}
			}
		}
	}
	t.Fatalf("no code was sent to %s", to)
	return ""
}

// next returns the invitation that replaced the first.
func (g guarded) next(t *testing.T) guarded {
	t.Helper()
	d := g.owner.Get(t, "/documents/"+g.document).Want(t, 200)
	people, _ := d.At(t, "invitations").(list)
	last, _ := people[len(people)-1].(obj)
	g.invitation, _ = last["id"].(string)
	if last["authentication"] != g.check {
		t.Errorf("the check became %v", last["authentication"])
	}
	if last["sign_url"] == nil && g.check == "access_code" {
		if d.Text(t, "attention") != "access_code" {
			t.Errorf("nobody says that a code is missing: %s", d.Body)
		}
		if !slices.ContainsFunc(g.s.Mails(t, g.owner.Email), func(m apptest.Mail) bool { return m.Kind == "access_code" }) {
			t.Error("the owner is not told that a code is missing")
		}
		if len(g.s.Mails(t, "kim@signer.example")) > 0 {
			t.Error("a link went out that has no code yet")
		}
		g.owner.Patch(t, "/documents/"+g.document+"/invitations/"+g.invitation, g.given()).Want(t, 200)
	}
	return g.linked(t)
}

// linked finds the current link of the invitation.
func (g guarded) linked(t *testing.T) guarded {
	t.Helper()
	inv := g.owner.Get(t, "/documents/"+g.document+"/invitations/"+g.invitation).Want(t, 200)
	_, g.link, _ = strings.Cut(inv.Text(t, "sign_url"), "/s/")
	return g
}

// TestEveryOperationKeepsChecks tries to get in with the link alone after each
// operation, and with the first person's code.
func TestEveryOperationKeepsChecks(t *testing.T) {
	t.Parallel()
	everyCase(t)
	for name, operation := range onInvitations {
		for _, check := range []string{"access_code", "email_code"} {
			t.Run(name+" "+check, func(t *testing.T) {
				t.Parallel()
				s := apptest.New(t)
				g := guarded{s: s, owner: s.Company(t), check: check}
				person := obj{"name": "Sam", "email": "sam@signer.example", "authentication": check}
				if check == "access_code" {
					person["access_code"] = "first code"
				}
				d := sent(t, g.owner, 0, obj{"invitations": list{person}, "expires_at": time.Now().AddDate(0, 1, 0)})
				g.document, g.invitation = d.Text(t, "id"), d.Text(t, "invitations.0.id")
				g = operation(t, g.linked(t))
				g.staysShut(t)
			})
		}
	}
}

func (g guarded) staysShut(t *testing.T) {
	t.Helper()
	c := g.s.With(g.link)
	for _, path := range []string{"", "/files", "/fields", "/download?version=current"} {
		if r := c.Get(t, "/documents/"+g.document+path); r.Status != 403 || r.Text(t, "code") != "identification_required" {
			t.Errorf("with the link alone, GET %s: %d %.200s", path, r.Status, r.Body)
		}
	}
	yes := obj{"consent": true}
	failed(t, c.Post(t, g.path()+"/sign", yes), 422, "code")
	failed(t, c.Post(t, g.path()+"/delegate", obj{"name": "Eve", "email": "eve@else.example"}), 403)
	failed(t, c.Post(t, g.path()+"/decline", nil), 403)
	if g.check == "access_code" && !strings.Contains(t.Name(), "remind") && !strings.Contains(t.Name(), "extend") && !strings.Contains(t.Name(), "archive") {
		failed(t, c.Post(t, g.path()+"/sign", merged(yes, obj{"code": "first code"})), 422, "code")
	}
}

// TestEveryOperationIsClassified finds operations on documents whose effect on
// checks has not been classified.
func TestEveryOperationIsClassified(t *testing.T) {
	t.Parallel()
	for _, e := range endpoints(t, server(t)) {
		if e.method == "GET" || !strings.HasPrefix(e.path, "/documents") && !strings.HasPrefix(e.path, "/templates") {
			continue
		}
		segments := strings.Split(strings.Trim(e.path, "/"), "/")
		segments = slices.DeleteFunc(segments, func(s string) bool { return strings.HasPrefix(s, "{") })
		name := segments[len(segments)-1]
		if e.method != "POST" {
			name = e.method + "/" + name
		}
		_, tested := onInvitations[name]
		if name == "PATCH/invitations" {
			_, tested = onInvitations["PATCH invitation"]
		}
		if !tested && !slices.Contains(harmless, name) {
			t.Errorf("%s is neither in onInvitations nor in harmless", e)
		}
	}
}

// TestSignatoriesDoNotChooseTheCheck lets a signatory with a link and a code
// try to pass the invitation on without a check.
func TestSignatoriesDoNotChooseTheCheck(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := sent(t, c, 0, obj{"invitations": list{merged(signer(1), obj{"access_code": "first code"})}})
	g := guarded{s: s, owner: c, check: "access_code", document: d.Text(t, "id"), invitation: d.Text(t, "invitations.0.id")}.linked(t)
	sam := g.proven(t)
	failed(t, sam.Post(t, g.path()+"/delegate", merged(kim(), obj{"authentication": "link"})), 422, "authentication")
	failed(t, sam.Post(t, g.path()+"/delegate", merged(kim(), obj{"access_code": "my own"})), 422, "access_code")
	signs := s.With(c.Post(t, "/tokens", obj{"name": "signs", "scopes": list{"read", "sign"}}).Want(t, 201).Text(t, "token"))
	failed(t, signs.Post(t, g.path()+"/delegate", merged(kim(), obj{"authentication": "link"})), 422, "authentication")
	failed(t, c.Post(t, g.path()+"/delegate", kim()), 422, "access_code")
	// A signatory without a check may set one for the next person.
	d = sent(t, c, 1)
	open := guarded{s: s, owner: c, document: d.Text(t, "id"), invitation: d.Text(t, "invitations.0.id")}.linked(t)
	s.With(open.link).Post(t, open.path()+"/delegate", merged(kim(), obj{"authentication": "email_code"})).Want(t, 200)
}

// TestNewAccessCodeEndsOldProofs lets a signatory who has entered a code return
// after the sender changed it.
func TestNewAccessCodeEndsOldProofs(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := sent(t, c, 0, obj{"invitations": list{merged(signer(1), obj{"access_code": "first code"})}})
	g := guarded{s: s, owner: c, check: "access_code", document: d.Text(t, "id"), invitation: d.Text(t, "invitations.0.id")}.linked(t)
	sam := g.proven(t)
	s.Advance(t, "1m")
	c.Patch(t, "/documents/"+g.document+"/invitations/"+g.invitation, obj{"access_code": "second code"}).Want(t, 200)
	failed(t, sam.Get(t, "/documents/"+g.document), 403, "identification_required")
	s.Advance(t, "1m")
	again := s.With(g.link).Post(t, g.path()+"/identify", obj{"code": "second code"}).Want(t, 200)
	s.With(again.Text(t, "token")).Get(t, "/documents/"+g.document).Want(t, 200)
}

// TestRulesSurviveDuplication copies a document with restrictive settings.
func TestRulesSurviveDuplication(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := sent(t, c, 2, obj{"allow_decline": false, "allow_delegation": false, "decline_reason_required": true, "signing_order": "sequential", "send_emails": false,
		"remind_every_days": 3, "expires_at": "2040-01-01T00:00:00Z", "fields": list{
			obj{"type": "text", "name": "rent", "value": "500", "read_only": true, "invitation_id": "0", "x": 0, "y": 0, "width": .1, "height": .1},
			obj{"type": "text", "name": "plate", "pattern": "[A-Z]{3}", "invitation_id": "0", "x": .2, "y": 0, "width": .1, "height": .1}}})
	c.Post(t, "/documents/"+d.Text(t, "id")+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{"fields": obj{"plate": "ABC"}}).Want(t, 200)
	copied := c.Post(t, "/documents/"+d.Text(t, "id")+"/duplicate", nil).Want(t, 201)
	for _, path := range []string{"allow_decline", "allow_delegation", "decline_reason_required", "send_emails", "signing_order", "remind_every_days", "expires_at",
		"invitations.1.position", "fields.0.value", "fields.0.read_only", "fields.1.pattern", "fields.1.required"} {
		if got, want := copied.At(t, path), d.At(t, path); got != want {
			t.Errorf("%s: %v became %v", path, want, got)
		}
	}
	if got := copied.At(t, "fields.1.value"); got != nil {
		t.Errorf("what a signatory entered came along: %v", got)
	}
}
