package api_test

import (
	"fmt"
	"sync"
	"testing"

	"paraph/app/apptest"
)

// testCompany makes a company as a test of somebody's program would, and returns its owner.
func testCompany(t testing.TB, body obj) *apptest.Client {
	t.Helper()
	nobody := server(t).Anonymous()
	made := nobody.Post(t, "/test/companies", body).Want(t, 201)
	c := *nobody
	c.Token, c.CompanyID, c.Email = made.Text(t, "token"), made.Text(t, "id"), made.Text(t, "email")
	nobody.Post(t, "/login", obj{"email": c.Email, "password": made.Text(t, "password")}).Want(t, 200)
	return &c
}

// TestTogetherInTestCompanies runs cases at the same time that would meet in one company.
func TestTogetherInTestCompanies(t *testing.T) {
	t.Parallel()
	var cases sync.WaitGroup
	for i := range 8 {
		cases.Go(func() {
			c := testCompany(t, obj{"name": "Case", "locale": "de", "timezone": "Europe/Berlin"})
			sent(t, c, 1, obj{"title": fmt.Sprint("Case ", i)})
			documents := c.Get(t, "/documents").Want(t, 200)
			if documents.Int(t, "meta.total") != 1 || documents.Text(t, "data.0.title") != fmt.Sprint("Case ", i) {
				t.Errorf("case %d sees %s", i, documents.Body)
			}
			mail := c.Get(t, "/test/outbox?kind=invitation&wait=30s&company="+c.CompanyID).Want(t, 200)
			if mail.Int(t, "meta.total") != 1 || mail.Text(t, "data.0.document_id") != documents.Text(t, "data.0.id") {
				t.Errorf("case %d has the mail %s", i, mail.Body)
			}
			if got := c.Get(t, "/company").Want(t, 200); got.Text(t, "timezone") != "Europe/Berlin" || got.Text(t, "name") != "Case" {
				t.Errorf("case %d is in %s", i, got.Body)
			}
		})
	}
	cases.Wait()
}

func TestTestCompanyInput(t *testing.T) {
	t.Parallel()
	nobody := server(t).Anonymous()
	failed(t, nobody.Post(t, "/test/companies", obj{"timezone": "Mars/Olympus"}), 422, "timezone")
	failed(t, nobody.Post(t, "/test/companies", obj{"locale": "not a language"}), 422, "locale")
	if made := nobody.Post(t, "/test/companies", nil).Want(t, 201); made.Text(t, "name") == "" {
		t.Errorf("a company without a name: %s", made.Body)
	}
}

// TestTogetherMailIsAwaited asks for a message before there is one.
func TestTogetherMailIsAwaited(t *testing.T) {
	t.Parallel()
	c := testCompany(t, obj{})
	d := draft(t, c, 1)
	at := "/test/outbox?to=SIGNER1@signer.example&wait=60s&document=" + d.Text(t, "id")
	var asked sync.WaitGroup
	asked.Go(func() {
		if mail := c.Get(t, at).Want(t, 200); mail.Int(t, "meta.total") != 1 || mail.Text(t, "data.0.to") != "signer1@signer.example" {
			t.Errorf("the message that was awaited: %s", mail.Body)
		}
	})
	c.Post(t, "/documents/"+d.Text(t, "id")+"/send", obj{}).Want(t, 200)
	asked.Wait()

	for query, total := range map[string]int{
		"": 1, "&kind=invitation": 1, "&kind=reminder": 0, "&to=signer1@signer.example": 1, "&to=somebody@else.example": 0,
		"&document=" + d.Text(t, "id"): 1, "&document=01K8XN2V7Q3J5T9B4C6D8E0F1G": 0, "&kind=reminder&wait=1ms": 0,
	} {
		if mail := c.Get(t, "/test/outbox?company="+c.CompanyID+query).Want(t, 200); mail.Int(t, "meta.total") != total {
			t.Errorf("%q finds %d messages, want %d: %s", query, mail.Int(t, "meta.total"), total, mail.Body)
		}
	}
	failed(t, c.Get(t, "/test/outbox?wait=long"), 422, "wait")
	failed(t, c.Get(t, "/test/outbox?wait=2h"), 422, "wait")
}
