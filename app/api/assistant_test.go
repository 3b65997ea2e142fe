package api_test

import (
	"fmt"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// assisted sends a document in which an assistant acts between two people who sign. It returns
// the document and the identifiers of its fields by name.
func assisted(t *testing.T, c *apptest.Client, domain string) (d *apptest.Response, fields map[string]string) {
	t.Helper()
	person := func(name, role string, position int) obj {
		return obj{"name": name, "email": name + "@" + domain, "role": role, "position": position}
	}
	field := func(of int, kind, name string, y float64, more obj) obj {
		return merged(obj{"type": kind, "name": name, "file_id": "0", "invitation_id": fmt.Sprint(of), "page": 1, "x": .1, "y": y, "width": .2, "height": .03}, more)
	}
	d = c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Lease", "signing_order": "sequential", "send": true,
		"invitations": list{person("early", "signer", 1), person("assistant", "assistant", 2), person("late", "signer", 3)},
		"fields": list{
			field(0, "text", "deposit", .05, nil), field(2, "text", "city", .1, obj{"required": true, "value": "Berlin"}),
			field(2, "number", "rent", .15, obj{"required": true, "min": 100}), field(2, "number", "months", .2, obj{"value": "12", "read_only": true}),
			field(2, "number", "total", .25, obj{"formula": "rent * months"}), field(2, "name", "tenant", .3, nil),
			field(2, "select", "kind", .35, obj{"options": list{"flat", "house"}}), field(2, "text", "garden", .4, obj{"required": true,
				"condition": obj{"when": list{obj{"field": "kind", "op": "equals", "value": "house"}}}}),
			field(2, "text", "iban", .45, obj{"mask": "paper"}), field(2, "signature", "sig", .5, nil),
			field(2, "date_signed", "day", .55, nil), field(2, "attachment", "id", .6, nil),
		}}, apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "Lease.")})).Want(t, 201)
	fields = map[string]string{}
	for i, name := range d.Texts(t, "fields", "name") {
		fields[name] = d.Text(t, fmt.Sprintf("fields.%d.id", i))
	}
	return d, fields
}

// as returns the client of an invited person.
func as(t *testing.T, c *apptest.Client, invitation string) *apptest.Client {
	t.Helper()
	url := c.Get(t, invitation).Want(t, 200).Text(t, "sign_url")
	return server(t).With(url[strings.LastIndex(url, "/")+1:])
}

// values returns the values of a document's fields by name, as the caller sees them.
func values(t *testing.T, d *apptest.Response) map[string]any {
	t.Helper()
	out := map[string]any{}
	for i, name := range d.Texts(t, "fields", "name") {
		out[name] = d.At(t, fmt.Sprintf("fields.%d.value", i))
	}
	return out
}

