package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
	"paraph/app/apptest/patience"
)

// quote is a template with repeated rows, a part that may be left out, and a computed field.
const quote = `<html><p>Dear {{customer}},<table border=1><tr><th>What<th>Price<tr><td>{{#items}}{{what}}<td>{{price|#,##0.00 €}}{{/items}}</table>
{{#if guarantor}}<p>{{guarantor}} guarantees.</p>{{/if}}<p>{{qty;type=number;role=Buyer}}<p>{{total;type=number;role=Buyer;formula=qty * 12.5}}
<p>{{signature;role=Buyer}}`

// TestRunWithFormulasIsToldToWebhooks sends a template with lists and formulas to many, who all sign, and
// checks each document and what a webhook is told about it.
func TestRunWithFormulasIsToldToWebhooks(t *testing.T) {
	t.Parallel()
	const rows = 12
	hook := receive(t, nil)
	c := apptest.New(t, toReceivers, func(c *app.Config) { c.Convert.Soffice = "none" }).Company(t)
	c.Post(t, "/webhooks", apptest.Map{"url": hook.URL, "events": apptest.List{"document.sent", "document.completed"}}).Want(t, http.StatusCreated)
	tpl := c.Post(t, "/templates", apptest.Multipart(t, apptest.Map{"title": "Quote for {{customer}}", "text_tags": true, "placeholders": true},
		apptest.File{Name: "quote.html", Content: []byte(quote)})).Want(t, http.StatusCreated)
	c.Patch(t, "/documents/"+tpl.Text(t, "id")+"/files/"+tpl.Text(t, "files.0.id"), apptest.Map{"confirmed": true}).Want(t, http.StatusOK)
	var all apptest.List
	for i := range rows {
		items := apptest.List{apptest.Map{"what": fmt.Sprintf("Desk %d", i), "price": 1000 + i}}
		values := apptest.Map{"customer": fmt.Sprintf("Customer %d", i), "items": items}
		if i%2 == 1 {
			values["items"] = append(items, apptest.Map{"what": "Chair", "price": "0.5"})
			values["guarantor"] = fmt.Sprintf("Guarantor %d", i)
		}
		all = append(all, apptest.Map{"external_id": fmt.Sprint(i), "variables": values,
			"people": apptest.List{apptest.Map{"role": "Buyer", "name": "Ben", "email": fmt.Sprintf("ben%d@buyer.example", i)}}})
	}
	run := c.Post(t, "/templates/"+tpl.Text(t, "id")+"/bulk", apptest.Map{"rows": all, "send": true}).Want(t, http.StatusOK)
	patience.Until(t, "the run", func() (string, bool) {
		r := c.Get(t, "/bulk/"+run.Text(t, "run.id")).Want(t, http.StatusOK)
		return string(r.Body), r.Text(t, "status") == "finished"
	})
	made := c.Get(t, "/bulk/"+run.Text(t, "run.id")+"/rows?status=made").Want(t, http.StatusOK).Texts(t, "data", "document_id")
	if len(made) != rows {
		t.Fatalf("%d documents were made", len(made))
	}
	want := map[string]string{}
	for _, id := range made {
		at := "/documents/" + id
		d := c.Get(t, at).Want(t, http.StatusOK)
		var i int
		if _, err := fmt.Sscan(d.Text(t, "external_id"), &i); err != nil {
			t.Fatal(err)
		}
		want[id] = fmt.Sprintf("Quote for Customer %d", i)
		d = c.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", apptest.Map{"fields": apptest.Map{"qty": i + 1}}).Want(t, http.StatusOK)
		values := map[string]any{}
		for _, x := range d.At(t, "fields").(apptest.List) {
			values[fmt.Sprint(x.(apptest.Map)["name"])] = x.(apptest.Map)["value"]
		}
		total := fmt.Sprint(12.5 * float64(i+1))
		if d.Text(t, "status") != "completed" || values["total"] != total {
			t.Errorf("document %d is %s, with the values %v", i, d.Text(t, "status"), values)
		}
		text := apptest.PagesText(t, c.Get(t, at+"/download").Want(t, http.StatusOK).Body)
		for part, has := range map[string]bool{
			fmt.Sprintf("Dear Customer %d,", i): true, fmt.Sprintf("Desk %d", i): true, fmt.Sprintf("1,%03d.00 €", i): true, total: true,
			"Chair": i%2 == 1, "0.50 €": i%2 == 1, fmt.Sprintf("Guarantor %d guarantees.", i): i%2 == 1, "{{": false,
		} {
			if strings.Contains(text, part) != has {
				t.Errorf("document %d has %q: %v, want %v, in %s", i, part, !has, has, text)
			}
		}
	}
	patience.Until(t, "the webhook", func() (string, bool) {
		n := len(hook.got())
		return fmt.Sprintf("%d of %d", n, 2*rows), n >= 2*rows
	})
	told := map[string]int{}
	for _, p := range hook.got() {
		var body struct {
			Type string
			Data struct {
				Document struct{ ID, Title, Status string }
			}
		}
		if err := json.Unmarshal(p.body, &body); err != nil {
			t.Fatal(err)
		}
		d := body.Data.Document
		told[body.Type+" "+d.ID]++
		if d.Title != want[d.ID] || body.Type != "document."+d.Status {
			t.Errorf("the webhook is told %s of %+v", body.Type, d)
		}
	}
	for _, id := range made {
		if told["document.sent "+id] != 1 || told["document.completed "+id] != 1 {
			t.Errorf("the webhook is told of %s: %v", id, told)
		}
	}
}
