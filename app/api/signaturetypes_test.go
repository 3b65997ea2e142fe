package api_test

import (
	"encoding/base64"
	"fmt"
	"image/png"
	"testing"

	"paraph/app/apptest"
)

const (
	strokes = "[[[0,0],[30,20],[60,5]]]"
	// unseen is a PNG of one transparent pixel.
	unseen = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="
)

// TestTypesOfSignatures signs with every type, where the company, the document or a field accepts
// only some.
func TestTypesOfSignatures(t *testing.T) {
	t.Parallel()
	drawn, typed, image := obj{"type": "drawn", "data": strokes}, obj{"type": "typed", "text": "Ana"}, obj{"type": "image", "data": base64.StdEncoding.EncodeToString(apptest.Picture(t, png.Encode))}
	for name, tc := range map[string]struct {
		document, signature, initials list
		sent                          obj
		refused, says                 string
	}{
		"nothing is said":          {nil, nil, nil, obj{}, "", ""},
		"the document accepts":     {list{"drawn"}, nil, nil, obj{"signature": drawn, "initials": drawn}, "", ""},
		"it does not":              {list{"image", "drawn"}, nil, nil, obj{"signature": typed, "initials": drawn}, "signature.type", "The sender accepts only drawings and uploaded pictures here."},
		"typing is the default":    {list{"drawn"}, nil, nil, obj{"initials": drawn}, "signature.type", "The sender accepts only drawings here."},
		"also of initials":         {list{"drawn"}, nil, nil, obj{"signature": drawn}, "initials.type", "The sender accepts only drawings here."},
		"the field accepts":        {nil, list{"image"}, nil, obj{"signature": image}, "", ""},
		"the field does not":       {nil, list{"image"}, nil, obj{"signature": drawn}, "signature.type", "The sender accepts only uploaded pictures here."},
		"another field may differ": {nil, list{"drawn"}, list{"typed"}, obj{"signature": drawn, "initials": typed}, "", ""},
		"both count":               {list{"typed", "image"}, list{"image", "drawn"}, nil, obj{"signature": typed}, "signature.type", "The sender accepts only uploaded pictures here."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newConditional(t, company(t))
			d.Patch(t, d.at, obj{"signature_types": tc.document}).Want(t, 200)
			d.Put(t, d.at+"/fields", obj{"fields": list{d.field(1, 0, "signature", "s", obj{"signature_types": tc.signature}),
				d.field(3, 0, "initials", "i", obj{"signature_types": tc.initials})}}).Want(t, 200)
			d.Post(t, d.at+"/send", nil).Want(t, 200)
			r := d.Post(t, d.at+"/"+d.people[0]+"/sign", tc.sent)
			if tc.refused == "" {
				r.Want(t, 200)
				return
			}
			if says := refused(t, r, tc.refused, "signature_type_not_allowed"); says != tc.says {
				t.Errorf("it says %q, want %q", says, tc.says)
			}
		})
	}
}

// TestDefaultTypesOfSignatures sets the company's default, and makes documents of a template.
func TestDefaultTypesOfSignatures(t *testing.T) {
	t.Parallel()
	c := company(t)
	accepted := func(r *apptest.Response, at string) string { return fmt.Sprint(r.At(t, at)) }
	if got := accepted(c.Get(t, "/company"), "signature_types"); got != "[drawn typed image]" {
		t.Errorf("at first, the company accepts %s", got)
	}
	refused(t, c.Patch(t, "/company", obj{"signature_types": list{"drawn", "spoken"}}), "signature_types.1", "not_one_of")
	r := c.Patch(t, "/company", obj{"signature_types": list{"image", "drawn"}}).Want(t, 200)
	if got := accepted(r, "signature_types"); got != "[drawn image]" {
		t.Errorf("then it accepts %s", got)
	}
	for name, tc := range map[string]struct {
		body obj
		want string
	}{
		"the default":     {obj{}, "[drawn image]"},
		"its own":         {obj{"signature_types": list{"typed"}}, "[typed]"},
		"all, explicitly": {obj{"signature_types": list{}}, "[drawn typed image]"},
	} {
		d := c.Post(t, "/documents", tc.body).Want(t, 201)
		if got := accepted(d, "signature_types"); got != tc.want {
			t.Errorf("%s: the document accepts %s, want %s", name, got, tc.want)
		}
		tpl := c.Post(t, "/templates", obj{"title": "A", "roles": list{obj{"role_name": "Buyer"}}, "signature_types": tc.body["signature_types"]}).Want(t, 201)
		made := c.Post(t, "/templates/"+tpl.Text(t, "id")+"/documents", obj{"people": list{obj{"role": "Buyer", "name": "Ana", "email": "ana@example.com"}}}).Want(t, 201)
		if got, also := accepted(tpl, "signature_types"), accepted(made, "signature_types"); got != tc.want || also != tc.want {
			t.Errorf("%s: the template accepts %s, its document %s, want %s", name, got, also, tc.want)
		}
	}
	if got := accepted(c.Patch(t, "/company", obj{"signature_types": nil}).Want(t, 200), "signature_types"); got != "[drawn typed image]" {
		t.Errorf("cleared, the company accepts %s", got)
	}
}

// TestContradictoryTypesOfSignatures does not send fields that no signature suits.
func TestContradictoryTypesOfSignatures(t *testing.T) {
	t.Parallel()
	d := newConditional(t, company(t))
	d.Put(t, d.at+"/fields", obj{"fields": list{d.field(1, 0, "signature", "a", obj{"signature_types": list{"drawn"}}),
		d.field(3, 0, "signature", "b", obj{"signature_types": list{"typed"}})}}).Want(t, 200)
	refused(t, d.Post(t, d.at+"/send", nil), "fields", "signature_types_contradictory")
}

// TestUnseenSignature does not sign with a picture on which nothing can be seen.
func TestUnseenSignature(t *testing.T) {
	t.Parallel()
	d := newConditional(t, company(t))
	d.Post(t, d.at+"/send", nil).Want(t, 200)
	refused(t, d.Post(t, d.at+"/"+d.people[0]+"/sign", obj{"signature": obj{"type": "image", "data": unseen}}), "signature.data", "empty")
}

// TestTypesOfGroups refuses types that a field does not accept from everybody of the group whose
// field it is, whichever of them it names.
func TestTypesOfGroups(t *testing.T) {
	t.Parallel()
	c := company(t)
	field := obj{"type": "signature", "file_id": "0", "invitation_id": "0", "page": 1, "x": .1, "y": .1, "width": .3, "height": .05, "signature_types": list{"drawn"}}
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Order", "send": true, "fields": list{field},
		"invitations": list{merged(signer(1), obj{"group": "Desk"}), merged(signer(2), obj{"group": "Desk"})}},
		apptest.File{Name: "order.pdf", Content: apptest.PDF(t, "Ten chairs.")})).Want(t, 201)
	at, ids := "/documents/"+d.Text(t, "id"), d.Texts(t, "invitations", "id")
	for i, id := range ids {
		r := server(t).With(link(t, d, i)).Post(t, at+"/"+id+"/sign", obj{"signature": obj{"type": "typed", "text": "Ana"}})
		refused(t, r, "signature.type", "signature_type_not_allowed")
	}
	c.Post(t, at+"/"+ids[1]+"/sign", obj{"signature": obj{"type": "drawn", "data": strokes}}).Want(t, 200)
}