// TestAssistant follows somebody who fills in fields for a recipient who then signs.
func TestAssistant(t *testing.T) {
	t.Parallel()
	c := company(t)
	d, fields := assisted(t, c, "assist.example")
	at, ids := "/documents/"+d.Text(t, "id"), d.Texts(t, "invitations", "id")
	if r := failed(t, c.Post(t, at+"/"+ids[1]+"/fill-in", obj{}), 409); r.Text(t, "code") != "not_your_turn" {
		t.Errorf("out of turn it is refused with %s", r.Body)
	}
	c.Post(t, at+"/"+ids[0]+"/sign", obj{"fields": obj{"deposit": "1000"}}).Want(t, 200)
	mine := as(t, c, at+"/invitations/"+ids[1])
	if mails := server(t).Mails(t, "assistant@assist.example"); len(mails) != 1 || !strings.Contains(mails[0].Subject, "asks you to fill in: Lease") {
		t.Errorf("the assistant got %+v", mails)
	}
	seen := mine.Get(t, at).Want(t, 200)
	if got := fmt.Sprint(seen.At(t, "allowed_actions")); got != "[fill_in decline delegate download]" {
		t.Errorf("the assistant may %s", got)
	}
	if got := strings.Join(seen.Texts(t, "fields", "name"), " "); got != "city rent months total tenant kind garden iban" {
		t.Errorf("the assistant sees the fields %s", got)
	}

	fill := at + "/" + ids[1] + "/fill-in"
	other, elsewhere := assisted(t, c, "other.example")
	for _, wrong := range []struct {
		field string
		value any
		code  string
	}{
		{"rent", "much", "not_a_number"}, {"rent", 99, "too_small"}, {"kind", "castle", "not_one_of"}, {"months", 3, "read_only"},
		{"total", 7, "read_only"}, {"sig", "Ann", "only_its_recipient"}, {"day", "2020-01-01", "only_its_recipient"},
		{"id", "data:text/plain;base64,eA==", "only_its_recipient"}, {"deposit", "0", "no_such_field"},
	} {
		for _, key := range []string{wrong.field, fields[wrong.field]} {
			name := wrong.field
			if wrong.code == "no_such_field" || wrong.code == "only_its_recipient" {
				name = key
			}
			r := failed(t, mine.Post(t, fill, obj{"fields": obj{"city": "Rome", key: wrong.value}}), 422, "fields."+name)
			if got := fmt.Sprint(r.At(t, "codes")); !strings.Contains(got, ":["+wrong.code+"]") {
				t.Errorf("%s=%v is refused with %s", wrong.field, wrong.value, r.Body)
			}
		}
	}
	failed(t, mine.Post(t, fill, obj{"fields": obj{elsewhere["city"]: "Rome"}}), 422, "fields."+elsewhere["city"])
	failed(t, mine.Post(t, "/documents/"+other.Text(t, "id")+"/"+other.Text(t, "invitations.1.id")+"/fill-in", obj{}), 404)
	failed(t, mine.Post(t, at+"/"+ids[2]+"/fill-in", obj{}), 404)
	failed(t, mine.Post(t, at+"/"+ids[1]+"/consent", obj{}), 409, "no_consent_asked")
	failed(t, mine.Post(t, at+"/"+ids[1]+"/sign", obj{}), 409, "assistant_does_not_sign")
	if got := values(t, c.Get(t, at).Want(t, 200)); got["city"] != "Berlin" || got["rent"] != nil {
		t.Errorf("after refusals the values are %v", got)
	}

	d = mine.Post(t, fill, obj{"fields": obj{"rent": 700, "kind": "flat", "garden": "ignored", fields["iban"]: "DE89"}}).Want(t, 200)
	if d.Text(t, "invitations.1.status") != "filled_in" || d.Text(t, "invitations.1.filled_in_at") == "" || d.At(t, "invitations.1.signed_at") != nil || d.Text(t, "invitations.2.status") != "notified" {
		t.Errorf("after filling in it is %s", d.Body)
	}
	failed(t, mine.Post(t, fill, obj{}), 409, "already_filled_in")
	failed(t, c.Post(t, at+"/"+ids[2]+"/fill-in", obj{}), 409, "only_assistants_fill_in")

	signs := as(t, c, at+"/invitations/"+ids[2])
	if got := values(t, signs.Get(t, at).Want(t, 200)); got["rent"] != "700" || got["city"] != "Berlin" || got["kind"] != "flat" || got["iban"] != "DE89" || got["garden"] != nil || got["tenant"] != nil {
		t.Errorf("the signatory finds %v", got)
	}
	d = signs.Post(t, at+"/"+ids[2]+"/sign", obj{"consent": true, "fields": obj{"rent": 650}}).Want(t, 200)
	if got := values(t, c.Get(t, at).Want(t, 200)); got["rent"] != "650" || got["kind"] != "flat" || got["total"] != "7800" || got["tenant"] != "late" || d.Text(t, "status") != "completed" {
		t.Errorf("in the end the values are %v of %s", got, d.Body)
	}
	checkAssisted(t, c, at)
	copied := c.Post(t, at+"/duplicate", obj{}).Want(t, 201)
	if got := values(t, copied); got["kind"] != nil || got["rent"] != nil {
		t.Errorf("the copy has the values %v", got)
	}
}

// checkAssisted checks what the audit trail and the certificate say about the assistant.
func checkAssisted(t *testing.T, c *apptest.Client, at string) {
	t.Helper()
	events := c.Get(t, at+"/events?per_page=100").Want(t, 200)
	found := false
	for i, kind := range events.Texts(t, "data", "type") {
		if kind != "invitation.filled_in" {
			continue
		}
		found = true
		if got := events.Text(t, fmt.Sprintf("data.%d.data.fields", i)); got != "rent, kind, iban" {
			t.Errorf("the event names the fields %q", got)
		}
	}
	if !found {
		t.Error("the audit trail does not say that the assistant filled in fields")
	}
	if strings.Contains(string(events.Body), "DE89") {
		t.Error("the audit trail has a value")
	}
	text := strings.Join(strings.Fields(apptest.PagesText(t, c.Get(t, at+"/download?content=certificate").Want(t, 200).Body)), " ")
	for _, want := range []string{"fills in fields for others", "has filled in fields for others", "Fields filled in rent, kind, iban", "Filled in through", "Signatures 2 of 2", "invitation.filled_in"} {
		if !strings.Contains(text, want) {
			t.Errorf("the certificate lacks %q:\n%s", want, text)
		}
	}
}

