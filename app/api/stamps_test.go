package api_test

import (
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestStamps signs with a stamp that shows the signatory's company, and with one of which they
// hand in a picture.
func TestStamps(t *testing.T) {
	t.Parallel()
	c := company(t)
	stamp := merged(imageField(obj{"name": "stamp", "label": "Stamp"}), obj{"type": "stamp"})
	employer := obj{"type": "company", "name": "employer", "file_id": "0", "invitation_id": "0", "page": 1, "x": 0.1, "y": 0.75, "width": 0.3, "height": 0.03, "required": false}
	for name, x := range map[string]struct {
		fields obj
		value  string // of the stamp, as it begins
		text   string // on the page
	}{
		"drawn":              {obj{"employer": "Northwind Ltd."}, "", "The contract. | Northwind Ltd. | Signer 1 | 2"},
		"without a company":  {obj{}, "", "The contract. | Signer 1 | 2"},
		"with another value": {obj{"stamp": "yes"}, "", "The contract. | Signer 1 | 2"},
		"picture":            {obj{"stamp": dataURL("image/jpeg", "Our stamp.jpeg", meter(t, 600, 120))}, "Our stamp.jpg sha256:", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := sent(t, c, 1, obj{"fields": list{stamp, employer}})
			at := "/documents/" + d.Text(t, "id")
			sign := at + "/" + d.Text(t, "invitations.0.id") + "/sign"
			mine := server(t).With(link(t, d, 0))
			failed(t, mine.Post(t, sign, obj{"fields": obj{"stamp": dataURL("image/jpeg", "a.jpg", []byte("no picture"))}}), 422, "fields.stamp")
			mine.Post(t, sign, obj{"fields": x.fields}).Want(t, 200)
			if got, _ := c.Get(t, at).Want(t, 200).At(t, "fields.0.value").(string); !strings.HasPrefix(got, x.value) {
				t.Errorf("the value of the stamp is %q", got)
			}
			file := c.Get(t, at+"/download").Want(t, 200).Body
			checkSigned(t, file, 2)
			if x.text == "" {
				shownOnPage(t, file)
				return
			}
			if got := apptest.PagesText(t, file); !strings.Contains(got, x.text) {
				t.Errorf("the page says %s", got)
			}
		})
	}
}
