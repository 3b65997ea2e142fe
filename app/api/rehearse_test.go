package api_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// rehearse posts to the control that lets the recipients of a document act.
func rehearse(t testing.TB, c *apptest.Client, document string, body any) *apptest.Response {
	t.Helper()
	return c.Post(t, "/test/documents/"+strings.TrimPrefix(document, "/documents/")+"/sign", body)
}

// TestRehearsal completes a document whose recipients have fields of every type that has rules, a
// code to enter, a group, somebody to name, and something to read.
func TestRehearsal(t *testing.T) {
	t.Parallel()
	c := company(t)
	c.Patch(t, "/company", obj{"consent_mode": "gate", "consent_text": "I sign electronically."}).Want(t, 200)
	people := list{merged(signer(1), obj{"authentication": "email_code"}),
		merged(signer(2), obj{"group": "Board", "authentication": "access_code", "access_code": "4711"}), merged(signer(3), obj{"group": "Board"}),
		obj{"role_name": "Manager", "named_by_previous": true, "position": 3}, merged(signer(5), obj{"role": "reader", "position": 4}),
		merged(signer(6), obj{"role": "viewer", "position": 1})}
	var fields list
	add := func(kind, name string, more obj) {
		y := .02 + .04*float64(len(fields)%20)
		field := obj{"type": kind, "name": name, "file_id": "0", "invitation_id": "signer1@signer.example", "page": 1,
			"x": .1 + .4*float64(len(fields)/20), "y": y, "width": .3, "height": .02, "required": true}
		maps.Copy(field, more)
		fields = append(fields, field)
	}
	for name, more := range map[string]obj{
		"free": {}, "short": {"max": 3}, "long": {"min": 60}, "iban": {"pattern": `[A-Z]{2}\d{2}[A-Z0-9]{11,30}`}, "seven": {"min": 7, "max": 7},
		"choice": {"pattern": "left|right"}, "place": {}, "cells": {"cells": 4}, "hidden": on(when("free", "equals", "nothing")), "shown": on(when("free", "filled")),
		"asked":    {"required": false, "condition": obj{"then": "require", "when": list{when("agree", "equals", true)}}},
		"optional": {"required": false},
	} {
		add("text", name, more)
	}
	for name, more := range map[string]obj{"amount": {"min": 2.5, "max": 2.75, "format": "0.00"}, "year": {"min": 1900}, "loss": {"max": -3}, "number": {}, "total": {"formula": "amount * 2"}} {
		add("number", name, more)
	}
	for name, more := range map[string]obj{"birth": {"latest": "today-18y"}, "start": {"earliest": "2040-01-01"}, "today": {}} {
		add("date", name, more)
	}
	for _, kind := range []string{"signature", "initials", "name", "email", "phone", "company", "job_title", "date_signed", "attachment", "image"} {
		add(kind, kind, nil)
	}
	add("signature", "drawn", obj{"signature_types": list{"drawn"}})
	add("initials", "pictured", obj{"signature_types": list{"image"}})
	add("checkbox", "agree", nil)
	add("select", "kind", obj{"options": list{"person", "company"}})
	for i, group := range []string{"pay", "pay", "extras", "extras", "extras"} {
		add(map[bool]string{true: "radio", false: "checkbox"}[group == "pay"], "", obj{"group": group, "label": group + " " + string(rune('a'+i)), "required": group == "pay"})
	}
	for i := len(fields) - 3; i < len(fields); i++ {
		fields[i].(obj)["group_min"], fields[i].(obj)["group_max"] = 2, 2
	}
	add("text", "place", obj{"invitation_id": "signer2@signer.example"})
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Everything", "signing_order": "sequential", "invitations": people, "fields": fields},
		apptest.File{Name: "all.pdf", Content: apptest.PDF(t, "All.")})).Want(t, 201)
	at := "/documents/" + d.Text(t, "id")

	failed(t, rehearse(t, c, at, nil), 409, "document_not_sent")
	c.Post(t, at+"/send", obj{}).Want(t, 200)
	failed(t, rehearse(t, c, at, obj{"fields": obj{"nowhere": "x"}}), 422, "fields.nowhere")
	failed(t, rehearse(t, c, at, obj{"invitation": "nobody@signer.example"}), 422, "invitation")
	failed(t, rehearse(t, c, at, obj{"fields": obj{"short": "much too long"}}), 422, "fields.short")
	failed(t, rehearse(t, c, at, obj{"invitation": "signer5@signer.example"}), 409, "not_your_turn")
	failed(t, rehearse(t, c, at, obj{"invitation": "signer6@signer.example"}), 409, "viewer_does_not_sign")
	failed(t, rehearse(t, company(t), at, nil), 404)
	failed(t, rehearse(t, server(t).Anonymous(), at, nil), 401)

	d = rehearse(t, c, at, obj{"fields": obj{"place": "Lisbon", "pay": "pay b"}, "next": obj{"name": "Mia Manager", "email": "mia@rehearsal.example"}})
	if d.Want(t, 200); d.Text(t, "status") != "completed" || strings.Join(d.Texts(t, "invitations", "status")[:5], " ") != "signed signed not_needed signed read" {
		t.Fatalf("in the end it is %s", d.Body)
	}
	if d.Text(t, "invitations.3.email") != "mia@rehearsal.example" {
		t.Errorf("somebody else was named: %s", d.Body)
	}
	values := map[string]any{}
	for _, f := range c.Get(t, at+"/fields?per_page=1000").Want(t, 200).At(t, "data").(list) {
		field := f.(obj)
		if name := field["name"]; name != nil && name != "" {
			values[name.(string)] = field["value"]
		} else {
			values[field["label"].(string)] = field["value"]
		}
	}
	for name, want := range map[string]any{"place": "Lisbon", "hidden": nil, "optional": nil, "agree": "true", "pay b": "true", "total": "5"} {
		if got := values[name]; got != want && !(got == "" && want == nil) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	for _, name := range []string{"asked", "shown", "attachment", "image", "birth", "phone"} {
		if values[name] == nil || values[name] == "" {
			t.Errorf("%s is empty", name)
		}
	}
	checkSigned(t, c.Post(t, at+"/download", obj{}).Want(t, 200).Body, 4)
	kinds := c.Get(t, at+"/events?per_page=1000").Want(t, 200).Texts(t, "data", "type")
	for kind, times := range map[string]int{"invitation.consented": 3, "invitation.viewed": 4, "invitation.signed": 3, "invitation.read": 1, "invitation.named": 1, "document.completed": 1} {
		if got := len(slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return k != kind })); got != times {
			t.Errorf("the audit trail has %s %d times, want %d", kind, got, times)
		}
	}
	if mails := server(t).Mails(t, "mia@rehearsal.example"); len(mails) != 2 {
		t.Errorf("the person who was named got %d messages", len(mails))
	}
	failed(t, rehearse(t, c, at, nil), 409)
}