// TestAssistantHasSomethingToFillIn refuses drafts in which an assistant could fill in nothing.
func TestAssistantHasSomethingToFillIn(t *testing.T) {
	t.Parallel()
	c := company(t)
	for name, draft := range map[string]struct {
		order, kind string
		position    int
		ready       bool
	}{
		"a field later": {"sequential", "text", 1, true}, "parallel": {"parallel", "text", 1, false},
		"same position": {"sequential", "text", 2, false}, "only a signature": {"sequential", "signature", 1, false},
	} {
		d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": name, "signing_order": draft.order, "invitations": list{
			obj{"name": "Asa", "email": "asa@nothing.example", "role": "assistant", "position": draft.position},
			obj{"name": "Sig", "email": "sig@nothing.example", "role": "signer", "position": 2}}, "fields": list{
			obj{"type": draft.kind, "file_id": "0", "invitation_id": "1", "page": 1, "x": .1, "y": .1, "width": .2, "height": .05}}},
			apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "A.")})).Want(t, 201)
		at := "/documents/" + d.Text(t, "id")
		if draft.ready {
			c.Post(t, at+"/send", obj{}).Want(t, 200)
			continue
		}
		if r := failed(t, c.Post(t, at+"/send", obj{}), 422, "invitations.0.role"); !strings.Contains(string(r.Body), "assistant_has_nothing_to_fill_in") {
			t.Errorf("%s: refused with %s", name, r.Body)
		}
	}
	d := c.Post(t, "/documents", obj{"title": "Fields", "invitations": list{
		obj{"name": "Asa", "email": "asa@fields.example", "role": "assistant"}, signer(2)}}).Want(t, 201)
	failed(t, c.Put(t, "/documents/"+d.Text(t, "id")+"/fields", obj{"fields": list{obj{"type": "text", "file_id": "0",
		"invitation_id": "0", "page": 1, "x": .1, "y": .1, "width": .2, "height": .05}}}), 422)
}

// TestAssistantOfSeveral fills in fields of the same name for two people.
func TestAssistantOfSeveral(t *testing.T) {
	t.Parallel()
	c := company(t)
	var people, fields list
	people = append(people, obj{"name": "Asa", "email": "asa@several.example", "role": "assistant", "position": 1})
	for i := 1; i <= 2; i++ {
		people = append(people, merged(signer(i), obj{"position": 1 + i}))
		for k, name := range []string{"yes", "no"} {
			fields = append(fields, obj{"type": "radio", "group": "choice", "name": name, "file_id": "0", "invitation_id": fmt.Sprint(i), "page": 1, "x": .1, "y": .1*float64(i) + .04*float64(k), "width": .03, "height": .03})
		}
		fields = append(fields, obj{"type": "number", "name": "age", "file_id": "0", "invitation_id": fmt.Sprint(i), "page": 1, "x": .1, "y": .4 + .1*float64(i), "width": .2, "height": .05})
	}
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Several", "signing_order": "sequential", "send": true, "invitations": people, "fields": fields},
		apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "A.")})).Want(t, 201)
	all, at := d.Texts(t, "fields", "id"), "/documents/"+d.Text(t, "id")
	fill := at + "/" + d.Text(t, "invitations.0.id") + "/fill-in"
	failed(t, c.Post(t, fill, obj{"fields": obj{all[5]: "old"}}), 422, "fields."+all[5])
	failed(t, c.Post(t, fill, obj{"fields": obj{all[0]: true, all[1]: true}}), 422, "fields.choice")
	c.Post(t, fill, obj{"fields": obj{"choice": "no", all[2]: 30, all[5]: 40}}).Want(t, 200)
	if got := fmt.Sprint(c.Get(t, at).Want(t, 200).Texts(t, "fields", "value")); got != "[<nil> true 30 <nil> true 40]" {
		t.Errorf("the values are %s", got)
	}
}

