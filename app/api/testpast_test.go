package api_test

import (
	"sync"
	"testing"

	"paraph/app/apptest"
)

// busy changes all that a company has, and returns one of its documents.
func busy(t testing.TB, c *apptest.Client) string {
	t.Helper()
	d := sent(t, c, 1, obj{"external_id": "busy"})
	c.Post(t, "/contacts", obj{"name": "Carla", "email": "carla@contact.example"}).Want(t, 201)
	c.Post(t, "/webhooks", obj{"url": "https://hooks.example/", "events": list{"document.voided"}}).Want(t, 201)
	c.Patch(t, "/company", obj{"name": "Changed"}).Want(t, 200)
	c.Post(t, "/test/faults", obj{"path": "/nowhere", "status": 503}).Want(t, 201)
	return d.Text(t, "id")
}

// holds checks how much of each kind a company has.
func holds(t testing.TB, c *apptest.Client, when string, documents, contacts, webhooks, faults int, name string) {
	t.Helper()
	for path, want := range map[string]int{
		"/documents": documents, "/documents?external_id=busy": documents, "/contacts": contacts, "/test/outbox?kind=invitation": documents,
	} {
		if got := c.Get(t, path).Want(t, 200); got.Int(t, "meta.total") != want {
			t.Errorf("%s: %s has %d, want %d", when, path, got.Int(t, "meta.total"), want)
		}
	}
	for path, want := range map[string]int{"/webhooks": webhooks, "/test/faults": faults} {
		if got := c.Get(t, path).Want(t, 200); len(got.Texts(t, "data", "id")) != want {
			t.Errorf("%s: %s has %s, want %d", when, path, got.Body, want)
		}
	}
	if got := c.Get(t, "/company").Want(t, 200).Text(t, "name"); got != name {
		t.Errorf("%s: the company is called %q", when, got)
	}
}

// TestTogetherCompaniesAreReset resets companies by their tokens while others go on.
func TestTogetherCompaniesAreReset(t *testing.T) {
	t.Parallel()
	other := testCompany(t, obj{"name": "Case"})
	busy(t, other)
	var cases sync.WaitGroup
	for range 4 {
		cases.Go(func() {
			c := testCompany(t, obj{"name": "Case"})
			holds(t, c, "at first", 0, 0, 0, 0, "Case")
			for range 2 {
				id := busy(t, c)
				c.Post(t, "/test/documents/"+id+"/sign", obj{}).Want(t, 200)
				c.Post(t, "/test/clock", obj{"advance": "400d"}).Want(t, 200)
				holds(t, c, "in use", 1, 2, 1, 1, "Changed")
				if got := c.Post(t, "/test/reset", nil).Want(t, 200); got.Text(t, "message") == "" {
					t.Errorf("a reset answers %s", got.Body)
				}
				holds(t, c, "reset", 0, 0, 0, 0, "Case")
				if events := c.Get(t, "/events").Want(t, 200).Texts(t, "data", "type"); len(events) != 0 {
					t.Errorf("after a reset there are events %v", events)
				}
				failed(t, c.Get(t, "/documents/"+id), 404)
				here, server := c.Get(t, "/test/clock").Text(t, "now"), c.Anonymous().Get(t, "/test/clock").Text(t, "now")
				if at(t, here).Sub(at(t, server)).Abs().Hours() > 1 {
					t.Errorf("after a reset the clock shows %s, the server's %s", here, server)
				}
			}
		})
	}
	cases.Wait()
	holds(t, other, "besides", 1, 2, 1, 1, "Changed")
	failed(t, other.Post(t, "/test/reset", obj{"company": "01K8XN2V7Q3J5T9B4C6D8E0F1G"}), 404)
}

