package api_test

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// liars are headers in which a client could say from where it comes.
var liars = []string{"X-Forwarded-For", "203.0.113.9", "X-Real-IP", "203.0.113.9", "Forwarded", "for=203.0.113.9;host=phish.example;proto=https",
	"True-Client-IP", "203.0.113.9", "CF-Connecting-IP", "203.0.113.9", "X-Client-IP", "203.0.113.9", "X-Forwarded-Host", "phish.example", "X-Forwarded-Proto", "https"}

// TestActsTakeNothingThatIsFoundOut signs with what the appliance finds out itself in the request: when, from where,
// how the person was identified, what was computed, and what others entered. The evidence has none of it.
func TestActsTakeNothingThatIsFoundOut(t *testing.T) {
	t.Parallel()
	c := company(t)
	box := func(y float64, more obj) obj {
		return merged(obj{"invitation_id": "0", "x": 0.1, "y": y, "width": 0.3, "height": 0.04, "required": false}, more)
	}
	program := c.Server.With(c.Post(t, "/tokens", obj{"name": "CI"}).Want(t, 201).Text(t, "token"))
	entered := obj{"rent": "700"}
	invented := obj{"day": "2020-01-01", "fee": "1", "twice": "1", "hers": "Agreed"}
	for _, who := range []string{"the person", "a member", "a program"} {
		t.Run(who, func(t *testing.T) {
			t.Parallel()
			sign := func(fields, more obj, headers ...string) (*apptest.Response, []byte) {
				people := list{obj{"name": "Bob", "email": "bob@signer.example"}, obj{"name": "Eve", "email": "eve@signer.example"}}
				d := sent(t, c, 0, obj{"invitations": people, "fields": list{
					box(0.1, obj{"type": "number", "name": "rent"}), box(0.2, obj{"type": "date_signed", "name": "day"}),
					box(0.3, obj{"type": "number", "name": "fee", "read_only": true, "value": "9000"}),
					box(0.4, obj{"type": "number", "name": "twice", "formula": "rent * 2"}),
					box(0.7, obj{"type": "text", "name": "hers", "invitation_id": "1"})}})
				caller := c
				switch who {
				case "the person":
					caller = c.Server.With(link(t, d, 0))
				case "a program":
					caller = program
				}
				at := "/documents/" + d.Text(t, "id")
				body, _ := forging(obj{"fields": fields}).(obj)
				r := caller.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", merged(body, more), append([]string{"User-Agent", "Bob's device"}, headers...)...)
				if r.Status != 200 {
					return r, nil
				}
				x := signedByBob{at: at, eve: link(t, d, 1), eveID: d.Text(t, "invitations.1.id")}
				return r, evidenceOfBob(t, c, x)
			}
			_, want := sign(entered, nil)
			if want == nil || bytes.Contains(want, []byte("Forged")) || bytes.Contains(want, []byte("203.0.113.9")) {
				t.Fatalf("the evidence is %s", want)
			}
			if _, got := sign(entered, nil, liars...); !bytes.Equal(got, want) {
				t.Errorf("with invented headers the evidence is\n%s, otherwise\n%s", got, want)
			}
			for name, value := range invented {
				fields := maps.Clone(entered)
				fields[name] = value
				r, got := sign(fields, nil)
				if r.Status == 422 && strings.Contains(string(r.Body), "fields."+name) {
					continue // said at that field
				}
				if !bytes.Equal(got, want) {
					t.Errorf("with an invented %s (%d) the evidence is\n%s, otherwise\n%s", name, r.Status, got, want)
				}
			}
		})
	}
}