// TestAssistantsGroupWithCode lets one of a group of assistants fill in, with a code, what a
// condition asks for, and lets the signatory pass the document on.
func TestAssistantsGroupWithCode(t *testing.T) {
	t.Parallel()
	c := company(t)
	helper := func(name string) obj {
		return obj{"name": name, "email": name + "@group.example", "role": "assistant", "group": "Office", "position": 1,
			"authentication": "access_code", "access_code": "4711"}
	}
	field := func(kind, name string, y float64, more obj) obj {
		return merged(obj{"type": kind, "name": name, "file_id": "0", "invitation_id": "2", "page": 1, "x": .1, "y": y,
			"width": .2, "height": .03}, more)
	}
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Group", "signing_order": "sequential", "send": true,
		"invitations": list{helper("ann"), helper("bob"), merged(signer(1), obj{"position": 2})},
		"fields": list{field("checkbox", "pets", .1, nil), field("name", "who", .3, nil), field("text", "which", .2, obj{
			"condition": obj{"when": list{obj{"field": "pets", "op": "filled"}}}})}},
		apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "A.")})).Want(t, 201)
	at, ids := "/documents/"+d.Text(t, "id"), d.Texts(t, "invitations", "id")
	bob := as(t, c, at+"/invitations/"+ids[1])
	filled := obj{"pets": true, "which": "A dog"}
	failed(t, bob.Post(t, at+"/"+ids[1]+"/fill-in", obj{"fields": filled}), 422, "code")
	d = bob.Post(t, at+"/"+ids[1]+"/fill-in", obj{"fields": filled, "code": "4711"}).Want(t, 200)
	if got := strings.Join(d.Texts(t, "invitations", "status"), " "); got != "not_needed filled_in notified" {
		t.Errorf("the invitations are %s", got)
	}
	d = c.Post(t, at+"/"+ids[2]+"/delegate", obj{"name": "Dora", "email": "dora@group.example"}).Want(t, 200)
	d = c.Post(t, at+"/"+d.Text(t, "invitations.3.id")+"/sign", obj{}).Want(t, 200)
	if got := values(t, c.Get(t, at).Want(t, 200)); got["which"] != "A dog" || got["who"] != "Dora" || d.Text(t, "status") != "completed" {
		t.Errorf("in the end the values are %v of %s", got, d.Body)
	}
}

