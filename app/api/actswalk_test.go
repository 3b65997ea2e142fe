package api_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
)

// signedByBob is a document that Bob has signed with his link, and that waits for Eve.
type signedByBob struct {
	at           string            // path of the document
	values       map[string]string // of the parameters of paths
	bob, eve     string            // tokens of their links
	eveID        string
	consent      string // the company's text then
	record, acts []byte // what is said of him
}

func bobSigns(t *testing.T, c *apptest.Client, values map[string]string) signedByBob {
	t.Helper()
	people := list{obj{"name": "Bob", "email": "bob@signer.example"}, obj{"name": "Eve", "email": "eve@signer.example"}}
	d := sent(t, c, 0, obj{"invitations": people, "fields": list{
		obj{"type": "text", "name": "rent", "label": "Rent", "invitation_id": "0", "x": 0.1, "y": 0.1, "width": 0.3, "height": 0.05},
		obj{"type": "text", "name": "hers", "required": false, "invitation_id": "1", "x": 0.1, "y": 0.5, "width": 0.3, "height": 0.05}}})
	x := signedByBob{at: "/documents/" + d.Text(t, "id"), bob: link(t, d, 0), eve: link(t, d, 1), eveID: d.Text(t, "invitations.1.id")}
	x.values = merge(values, map[string]string{"document": d.Text(t, "id"), "invitation": d.Text(t, "invitations.0.id"),
		"file": d.Text(t, "files.0.id"), "field": d.Text(t, "fields.0.id"), "page": "1"})
	x.consent, _ = c.Get(t, "/company").Want(t, 200).At(t, "consent_text").(string)
	his := x.at + "/" + x.values["invitation"]
	c.Server.With(x.bob).Post(t, his+"/view", nil).Want(t, 200)
	c.Server.With(x.bob).Post(t, his+"/sign",
		obj{"consent": true, "fields": obj{"rent": "700"}, "signature": obj{"type": "typed", "text": "Bob"}}, "User-Agent", "Bob's device").Want(t, 200)
	x.record, x.acts = x.said(t, c)
	return x
}

// said returns what the API says of Bob: his record, and the events that are his or concern him.
func (x *signedByBob) said(t *testing.T, c *apptest.Client) (record, acts []byte) {
	t.Helper()
	inv := c.Get(t, x.at+"/invitations/"+x.values["invitation"]).Want(t, 200)
	var all struct{ Data []obj }
	c.Get(t, x.at+"/events?per_page=1000").Want(t, 200).Decode(t, &all)
	var his []obj
	for _, e := range all.Data {
		actor, _ := e["actor"].(obj)
		if e["invitation_id"] == x.values["invitation"] || actor["email"] == "bob@signer.example" {
			// That a member looks at a link, or is denied an act, is said beside what Bob did.
			if kind := e["type"]; kind == "invitation.link_shown" || kind == "invitation.bounced" || kind == "invitation.mailed" {
				continue
			}
			his = append(his, e)
		}
	}
	var of obj
	inv.Decode(t, &of)
	for _, name := range []string{"updated_at", "sign_url", "actions"} {
		delete(of, name)
	}
	return encoded(t, of), encoded(t, his)
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// endsTheCaller are the operations after which their caller can call nothing else.
var endsTheCaller = []string{"POST /logout", "POST /sign-out-everybody", "DELETE /members/{member}", "PATCH /members/{member}"}

// onlooker is somebody who tries every operation, given the document as it is then.
type onlooker func(t *testing.T, owner, sender *apptest.Client) func(x signedByBob) *apptest.Client

// whoIs is an onlooker with an account.
func whoIs(make func(t *testing.T, owner, sender *apptest.Client) *apptest.Client) onlooker {
	return func(t *testing.T, owner, sender *apptest.Client) func(signedByBob) *apptest.Client {
		c := make(t, owner, sender)
		return func(signedByBob) *apptest.Client { return c }
	}
}

// member is an onlooker of the sender's company.
func member(role account.Role) onlooker {
	return whoIs(func(t *testing.T, owner, _ *apptest.Client) *apptest.Client { return owner.Member(t, role) })
}

var onlookers = map[string]onlooker{
	"the sender":       whoIs(func(_ *testing.T, _, sender *apptest.Client) *apptest.Client { return sender }),
	"an administrator": member(account.RoleAdmin),
	"a colleague":      member(account.RoleMember),
	"an approver":      member(account.RoleApprover),
	"a program": whoIs(func(t *testing.T, _, sender *apptest.Client) *apptest.Client {
		return sender.Server.With(sender.Post(t, "/tokens", obj{"name": "CI"}).Want(t, 201).Text(t, "token"))
	}),
	"another company": whoIs(func(t *testing.T, owner, _ *apptest.Client) *apptest.Client { return owner.Server.Company(t) }),
	"a stranger":      whoIs(func(_ *testing.T, owner, _ *apptest.Client) *apptest.Client { return owner.Anonymous() }),
	"the other signatory": func(_ *testing.T, owner, _ *apptest.Client) func(signedByBob) *apptest.Client {
		return func(x signedByBob) *apptest.Client { return owner.Server.With(x.eve) }
	},
	"whoever holds his link": func(_ *testing.T, owner, _ *apptest.Client) func(signedByBob) *apptest.Client {
		return func(x signedByBob) *apptest.Client { return owner.Server.With(x.bob) }
	},
}

// TestEveryOperationLeavesActsAsTheyWere has everybody try each operation of the API on a document that Bob has
// signed: what is said of him stays as it was, and the evidence says it in the end.
func TestEveryOperationLeavesActsAsTheyWere(t *testing.T) {
	t.Parallel()
	everyCase(t)
	for name, who := range onlookers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apptest.New(t)
			owner := s.Company(t)
			sender := owner.Member(t, account.RoleMember)
			own := property(t, owner)
			want := evidenceOfBob(t, owner, bobSigns(t, sender, own))
			x, caller, tried := bobSigns(t, sender, own), who(t, owner, sender), 0
			var before []byte
			for _, e := range endpoints(t, s) {
				if e.method == "GET" || strings.HasPrefix(e.path, "/test/") || slices.Contains(endsTheCaller, e.String()) {
					continue
				}
				for _, invitation := range []string{x.values["invitation"], x.eveID} {
					if invitation == x.eveID && !slices.Contains(e.names, "invitation") {
						continue
					}
					r := caller(x).Do(t, e.method, e.at(merge(x.values, map[string]string{"invitation": invitation})), forging(e.body))
					tried++
					now := owner.Get(t, x.at)
					if now.Status == 200 && !bytes.Equal(now.Body, before) {
						x.holds(t, owner, r)
						before = now.Body
					}
					if now.Status != 200 || now.Text(t, "status") != "sent" || now.At(t, "invitations.1.status") != "pending" && now.At(t, "invitations.1.status") != "notified" {
						x = bobSigns(t, sender, own)
					}
				}
			}
			if tried < 150 {
				t.Errorf("only %d operations were tried", tried)
			}
			if got := evidenceOfBob(t, owner, x); !bytes.Equal(got, want) {
				t.Errorf("the evidence is\n%s, otherwise\n%s", got, want)
			}
		})
	}
}

