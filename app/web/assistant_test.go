package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
)

// TestFillInForOthers follows an assistant, and the person who signs after them, through their
// pages, with a script and without one.
func TestFillInForOthers(t *testing.T) {
	t.Parallel()
	for _, scripts := range []bool{true, false} {
		s := apptest.New(t, withConsent)
		owner := s.Company(t)
		field := func(of int, kind string, y float64, more apptest.Map) apptest.Map {
			f := apptest.Map{"type": kind, "invitation_id": fmt.Sprint(of), "file_id": "0", "page": 1, "x": .1, "y": y, "width": .3, "height": .04}
			for k, v := range more {
				f[k] = v
			}
			return f
		}
		d := owner.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease", "send": true, "signing_order": "sequential",
			"invitations": []apptest.Map{{"name": "Asa Assistant", "email": "asa@assist.example", "role": "assistant", "position": 1},
				{"name": "Tom Tenant", "email": "tom@tenant.example", "position": 2}, {"name": "Uma Tenant", "email": "uma@tenant.example", "position": 3}},
			"fields": []apptest.Map{field(1, "text", .1, apptest.Map{"label": "City", "name": "city", "required": true}),
				field(1, "number", .2, apptest.Map{"label": "Rent", "name": "rent"}), field(1, "signature", .3, nil),
				field(2, "number", .4, apptest.Map{"label": "Rent", "name": "rent"})}},
			apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "A lease.")})).Want(t, http.StatusCreated)
		at, ids := "/documents/"+d.Text(t, "id"), d.Texts(t, "fields", "id")
		w := either(t, s.Anonymous(), scripts)
		w.Visit(d.Text(t, "invitations.0.sign_url"))
		if w, is := w.(*window); is {
			w.run(chromedp.EmulateViewport(360, 740))
			w.fits()
			w.judge(allRules, "the assistant's page")
		}
		sight := w.Read("body")
		for _, want := range []string{"asks you to fill in fields for the people signing", "Rent (Tom Tenant)", "Rent (Uma Tenant)", "not signing anything"} {
			if !strings.Contains(sight, want) {
				t.Errorf("the assistant's page lacks %q: %s", want, sight)
			}
		}
		for _, unwanted := range []string{"I agree", "Finish and sign", "required"} {
			if strings.Contains(sight, unwanted) {
				t.Errorf("the assistant's page says %q: %s", unwanted, sight)
			}
		}
		w.Write(`[name="f.`+ids[0]+`"]`, "Lisbon")
		w.Write(`[name="f.`+ids[3]+`"]`, "1e999")
		w.Click("#finish")
		w.Says("The Rent (Uma Tenant) field must be a number.")
		w.Write(`[name="f.`+ids[3]+`"]`, "700")
		w.Click("#finish")
		w.Heading("You're done")
		if sight := w.Read("main"); !strings.Contains(sight, "You filled in the fields on") {
			t.Errorf("the assistant's last page says %s", sight)
		}
		r := owner.Get(t, at).Want(t, http.StatusOK)
		if got := strings.Join(r.Texts(t, "invitations", "status"), " "); got != "filled_in notified pending" || r.Text(t, "fields.0.value") != "Lisbon" || r.At(t, "fields.1.value") != nil || r.Text(t, "fields.3.value") != "700" {
			t.Errorf("the invitations are %s of %s", got, r.Body)
		}
		w.Visit(r.Text(t, "invitations.1.sign_url"))
		if got := w.Value(`[name="f.` + ids[0] + `"]`); got != "Lisbon" {
			t.Errorf("the tenant finds %q", got)
		}
	}
}

// TestTicksForOthers reports too many ticks at the boxes of the recipient that they are about, of
// two with groups of the same name.
func TestTicksForOthers(t *testing.T) {
	t.Parallel()
	for _, scripts := range []bool{true, false} {
		s := apptest.New(t)
		var fields []apptest.Map
		for i, of := range []string{"1", "1", "2", "2"} {
			fields = append(fields, apptest.Map{"type": "checkbox", "group": "Extras", "group_max": 1, "label": "Extra " + fmt.Sprint(i), "invitation_id": of,
				"file_id": "0", "page": 1, "x": .1, "y": .1 * float64(i+1), "width": .03, "height": .03})
		}
		d := s.Company(t).Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease", "send": true, "signing_order": "sequential", "fields": fields,
			"invitations": []apptest.Map{{"name": "Asa Assistant", "email": "asa@assist.example", "role": "assistant", "position": 1},
				{"name": "Tom Tenant", "email": "tom@tenant.example", "position": 2}, {"name": "Uma Tenant", "email": "uma@tenant.example", "position": 3}}},
			apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "A lease.")})).Want(t, http.StatusCreated)
		w := either(t, s.Anonymous(), scripts)
		w.Visit(d.Text(t, "invitations.0.sign_url"))
		for _, id := range d.Texts(t, "fields", "id")[2:] {
			w.Click(`[name="f.` + id + `"]`)
		}
		w.Click("#finish")
		w.See("#errors a")
		if got := w.Attribute("#errors a", "href"); got != "#i3" {
			t.Errorf("the boxes of the second recipient are reported at %s: %s", got, w.Read("#errors"))
		}
	}
}