// TestRehearsalOfOne lets one of two recipients sign and the other one decline.
func TestRehearsalOfOne(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Lease", "invitations": signers(2), "send": true},
		apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "The lease.")})).Want(t, 201)
	at, ids := d.Text(t, "id"), d.Texts(t, "invitations", "id")
	if d = rehearse(t, c, at, obj{"invitation": ids[1]}).Want(t, 200); strings.Join(d.Texts(t, "invitations", "status"), " ") != "notified signed" {
		t.Errorf("after one signed it is %s", d.Body)
	}
	failed(t, rehearse(t, c, at, obj{"invitation": "SIGNER2@signer.example"}), 409, "already_signed")
	d = rehearse(t, c, at, obj{"decline": true, "reason": "Too dear."}).Want(t, 200)
	if d.Text(t, "invitations.0.status") != "declined" || d.Text(t, "invitations.0.declined_reason") != "Too dear." {
		t.Errorf("after the other declined it is %s", d.Body)
	}
	failed(t, rehearse(t, c, at, nil), 409, "document_declined")
}

// TestRehearsalNamesSomebody completes a document without being told who is named.
func TestRehearsalNamesSomebody(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Leave", "signing_order": "sequential", "send": true,
		"invitations": list{signer(1), obj{"role_name": "Manager", "named_by_previous": true, "authentication": "email_code", "position": 2}}},
		apptest.File{Name: "leave.pdf", Content: apptest.PDF(t, "Three weeks.")})).Want(t, 201)
	d = rehearse(t, c, d.Text(t, "id"), obj{}).Want(t, 200)
	if d.Text(t, "status") != "completed" || !strings.HasSuffix(d.Text(t, "invitations.1.email"), "@example.com") {
		t.Errorf("in the end it is %s", d.Body)
	}
}

// TestRehearsalByAddress finds the invitation that an address has now, after it was passed on and
// back.
func TestRehearsalByAddress(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := sent(t, c, 1, nil)
	at := "/documents/" + d.Text(t, "id")
	for n, who := range []string{"eve@desk.example", "signer1@signer.example"} {
		at := at + "/" + c.Get(t, at).Want(t, 200).Texts(t, "invitations", "id")[n]
		c.Post(t, at+"/delegate", obj{"name": "Somebody", "email": who}).Want(t, 200)
	}
	if d = rehearse(t, c, at, obj{"invitation": "signer1@signer.example"}).Want(t, 200); d.Text(t, "status") != "completed" {
		t.Errorf("it is %s", d.Body)
	}
}
