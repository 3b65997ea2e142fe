package api_test

import (
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestEmploymentFillsInFields sends documents with fields for the company and the job title to people
// whose employment is known from the invitation, from the contacts, from both, or not.
func TestEmploymentFillsInFields(t *testing.T) {
	t.Parallel()
	c := company(t)
	c.Post(t, "/contacts", obj{"name": "Person 1", "email": "Signer1@example.com", "organization": "Known Ltd", "job_title": "Buyer"}).Want(t, 201)
	for name, tc := range map[string]struct {
		invitation obj
		defaults   obj
		entered    obj
		company    string
		title      string
	}{
		"from the contact":          {nil, nil, nil, "Known Ltd", "Buyer"},
		"from the invitation":       {obj{"company": "Own plc", "job_title": "Head"}, nil, nil, "Own plc", "Head"},
		"from both":                 {obj{"company": "Own plc"}, nil, nil, "Own plc", "Buyer"},
		"the field has a default":   {nil, obj{"value": "Preset"}, nil, "Preset", "Preset"},
		"the recipient changes one": {nil, nil, obj{"c": "Entered"}, "Entered", "Buyer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newConditional(t, c)
			d.Patch(t, d.at+"/invitations/"+d.people[0], merged(obj{"email": "signer1@EXAMPLE.com"}, tc.invitation)).Want(t, 200)
			d.Put(t, d.at+"/fields", obj{"fields": list{d.field(1, 0, "company", "c", tc.defaults), d.field(3, 0, "job_title", "j", tc.defaults)}}).Want(t, 200)
			d.Post(t, d.at+"/send", nil).Want(t, 200)
			r := d.Post(t, d.at+"/"+d.people[0]+"/sign", obj{"fields": tc.entered}).Want(t, 200)
			if got := r.Text(t, "fields.0.value") + ", " + r.Text(t, "fields.1.value"); got != tc.company+", "+tc.title {
				t.Errorf("signed with %s, want %s, %s", got, tc.company, tc.title)
			}
		})
	}
}

// TestEmploymentIsTakenOnlyWhereAsked leaves contacts alone if no field asks for them.
func TestEmploymentIsTakenOnlyWhereAsked(t *testing.T) {
	t.Parallel()
	c := company(t)
	c.Post(t, "/contacts", obj{"name": "Person 1", "email": "s@example.com", "organization": "Known Ltd", "job_title": "Buyer"}).Want(t, 201)
	other := company(t)
	for i, of := range []*apptest.Client{c, other} {
		d := newConditional(t, of)
		d.Patch(t, d.at+"/invitations/"+d.people[0], obj{"email": "s@example.com"}).Want(t, 200)
		kind := "text"
		if i == 1 { // another company does not know the person
			kind = "company"
		}
		d.Put(t, d.at+"/fields", obj{"fields": list{d.field(1, 0, kind, "c", obj{"required": false})}}).Want(t, 200)
		r := d.Post(t, d.at+"/send", nil).Want(t, 200)
		if r.At(t, "invitations.0.company") != nil || r.At(t, "invitations.0.job_title") != nil {
			t.Errorf("company %d: the invitation has %s", i, r.Body)
		}
	}
}

// TestEmploymentOfContacts imports and exports job titles.
func TestEmploymentOfContacts(t *testing.T) {
	t.Parallel()
	c := company(t)
	r := c.Post(t, "/contacts/import", text("E-mail,Company,Job title\na@example.com,Acme,Director\n")).Want(t, 200)
	if r.Int(t, "created") != 1 || r.Text(t, "columns.job_title") != "Job title" {
		t.Errorf("imported: %s", r.Body)
	}
	id := c.Get(t, "/contacts").Want(t, 200).Text(t, "data.0.id")
	if got := c.Patch(t, "/contacts/"+id, obj{"job_title": strings.Repeat("x", 201)}); got.Status != 422 {
		t.Errorf("a long title: %d", got.Status)
	}
	if got := string(c.Get(t, "/contacts/export").Want(t, 200).Body); !strings.Contains(got, "a,a@example.com,Acme,,,,,Director\n") {
		t.Errorf("exported: %s", got)
	}
	if got := c.Patch(t, "/contacts/"+id, obj{"job_title": nil}).Want(t, 200); got.At(t, "job_title") != nil {
		t.Errorf("cleared: %s", got.Body)
	}
}

// TestEmploymentInTemplates passes the company in the call that uses a template.
func TestEmploymentInTemplates(t *testing.T) {
	t.Parallel()
	c := company(t)
	role := obj{"role_name": "Buyer", "name": "Default", "email": "default@example.com", "company": "Default Ltd", "job_title": "Clerk"}
	id := c.Post(t, "/templates", obj{"title": "A", "roles": list{role}}).Want(t, 201).Text(t, "id")
	for _, tc := range []struct {
		people list
		want   any
	}{
		{list{}, "Default Ltd"},
		{list{obj{"role": "Buyer", "name": "Ana", "email": "ana@example.com"}}, nil},
		{list{obj{"role": "Buyer", "name": "Ana", "email": "ana@example.com", "company": "Acme"}}, "Acme"},
	} {
		r := c.Post(t, "/templates/"+id+"/documents", obj{"people": tc.people}).Want(t, 201)
		if got := r.At(t, "invitations.0.company"); got != tc.want {
			t.Errorf("%v: the company is %v, want %v", tc.people, got, tc.want)
		}
	}
}
