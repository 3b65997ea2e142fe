package api_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

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

// TestTogetherCompaniesHaveTheirOwnTime moves the clocks of two companies apart: in one a document
// is reminded of twice and expires, in the other nothing happens, and nobody is logged out.
func TestTogetherCompaniesHaveTheirOwnTime(t *testing.T) {
	t.Parallel()
	c, other := testCompany(t, obj{}), testCompany(t, obj{})
	before := c.Get(t, "/test/clock").Want(t, 200).Text(t, "now")
	in := func(days int) string { return at(t, before).AddDate(0, 0, days).Format(time.RFC3339) }
	terms := obj{"expires_at": in(50), "remind_every_days": 20}
	mine, theirs := sent(t, c, 1, terms), sent(t, other, 1, terms)
	moved := c.Post(t, "/test/clock", obj{"company": c.CompanyID, "advance": "400d"}).Want(t, 200)
	if days := at(t, moved.Text(t, "now")).Sub(at(t, before)).Hours() / 24; days < 399 || days > 401 {
		t.Errorf("the clock moved by %v days", days)
	}
	if now := other.Get(t, "/test/clock?company="+other.CompanyID).Want(t, 200).Text(t, "now"); at(t, now).Sub(at(t, before)) > time.Hour {
		t.Errorf("the other company's clock shows %s", now)
	}
	d := c.Get(t, "/documents/"+mine.Text(t, "id")).Want(t, 200)
	if got := at(t, d.Text(t, "expired_at")).Sub(at(t, in(50))).Abs(); d.Text(t, "status") != "expired" || got > time.Hour {
		t.Errorf("the document expired %v off its deadline: %s", got, d.Body)
	}
	var reminded []int
	events := c.Get(t, "/documents/"+d.Text(t, "id")+"/events?per_page=100").Want(t, 200)
	times := events.Texts(t, "data", "at")
	for i, kind := range events.Texts(t, "data", "type") {
		if kind == "invitation.reminded" {
			reminded = append(reminded, int(at(t, times[i]).Sub(at(t, before)).Hours()/24))
		}
	}
	slices.Sort(reminded)
	if !slices.Equal(reminded, []int{20, 40}) {
		t.Errorf("it was reminded of after %v days", reminded)
	}
	if mail := c.Get(t, "/test/outbox?kind=reminder&company="+c.CompanyID).Want(t, 200); mail.Int(t, "meta.total") != 2 {
		t.Errorf("the reminders are %s", mail.Body)
	}
	if d := other.Get(t, "/documents/"+theirs.Text(t, "id")).Want(t, 200); d.Text(t, "status") != "sent" {
		t.Errorf("the other company's document is %s", d.Text(t, "status"))
	}
	if mail := c.Get(t, "/test/outbox?kind=reminder&company="+other.CompanyID).Want(t, 200); mail.Int(t, "meta.total") != 0 {
		t.Errorf("the other company's reminders are %s", mail.Body)
	}

	// What is signed at that time is dated then, and verifies.
	late := sent(t, c, 1, obj{})
	c.Post(t, "/test/documents/"+late.Text(t, "id")+"/sign", obj{}).Want(t, 200)
	done := c.Get(t, "/documents/"+late.Text(t, "id")).Want(t, 200)
	if at(t, done.Text(t, "completed_at")).Before(at(t, in(399))) {
		t.Errorf("completed at %s", done.Text(t, "completed_at"))
	}
	c.Post(t, "/test/clock", obj{"company": c.CompanyID, "reset": true}).Want(t, 200)
	if now := c.Get(t, "/test/clock?company="+c.CompanyID).Text(t, "now"); at(t, now).Sub(at(t, before)) > time.Hour {
		t.Errorf("after a reset the clock shows %s", now)
	}
	failed(t, c.Post(t, "/test/clock", obj{"company": "01K8XN2V7Q3J5T9B4C6D8E0F1G", "advance": "1d"}), 404)
}

// at parses a time of the API.
func at(t testing.TB, text string) time.Time {
	t.Helper()
	when, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return when
}