// forging adds to a body what the appliance itself finds out.
func forging(body any) any {
	of, ok := body.(obj)
	if !ok {
		return body
	}
	of = maps.Clone(of)
	forged := obj{"signed_at": "2020-01-01T00:00:00Z", "viewed_at": "2020-01-01T00:00:00Z", "ip": "203.0.113.9", "user_agent": "Forged",
		"method": "passkey", "consent_text": "Forged", "recorded_by": nil, "status": "declined", "consent": true, "date_signed": "2020-01-01"}
	for name, v := range forged {
		if _, taken := of[name]; !taken {
			of[name] = v
		}
	}
	return of
}

// holds checks that the same is said of Bob as before a request.
func (x *signedByBob) holds(t *testing.T, c *apptest.Client, after *apptest.Response) {
	t.Helper()
	record, acts := x.said(t, c)
	if !bytes.Equal(record, x.record) {
		t.Errorf("after %s (%d) the record is\n%s, before\n%s", after.What, after.Status, record, x.record)
	}
	if !bytes.Equal(acts, x.acts) {
		t.Errorf("after %s (%d) the events are\n%s, before\n%s", after.What, after.Status, acts, x.acts)
	}
	x.record, x.acts = record, acts
}

// evidenceOfBob has Eve sign too, and returns what the evidence says of Bob but for identifiers and times.
func evidenceOfBob(t *testing.T, c *apptest.Client, x signedByBob) []byte {
	t.Helper()
	c.Server.With(x.eve).Post(t, x.at+"/"+x.eveID+"/sign", obj{"consent": true}).Want(t, 200)
	got := evidenceOf(t, c, x.at)
	for name := range got {
		if name == "id" || strings.HasSuffix(name, "_at") && got[name] != nil || name == "certificate_serial" || name == "form_version" {
			got[name] = "some"
		}
	}
	if said, _ := got["consent_text"].(string); said != x.consent {
		t.Errorf("the evidence has the consent text %q, it was %q", said, x.consent)
	}
	delete(got, "consent_text")
	delete(got, "consent_sha256")
	values, _ := got["values"].(list)
	for _, v := range values {
		maps.Copy(v.(obj), obj{"field": "some", "file": "some"})
	}
	return encoded(t, got)
}