// TestTogetherSnapshots goes back to a document that waits for its signature, again and again.
func TestTogetherSnapshots(t *testing.T) {
	t.Parallel()
	c := testCompany(t, obj{"name": "Case"})
	empty := c.Post(t, "/test/snapshots", obj{}).Want(t, 201).Text(t, "id")
	id := busy(t, c)
	c.Post(t, "/test/clock", obj{"advance": "7d"}).Want(t, 200)
	waits := c.Post(t, "/test/snapshots", obj{}).Want(t, 201)
	if waits.Text(t, "company") != c.CompanyID {
		t.Errorf("the snapshot is of %s", waits.Body)
	}
	now := c.Get(t, "/test/clock").Text(t, "now")
	restore := "/test/snapshots/" + waits.Text(t, "id") + "/restore"
	for _, act := range []obj{{}, {"decline": true}, {}} {
		c.Post(t, "/test/documents/"+id+"/sign", act).Want(t, 200)
		c.Post(t, "/test/clock", obj{"advance": "100d"}).Want(t, 200)
		d := c.Get(t, "/documents/"+id).Want(t, 200)
		if (d.Text(t, "status") == "completed") != (act["decline"] == nil) {
			t.Errorf("after %v the document is %s", act, d.Text(t, "status"))
		}
		c.Post(t, restore, nil).Want(t, 200)
		holds(t, c, "restored", 1, 2, 1, 1, "Changed")
		if got := c.Get(t, "/documents/"+id).Want(t, 200).Text(t, "status"); got != "sent" {
			t.Errorf("after going back the document is %s", got)
		}
		if moved := at(t, c.Get(t, "/test/clock").Text(t, "now")).Sub(at(t, now)).Hours(); moved > 1 || moved < -1 {
			t.Errorf("after going back the clock is %v hours off", moved)
		}
	}
	// What is signed after going back has the history of that document alone.
	c.Post(t, "/test/documents/"+id+"/sign", obj{}).Want(t, 200)
	signed := 0
	for _, kind := range c.Get(t, "/documents/"+id+"/events?per_page=100").Want(t, 200).Texts(t, "data", "type") {
		if kind == "invitation.signed" {
			signed++
		}
	}
	if signed != 1 {
		t.Errorf("the history has %d signatures", signed)
	}
	failed(t, testCompany(t, obj{}).Post(t, restore, nil), 404)
	c.Post(t, "/test/snapshots/"+empty+"/restore", nil).Want(t, 200)
	if n := c.Get(t, "/documents").Want(t, 200).Int(t, "meta.total"); n != 0 {
		t.Errorf("before everything there were %d documents", n)
	}
	failed(t, c.Post(t, restore, nil), 404) // it was made later
}

// TestGoingBackWithEverything resets and restores a whole test double, with an index that follows.
func TestGoingBackWithEverything(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	nobody := s.Anonymous()
	c := s.Company(t)
	first := draft(t, c, 1, obj{"external_id": "first"})
	before := nobody.Post(t, "/test/snapshots", obj{}).Want(t, 201)
	if before.At(t, "company") != nil {
		t.Errorf("the snapshot is %s", before.Body)
	}
	found := func(query string) int { return c.Get(t, "/documents?"+query).Want(t, 200).Int(t, "meta.total") }
	for range 2 {
		draft(t, c, 1, obj{"external_id": "second"})
		c.Patch(t, "/documents/"+first.Text(t, "id"), obj{"external_id": "changed"}).Want(t, 200)
		if found("external_id=first") != 0 || found("external_id=second") != 1 {
			t.Error("the index lags")
		}
		nobody.Post(t, "/test/clock", obj{"advance": "3d"}).Want(t, 200)
		nobody.Post(t, "/test/snapshots/"+before.Text(t, "id")+"/restore", nil).Want(t, 200)
		if found("external_id=first") != 1 || found("external_id=second") != 0 || found("external_id=changed") != 0 || found("") != 1 {
			t.Error("the index did not go back")
		}
	}
	nobody.Post(t, "/test/reset", nil).Want(t, 200)
	failed(t, c.Get(t, "/documents"), 401)
	failed(t, nobody.Post(t, "/test/snapshots/"+before.Text(t, "id")+"/restore", nil), 404)
}
