package api_test

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/pquerna/otp/totp"

	"paraph/app"
	"paraph/app/apptest"
	"paraph/app/apptest/patience"
	"paraph/kv"
)

// answered is a stored response to a keyed request.
var answered = kv.NewCollection("responses", kv.JSON[map[string]any]())

// killed turns the newest stored responses into what a process leaves that is killed between the
// work and the response. It returns how many there are.
func killed(t *testing.T, c *apptest.Client) (works int) {
	t.Helper()
	err := c.DB().Update(func(tx *kv.Tx) error {
		return answered.Each(tx, "", nil, func(key string, a map[string]any) (bool, error) {
			if a["about"] != nil {
				works++
			}
			delete(a, "body")
			a["status"] = 0
			return true, answered.Put(tx, key, a)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return works
}

// TestKeyedWorkIsDoneOnceThoughTheProcessDies repeats each request after its
// response was lost, and expects the first response and no second effect.
func TestKeyedWorkIsDoneOnceThoughTheProcessDies(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	draft := c.Post(t, "/documents", obj{"title": "A"}).Want(t, 201).Text(t, "id")
	at := "/documents/" + draft
	contact := c.Post(t, "/contacts", obj{"name": "Ann", "email": "ann@example.org"}).Want(t, 201).Text(t, "id")
	hook := "/webhooks/" + c.Post(t, "/webhooks", obj{"url": "https://hooks.example/y"}).Want(t, 201).Text(t, "id")
	delivery := c.Post(t, hook+"/test", nil).Want(t, 200).Text(t, "id")
	twoFactor(t, c)
	page := base64.StdEncoding.EncodeToString(apptest.PDF(t, "One."))
	for i, x := range []struct {
		path string
		body any
	}{
		{"/documents", obj{"title": "B"}}, {at + "/duplicate", nil},
		{at + "/invite", obj{"invitations": list{obj{"name": "Ben", "email": "ben@example.org"}}}},
		{at + "/upload", obj{"files": list{obj{"name": "a.pdf", "content": page}}}},
		{"/documents", obj{"title": "C", "send": true, "invitations": list{obj{"name": "Ben", "email": "ben@example.org"}},
			"files": list{obj{"name": "a.pdf", "content": page}}}},
		{at + "/send", nil}, {at + "/void", obj{"reason": "Over."}}, {at + "/archive", nil}, {at + "/restore", nil},
		{"/saved-fields", obj{"name": "Town", "field": obj{"type": "text", "width": .3, "height": .03}}},
		{"/contacts", obj{"name": "Cid", "email": "cid@example.org"}}, {"/contacts/" + contact + "/archive", nil},
		{"/tokens", obj{"name": "T", "scopes": list{"read"}}},
		{"/members", obj{"name": "Dan", "email": "dan@company.example", "role": "member"}},
		{"/webhooks", obj{"url": "https://hooks.example/x"}},
		{"/contacts/import", apptest.Raw{Type: "text/csv", Body: []byte("name,email\nEva,eva@example.org\nAnna,ann@example.org\nNobody,none\n")}},
		{hook + "/test", nil}, {hook + "/deliveries/" + delivery + "/redeliver", nil}, {hook + "/redeliver", nil},
		{"/me/recovery-codes", obj{"password": apptest.Password}},
	} {
		key := []string{"Idempotency-Key", "key " + string(rune('a'+i))}
		first := c.Post(t, x.path, x.body, key...)
		if first.Status >= 300 {
			t.Errorf("POST %s: %d %s", x.path, first.Status, first.Body)
			continue
		}
		before := c.Get(t, "/events?per_page=200").Want(t, 200)
		if works := killed(t, c); works != i+1 {
			t.Errorf("POST %s is not recorded with its work: %d of %d are", x.path, works, i+1)
		}
		again := c.Post(t, x.path, x.body, key...).Want(t, first.Status)
		same := sameAnswer(t, first, again)
		if strings.Contains(x.path, delivery) { // it may have been attempted in between
			same = first.Text(t, "id") == again.Text(t, "id")
		}
		if again.Header.Get("Idempotency-Replayed") != "true" || !same {
			t.Errorf("POST %s again:\n%s\n%s", x.path, first.Body, again.Body)
		}
		if after := c.Get(t, "/events?limit=200").Want(t, 200); !sameAnswer(t, before, after) {
			t.Errorf("POST %s again did something", x.path)
		}
	}
}

// twoFactor enables two-step login.
func twoFactor(t *testing.T, c *apptest.Client) {
	t.Helper()
	code, err := totp.GenerateCode(c.Post(t, "/me/two-factor", nil).Want(t, 200).Text(t, "secret"), c.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	c.Post(t, "/me/two-factor", obj{"code": code}).Want(t, 200)
}

// TestAnImportGoesOnWhereItEnded repeats an import whose process was killed after the
// first of several batches.
func TestAnImportGoesOnWhereItEnded(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	var file strings.Builder
	file.WriteString("email\nnobody\n")
	for i := range 500 {
		fmt.Fprintf(&file, "person%d@example.org\n", i)
	}
	body, key := apptest.Raw{Type: "text/csv", Body: []byte(file.String())}, []string{"Idempotency-Key", "import"}
	first := c.Post(t, "/contacts/import", body, key...).Want(t, 200)
	if first.Int(t, "created") != 500 || len(first.At(t, "faults").(list)) != 1 {
		t.Fatalf("the import is %s", first.Body)
	}
	killed(t, c)
	err := c.DB().Update(func(tx *kv.Tx) error {
		return answered.Each(tx, "", nil, func(key string, a map[string]any) (bool, error) {
			a["about"] = []string{`{"Next": 101, "Created": 100, "Updated": 0}`}
			return true, answered.Put(tx, key, a)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, email := range []string{"person100@example.org", "person499@example.org"} { // as if the rest had not been imported
		id := c.Get(t, "/contacts?search="+email).Want(t, 200).Text(t, "data.0.id")
		c.Patch(t, "/contacts/"+id, obj{"email": "former." + email}).Want(t, 200)
	}
	c.Post(t, "/contacts/import", body, key...).Want(t, 200)
	again := c.Post(t, "/contacts/import", body, key...).Want(t, 200)
	if again.Int(t, "created") != 102 || again.Int(t, "updated") != 398 || !reflect.DeepEqual(first.At(t, "faults"), again.At(t, "faults")) {
		t.Errorf("after the rest: %s", again.Body)
	}
	if n := c.Get(t, "/contacts").Int(t, "meta.total"); n != 502 {
		t.Errorf("there are %d contacts", n)
	}
}

// TestKeyedMessagesAreQueuedOnce retries and cancels a message that the mail server defers.
func TestKeyedMessagesAreQueuedOnce(t *testing.T) {
	t.Parallel()
	c := apptest.New(t, func(o *app.Config) {
		o.Mail.Host, o.Mail.Port, o.Mail.TLS, o.Network.Egress = "127.0.0.1", 1, "none", []string{"127.0.0.1"} // nothing listens there
	}).Company(t)
	sent(t, c, 1)
	patience.Until(t, "the message was tried", func() (string, bool) {
		r := c.Get(t, "/outbox").Want(t, 200)
		return string(r.Body), r.Int(t, "meta.total") == 1 && r.Int(t, "data.0.attempts") > 0
	})
	at := "/outbox/" + c.Get(t, "/outbox").Want(t, 200).Text(t, "data.0.id")
	for i, step := range []string{"/cancel", "/retry"} {
		key := []string{"Idempotency-Key", step}
		var first *apptest.Response
		patience.Until(t, "the attempt has ended", func() (string, bool) {
			first = c.Post(t, at+step, nil, key...)
			return string(first.Body), first.Status == 200
		})
		if works := killed(t, c); works != i+1 {
			t.Errorf("%s is not recorded with its work", step)
		}
		again := c.Post(t, at+step, nil, key...).Want(t, 200)
		if again.Header.Get("Idempotency-Replayed") != "true" || again.Text(t, "id") != first.Text(t, "id") || step == "/cancel" && again.Text(t, "status") != "cancelled" {
			t.Errorf("%s again: %s", step, again.Body)
		}
	}
}

// sameAnswer compares two responses except for secrets, which are returned only once.
func sameAnswer(t *testing.T, a, b *apptest.Response) bool {
	t.Helper()
	var x, y map[string]any
	a.Decode(t, &x)
	b.Decode(t, &y)
	for _, m := range []map[string]any{x, y} {
		for name := range m {
			if strings.Contains(name, "token") || strings.Contains(name, "secret") || name == "recovery_codes" {
				delete(m, name)
			}
		}
	}
	return reflect.DeepEqual(x, y)
}