// TestCertificateOfTwoAssistants names the fields of both assistants, and who of them changed what.
func TestCertificateOfTwoAssistants(t *testing.T) {
	t.Parallel()
	c := company(t)
	helper := func(name string, position int) obj {
		return obj{"name": name, "email": name + "@office.example", "role": "assistant", "position": position}
	}
	field := func(name string, y float64) obj {
		return obj{"type": "text", "name": name, "file_id": "0", "invitation_id": "2", "page": 1, "x": .1, "y": y, "width": .2, "height": .03}
	}
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Two", "signing_order": "sequential", "send": true,
		"invitations": list{helper("ann", 1), helper("bob", 2), merged(signer(1), obj{"position": 3})},
		"fields":      list{field("city", .1), field("street", .2), field("door", .3)}},
		apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "A.")})).Want(t, 201)
	at, ids := "/documents/"+d.Text(t, "id"), d.Texts(t, "invitations", "id")
	fill := func(i int, values obj) {
		as(t, c, at+"/invitations/"+ids[i]).Post(t, at+"/"+ids[i]+"/fill-in", obj{"fields": values}).Want(t, 200)
	}
	fill(0, obj{"city": "Lisbon", "street": "Rua Augusta"})
	fill(1, obj{"city": "Porto", "door": "7"})
	c.Post(t, at+"/"+ids[2]+"/sign", obj{}).Want(t, 200)
	text := strings.Join(strings.Fields(apptest.PagesText(t, c.Get(t, at+"/download?content=certificate").Want(t, 200).Body)), " ")
	for _, want := range []string{"Fields filled in city, street", "Changed later by bob <bob@office.example> (city)", "Fields filled in city, door"} {
		if !strings.Contains(text, want) {
			t.Errorf("the certificate lacks %q:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "Changed later by"); n != 1 {
		t.Errorf("%d assistants' values were changed", n)
	}
}

// TestRehearseAnAssistant lets the test double act for an assistant and the others.
func TestRehearseAnAssistant(t *testing.T) {
	t.Parallel()
	c := company(t)
	d, _ := assisted(t, c, "rehearsed.example")
	d = rehearse(t, c, d.Text(t, "id"), obj{"fields": obj{"kind": "flat"}}).Want(t, 200)
	if got := strings.Join(d.Texts(t, "invitations", "status"), " "); got != "signed filled_in signed" || values(t, d)["kind"] != "flat" {
		t.Errorf("afterwards it is %s", d.Body)
	}
}

// TestAssistantAndMasks shows masked values to nobody but the recipient: neither those that the
// sender filled in nor those of the assistant before.
func TestAssistantAndMasks(t *testing.T) {
	t.Parallel()
	c := company(t)
	person := func(name, role string, position int) obj {
		return obj{"name": name, "email": name + "@masked.example", "role": role, "position": position}
	}
	field := func(name string, y float64, more obj) obj {
		return merged(obj{"type": "text", "name": name, "file_id": "0", "invitation_id": "2", "page": 1, "x": .1, "y": y, "width": .2, "height": .03}, more)
	}
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Lease", "signing_order": "sequential", "send": true,
		"invitations": list{person("one", "assistant", 1), person("two", "assistant", 2), person("late", "signer", 3)},
		"fields":      list{field("city", .1, nil), field("iban", .2, obj{"mask": "all"}), field("tax", .3, obj{"mask": "paper", "value": "12-345"})},
	}, apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "Lease.")})).Want(t, 201)
	at, ids := "/documents/"+d.Text(t, "id"), d.Texts(t, "invitations", "id")
	sees := func(n int, want string) *apptest.Client {
		t.Helper()
		who := as(t, c, at+"/invitations/"+ids[n])
		if got := fmt.Sprint(values(t, who.Get(t, at).Want(t, 200))); got != want {
			t.Errorf("recipient %d sees %s, want %s", n, got, want)
		}
		return who
	}
	one := sees(0, "map[city:<nil> iban:<nil>]")
	failed(t, one.Post(t, at+"/"+ids[0]+"/fill-in", obj{"fields": obj{"tax": ""}}), 422, "fields.tax")
	one.Post(t, at+"/"+ids[0]+"/fill-in", obj{"fields": obj{"iban": "DE89"}}).Want(t, 200)
	two := sees(1, "map[city:<nil>]")
	failed(t, two.Post(t, at+"/"+ids[1]+"/fill-in", obj{"fields": obj{"iban": "FR76"}}), 422, "fields.iban")
	two.Post(t, at+"/"+ids[1]+"/fill-in", obj{"fields": obj{"city": "Rome"}}).Want(t, 200)
	sees(2, "map[city:Rome iban:DE89 tax:12-345]")
}

// TestAssistantAndGroups names faults in groups of buttons and boxes after the recipient's own first
// one, where the recipient before has groups of the same names.
func TestAssistantAndGroups(t *testing.T) {
	t.Parallel()
	c := company(t)
	people := list{merged(signer(1), obj{"role": "assistant"}), signer(2), signer(3)}
	var fields list
	for of := 1; of <= 2; of++ {
		for i, kind := range []string{"checkbox", "checkbox", "radio", "radio"} {
			fields = append(fields, obj{"type": kind, "group": kind, "label": fmt.Sprint(kind, i), "file_id": "0", "invitation_id": fmt.Sprint(of), "page": 1, "group_max": 1,
				"x": .1 * float64(of), "y": .1 * float64(i+1), "width": .03, "height": .03})
		}
	}
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Lease", "signing_order": "sequential", "send": true, "invitations": people, "fields": fields},
		apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "Lease.")})).Want(t, 201)
	ids, fill := d.Texts(t, "fields", "id"), "/documents/"+d.Text(t, "id")+"/"+d.Text(t, "invitations.0.id")+"/fill-in"
	all := obj{}
	for _, id := range ids[4:] {
		all[id] = true
	}
	failed(t, c.Post(t, fill, obj{"fields": all}), 422, "fields."+ids[4], "fields."+ids[6])
	for _, id := range ids[:4] {
		all[id] = true
	}
	failed(t, c.Post(t, fill, obj{"fields": all}), 422, "fields.checkbox", "fields.radio", "fields."+ids[4], "fields."+ids[6])
}
