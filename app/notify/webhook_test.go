package notify_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/apptest/domain"
	"paraph/app/fault"
	"paraph/app/notify"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/signing/trail"
	"paraph/app/webhook"
	"paraph/kv"
)

// receiver is a program that webhooks post to.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	got    []request
}

type request struct {
	id, signatures, body string
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{status: http.StatusNoContent}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		body := make([]byte, in.ContentLength)
		if _, err := in.Body.Read(body); err != nil && len(body) == 0 {
			t.Error(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got = append(r.got, request{in.Header.Get("Webhook-Id"), in.Header.Get("Webhook-Signature"), string(body)})
		w.WriteHeader(r.status)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

func (r *receiver) requests() []request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// posting is a company with webhooks, and the receiver of those that a test makes.
type posting struct {
	situation
	hooks
	to *receiver
}

// hooks is embedded so that the options of the service stay behind those of the
// situation.
type hooks struct{ *notify.Webhooks }

func newPosting(t *testing.T, change ...func(*notify.WebhookOptions)) posting {
	t.Helper()
	s := newSituation(t, domain.Options{})
	o := notify.WebhookOptions{
		DB: s.DB, Jobs: s.Jobs, Store: s.Signing.Store, Trail: s.Signing.Trail, Key: s.Key, NewID: s.NewID, Attempts: 3, Days: 30, Now: s.Now,
		Client: webhook.NewClient(webhook.Options{Timeout: time.Minute, AllowPrivate: true, Allows: func(string) bool { return true }}),
		Body: func(e trail.FeedEvent) (string, error) {
			return string(e.Entry.Value.Type) + " " + e.Entry.Value.Document, nil
		},
		TestBody: func(id string, _ time.Time) (string, error) { return "test of " + id, nil },
	}
	for _, c := range change {
		c(&o)
	}
	return posting{s, hooks{notify.NewWebhooks(o)}, newReceiver(t)}
}

func (p posting) hook(t *testing.T, events ...string) notify.Webhook {
	t.Helper()
	return must[notify.Webhook](t)(p.CreateWebhook(p.owner, notify.WebhookInput{URL: &p.to.URL, Events: &events}))
}

// work records and posts the deliveries that are due.
func (p posting) work(t *testing.T) {
	t.Helper()
	if err := p.Webhooks.CaughtUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.Work(t, p.Webhooks.Handlers()...)
}

// deliveriesOf lists the deliveries of a webhook, oldest first.
func (p posting) deliveriesOf(t *testing.T, w notify.Webhook) []notify.Delivery {
	t.Helper()
	page, err := p.ListDeliveries(p.owner, w.ID, notify.DeliveryQuery{Limit: 1000, Ascending: true})
	if err != nil {
		t.Fatal(err)
	}
	return page.Items
}

func (p posting) now(t *testing.T, w notify.Webhook) notify.Webhook {
	t.Helper()
	return must[notify.Webhook](t)(p.GetWebhook(p.owner, w.ID))
}

func (p posting) enable(t *testing.T, w notify.Webhook, enabled bool) notify.Webhook {
	t.Helper()
	return must[notify.Webhook](t)(p.UpdateWebhook(p.owner, w.ID, notify.WebhookInput{Enabled: &enabled}))
}

// happen makes one event: a document is created, archived, or restored.
func (p posting) happen(t *testing.T) *record.Document {
	t.Helper()
	return must[*record.Document](t)(p.Signing.Drafts.Create(t.Context(), p.owner, signing.CreateInput{DocumentInput: record.DocumentInput{Title: new("T")}}))
}

func TestANewWebhook(t *testing.T) {
	t.Parallel()
	p := newPosting(t)
	w := must[notify.Webhook](t)(p.CreateWebhook(p.owner, notify.WebhookInput{URL: new(" https://r.example/x ")}))
	if w.ID == "" || w.URL != "https://r.example/x" || !slices.Equal(w.Events, []string{"*"}) || !w.Enabled || w.Gone || w.Generation != 1 || !w.CreatedAt.Equal(p.Now()) || !w.UpdatedAt.Equal(p.Now()) || w.Company != p.owner.CompanyID {
		t.Errorf("%+v", w)
	}
	if key, found := strings.CutPrefix(w.Secret, webhook.SecretPrefix); !found || len(must[[]byte](t)(base64.StdEncoding.DecodeString(key))) != 32 {
		t.Errorf("the secret is %q", w.Secret)
	}
	if again := p.now(t, w); again.Secret != "" || again.URL != w.URL {
		t.Errorf("read again: %+v", again)
	}
	p.Advance(time.Minute)
	changed := must[notify.Webhook](t)(p.UpdateWebhook(p.admin, w.ID, notify.WebhookInput{Events: &[]string{"document.voided", "document.sent"}}))
	if !slices.Equal(changed.Events, []string{"document.sent", "document.voided"}) || changed.URL != w.URL || !changed.Enabled || changed.Secret != "" || !changed.UpdatedAt.Equal(p.Now()) || !changed.CreatedAt.Equal(w.CreatedAt) {
		t.Errorf("changed: %+v", changed)
	}
	other := p.hook(t)
	if list, err := p.ListWebhooks(p.owner); err != nil || len(list) != 2 || list[0].ID != w.ID || list[1].ID != other.ID || other.Secret == w.Secret {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestWebhookAddresses(t *testing.T) {
	t.Parallel()
	p := newPosting(t, func(o *notify.WebhookOptions) {
		o.Client = webhook.NewClient(webhook.Options{Allows: func(string) bool { return true }})
	})
	for address, want := range map[string]string{
		"": "url required", "  ": "url required",
		"https://r.example/" + strings.Repeat("x", 2000-18): "",
		"https://r.example/" + strings.Repeat("x", 2001-18): "url too_long",
		"http://r.example":           "",
		"HTTPS://r.example":          "",
		"ftp://r.example":            "url not_a_full_address",
		"r.example":                  "url not_a_full_address",
		"https://":                   "url not_a_full_address",
		"https://:80":                "url not_a_full_address",
		"https://r.example/a b":      "url not_a_full_address",
		"https://r.example/a\x7f":    "url not_a_full_address",
		"https://r.example/%zz":      "url not_a_full_address",
		"https://u:p@r.example":      "url credentials_in_address",
		"https://127.0.0.1":          "url private_address",
		"https://localhost/x":        "url private_address",
		"https://[fd00::1]/":         "url private_address",
		"https://r.example:8443/a?b": "",
	} {
		_, err := p.CreateWebhook(p.owner, notify.WebhookInput{URL: &address})
		if got := domain.Refusal(err); got != want {
			t.Errorf("%.60q: got %q, want %q", address, got, want)
		}
	}
}

func TestWebhookEvents(t *testing.T) {
	t.Parallel()
	p := newPosting(t)
	for _, c := range []struct {
		given, want []string
		refusal     string
	}{
		{nil, []string{"*"}, ""},
		{[]string{"document.sent", "*"}, []string{"*"}, ""},
		{[]string{"document.sent", "document.created", "document.sent"}, []string{"document.created", "document.sent"}, ""},
		{[]string{"document.sent", "nonsense"}, nil, "events.1 not_selectable"},
	} {
		w, err := p.CreateWebhook(p.owner, notify.WebhookInput{URL: &p.to.URL, Events: &c.given})
		if domain.Refusal(err) != c.refusal || !slices.Equal(w.Events, c.want) {
			t.Errorf("%q: got %q, %v", c.given, w.Events, err)
		}
	}
}

func TestWebhooksAreForAdministratorsOfTheCompany(t *testing.T) {
	t.Parallel()
	p := newPosting(t)
	w := p.hook(t)
	p.happen(t)
	p.work(t)
	d := p.deliveriesOf(t, w)[0]
	sent := send(anyOrder, "a")(t, p.situation, nil)
	for _, c := range []struct {
		name       string
		who        account.Call
		list, find string
	}{
		{"admin", p.admin, "", ""},
		{"approver", p.approver, "role_not_allowed", "role_not_allowed"},
		{"signatory", p.Signatory(t, sent, "a@x.example"), "signatory_not_allowed", "signatory_not_allowed"},
		{"owner of another company", p.Company(t), "", "not_found.webhook"},
	} {
		ctx := t.Context()
		finds := map[string]func() error{
			"get":              func() error { _, err := p.GetWebhook(c.who, w.ID); return err },
			"update":           func() error { _, err := p.UpdateWebhook(c.who, w.ID, notify.WebhookInput{}); return err },
			"rotate":           func() error { _, err := p.RotateSecret(c.who, w.ID); return err },
			"deliveries":       func() error { _, err := p.ListDeliveries(c.who, w.ID, notify.DeliveryQuery{}); return err },
			"delivery":         func() error { _, err := p.GetDelivery(c.who, w.ID, d.ID); return err },
			"redeliver":        func() error { _, err := p.Redeliver(c.who, w.ID, d.ID); return err },
			"redeliver failed": func() error { _, err := p.RedeliverFailed(ctx, c.who, w.ID); return err },
			"test":             func() error { _, err := p.TestWebhook(ctx, c.who, w.ID); return err },
			"delete":           func() error { return p.DeleteWebhook(ctx, c.who, w.ID) },
		}
		if c.find == "" {
			delete(finds, "delete")
		}
		for what, do := range finds {
			if got := domain.Refusal(do()); got != c.find {
				t.Errorf("%s, %s: got %q, want %q", c.name, what, got, c.find)
			}
		}
		all, err := p.ListWebhooks(c.who)
		if domain.Refusal(err) != c.list || (len(all) > 0) != (c.find == "") {
			t.Errorf("%s lists %d, %v", c.name, len(all), err)
		}
		if _, err := p.CreateWebhook(c.who, notify.WebhookInput{URL: &p.to.URL}); domain.Refusal(err) != c.list {
			t.Errorf("%s creates: %v", c.name, err)
		}
	}
}

func TestACompanyHasTwentyWebhooks(t *testing.T) {
	t.Parallel()
	p := newPosting(t)
	for range 20 {
		p.hook(t)
	}
	if _, err := p.CreateWebhook(p.owner, notify.WebhookInput{URL: &p.to.URL}); domain.Refusal(err) != "too_many_webhooks" {
		t.Error(err)
	}
	if _, err := p.CreateWebhook(p.Company(t), notify.WebhookInput{URL: &p.to.URL}); err != nil {
		t.Error(err)
	}
}

func TestAnEventIsPostedToThoseWhoWantIt(t *testing.T) {
	t.Parallel()
	p := newPosting(t)
	p.happen(t) // before there is any webhook
	all, some, paused := p.hook(t), p.hook(t, "document.deleted"), p.hook(t)
	p.enable(t, paused, false)
	foreign := must[notify.Webhook](t)(p.CreateWebhook(p.Company(t), notify.WebhookInput{URL: &p.to.URL}))
	d := p.happen(t)
	must[*record.Document](t)(p.Signing.Sending.Delete(p.owner, d.ID))
	p.work(t)
	for _, c := range []struct {
		w    notify.Webhook
		want []string
	}{{all, []string{"document.created", "document.deleted"}}, {some, []string{"document.deleted"}}, {paused, nil}} {
		var got []string
		for _, x := range p.deliveriesOf(t, c.w) {
			got = append(got, x.Type)
			if x.Status != notify.DeliveryDelivered || x.Attempts != 1 || len(x.Tries) != 1 || x.Last().Status != 204 || x.Next != nil || x.Document != d.ID ||
				x.Company != d.Company || x.Webhook != c.w.ID || x.Body != x.Type+" "+d.ID || !x.CreatedAt.Equal(p.Now()) || x.Headers["Webhook-Id"] != x.Event || x.Answer.Status != 204 || x.Last().Error != "" || !x.Last().At.Equal(p.Now()) {
				t.Errorf("%+v", x)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("delivered %q, want %q", got, c.want)
		}
	}
	p.work(t)
	bodies := map[string]int{}
	for _, r := range p.to.requests() {
		bodies[r.body]++
	}
	if len(bodies) != 2 || bodies["document.created "+d.ID] != 1 || bodies["document.deleted "+d.ID] != 2 {
		t.Errorf("posted %v", bodies)
	}
	if w := p.now(t, all); w.FailingSince != nil {
		t.Errorf("failing since %v", w.FailingSince)
	}
	if foreign.Company == p.owner.CompanyID {
		t.Error("the other company is the same")
	}
}

func TestEventsDuringAPauseAreNotDelivered(t *testing.T) {
	t.Parallel()
	p := newPosting(t)
	w := p.hook(t)
	p.to.answer(500)
	first := p.happen(t)
	p.work(t)
	p.enable(t, w, false)
	p.Advance(time.Hour)
	p.happen(t)
	p.work(t)
	if n := len(p.to.requests()); n != 1 {
		t.Errorf("%d requests while it was paused", n-1)
	}
	p.to.answer(200)
	p.enable(t, w, true)
	last := p.happen(t)
	p.work(t)
	var got []string
	for _, d := range p.deliveriesOf(t, w) {
		got = append(got, d.Document+" "+d.Status)
	}
	if want := []string{first.ID + " delivered", last.ID + " delivered"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAFailedDeliveryIsTriedAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		statuses []int // of the answers
		want     string
		attempts int
	}{
		{[]int{200}, notify.DeliveryDelivered, 1},
		{[]int{299}, notify.DeliveryDelivered, 1},
		{[]int{300, 200}, notify.DeliveryDelivered, 2},
		{[]int{500, 404, 200}, notify.DeliveryDelivered, 3},
		{[]int{500, 500, 500, 200}, notify.DeliveryFailed, 3},
		{[]int{410, 200}, notify.DeliveryFailed, 1},
	} {
		t.Run(fmt.Sprint(c.statuses), func(t *testing.T) {
			t.Parallel()
			p := newPosting(t)
			w := p.hook(t)
			p.happen(t)
			for i, status := range c.statuses {
				p.to.answer(status)
				p.work(t)
				p.work(t) // nothing is due
				d := p.deliveriesOf(t, w)[0]
				if want := min(i+1, c.attempts); d.Attempts != want || len(d.Tries) != want || len(p.to.requests()) != want {
					t.Fatalf("after answer %d: %d attempts, %d requests, want %d", i+1, d.Attempts, len(p.to.requests()), want)
				}
				p.Advance(80 * time.Second) // longer than the pauses after the first two attempts
			}
			d := p.deliveriesOf(t, w)[0]
			if d.Status != c.want || d.Next != nil || d.Last().Status != c.statuses[c.attempts-1] {
				t.Errorf("%+v", d)
			}
			for _, r := range p.to.requests() {
				if r.id != d.Event {
					t.Errorf("the receiver sees %q, want %q each time", r.id, d.Event)
				}
			}
			gone := c.statuses[0] == 410
			if now := p.now(t, w); now.Gone != gone || now.Enabled == gone || (now.FailingSince == nil) != (c.want == notify.DeliveryDelivered) {
				t.Errorf("%+v", now)
			}
		})
	}
}

func TestPausesBetweenAttemptsGrow(t *testing.T) {
	t.Parallel()
	p := newPosting(t, func(o *notify.WebhookOptions) { o.Attempts = 100 })
	w := p.hook(t)
	p.to.answer(500)
	p.happen(t)
	pauses := []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour,
		12 * time.Hour, 20 * time.Hour, 24 * time.Hour, 24 * time.Hour, 24 * time.Hour}
	for len(pauses) < 32 {
		pauses = append(pauses, 24*time.Hour)
	}
	for i, pause := range pauses {
		p.work(t)
		d := p.deliveriesOf(t, w)[0]
		if d.Attempts != i+1 || d.Status != notify.DeliveryWaiting || d.Next == nil || len(d.Tries) != min(i+1, 30) {
			t.Fatalf("after attempt %d: %+v", i+1, d)
		}
		if wait := d.Next.Sub(p.Now()); wait < pause || wait > pause+pause/10 {
			t.Errorf("attempt %d is followed by a pause of %v, want %v and at most a tenth more", i+1, wait, pause)
		}
		p.Advance(d.Next.Sub(p.Now()) + time.Millisecond)
	}
}

func TestADeliveryIsPostedAgainOnRequest(t *testing.T) {
	t.Parallel()
	p := newPosting(t, func(o *notify.WebhookOptions) { o.Attempts = 1 })
	w, other := p.hook(t), p.hook(t, "document.voided")
	p.to.answer(500)
	p.happen(t)
	p.work(t)
	d := p.deliveriesOf(t, w)[0]
	if d.Status != notify.DeliveryFailed {
		t.Fatalf("%+v", d)
	}
	p.to.answer(200)
	again := must[notify.Delivery](t)(p.Redeliver(p.owner, w.ID, d.ID))
	if again.Status != notify.DeliveryWaiting || again.Attempts != 0 || again.Next == nil || again.Event != d.Event {
		t.Errorf("%+v", again)
	}
	p.work(t)
	if now := p.deliveriesOf(t, w)[0]; now.Status != notify.DeliveryDelivered || now.Attempts != 1 || len(now.Tries) != 2 || len(p.to.requests()) != 2 {
		t.Errorf("%+v", now)
	}
	for id, want := range map[string]string{other.ID: "not_found.delivery", "none": "not_found.webhook"} {
		if _, err := p.Redeliver(p.owner, id, d.ID); domain.Refusal(err) != want {
			t.Error(err)
		}
		if _, err := p.GetDelivery(p.owner, id, d.ID); domain.Refusal(err) != want {
			t.Error(err)
		}
	}
	if _, err := p.GetDelivery(p.owner, w.ID, "none"); domain.Refusal(err) != "not_found.delivery" {
		t.Error(err)
	}
	p.enable(t, w, false)
	if _, err := p.Redeliver(p.owner, w.ID, d.ID); domain.Refusal(err) != "webhook_paused" {
		t.Error(err)
	}
	if _, err := p.RedeliverFailed(t.Context(), p.owner, w.ID); domain.Refusal(err) != "webhook_paused" {
		t.Error(err)
	}
}

// put stores finished deliveries of a webhook.
func (p posting) put(t *testing.T, w notify.Webhook, n int, status string) {
	t.Helper()
	for n > 0 {
		if err := p.DB.Update(func(tx *kv.Tx) error {
			for range min(n, 1000) {
				d := notify.Delivery{ID: p.NewID().String(), Company: w.Company, Webhook: w.ID, Event: "E", Type: "document.sent", Body: "B", Status: status, CreatedAt: p.Now()}
				if err := notify.PutDelivery(tx, d); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		n -= 1000
	}
}

func TestAllFailedDeliveriesArePostedAgain(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 50, 51} {
		p := newPosting(t)
		w, other := p.hook(t), p.hook(t)
		p.put(t, w, n, notify.DeliveryFailed)
		p.put(t, w, 1, notify.DeliveryDelivered)
		p.put(t, other, 1, notify.DeliveryFailed)
		got, err := p.RedeliverFailed(t.Context(), p.owner, w.ID)
		if err != nil || got != n {
			t.Errorf("%d are queued, %v, want %d", got, err, n)
		}
		p.work(t)
		if posted := len(p.to.requests()); posted != n {
			t.Errorf("%d are posted, want %d", posted, n)
		}
		for status, want := range map[string]int{"": n + 1, notify.DeliveryDelivered: n + 1, notify.DeliveryFailed: 0, notify.DeliveryWaiting: 0} {
			page, err := p.ListDeliveries(p.owner, w.ID, notify.DeliveryQuery{Status: status, Limit: 1})
			if err != nil || page.Total != want {
				t.Errorf("%d deliveries are %q, %v, want %d", page.Total, status, err, want)
			}
		}
	}
}

func TestListingDeliveries(t *testing.T) {
	t.Parallel()
	p := newPosting(t)
	w := p.hook(t)
	p.put(t, w, 2, notify.DeliveryDelivered)
	p.put(t, w, 1, notify.DeliveryFailed)
	all := p.deliveriesOf(t, w)
	page, err := p.ListDeliveries(p.owner, w.ID, notify.DeliveryQuery{Offset: 1, Limit: 1})
	if err != nil || page.Total != 3 || len(page.Items) != 1 || page.Items[0].ID != all[1].ID {
		t.Errorf("%+v, %v", page, err)
	}
	if page, err := p.ListDeliveries(p.owner, w.ID, notify.DeliveryQuery{Limit: 10}); err != nil || page.Items[0].ID != all[2].ID {
		t.Errorf("the newest is not first: %+v, %v", page, err)
	}
	if _, err := p.ListDeliveries(p.owner, w.ID, notify.DeliveryQuery{Status: "lost"}); domain.Refusal(err) != "status not_one_of" {
		t.Error(err)
	}
}

func TestARotatedSecretSignsForOneMoreDay(t *testing.T) {
	t.Parallel()
	p := newPosting(t)
	w := p.hook(t)
	rotated := must[notify.Webhook](t)(p.RotateSecret(p.owner, w.ID))
	if rotated.Secret == w.Secret || rotated.Secret == "" || rotated.Generation != 2 {
		t.Errorf("%+v", rotated)
	}
	signatures := func() []string {
		p.happen(t)
		p.work(t)
		all := p.to.requests()
		return strings.Fields(all[len(all)-1].signatures)
	}
	p.Advance(24*time.Hour - time.Millisecond)
	if got := signatures(); len(got) != 2 || got[0] == got[1] {
		t.Errorf("signed with %q", got)
	}
	p.Advance(time.Millisecond)
	if got := signatures(); len(got) != 1 {
		t.Errorf("signed with %q", got)
	}
}

func TestATestIsPostedOnceEvenToAPausedWebhook(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{200: notify.DeliveryDelivered, 500: notify.DeliveryFailed} {
		p := newPosting(t)
		w := p.hook(t)
		p.enable(t, w, false)
		p.to.answer(status)
		d := must[notify.Delivery](t)(p.TestWebhook(t.Context(), p.owner, w.ID))
		if d.Status != want || d.Attempts != 1 || d.Type != notify.TestEvent || d.Body != "test of "+w.ID || d.Next != nil || d.ID == "" || d.Event == "" || d.Event == d.ID || !d.CreatedAt.Equal(p.Now()) {
			t.Errorf("%+v", d)
		}
		p.enable(t, w, true)
		p.Advance(48 * time.Hour)
		p.work(t)
		if n := len(p.to.requests()); n != 1 {
			t.Errorf("posted %d times", n)
		}
		if stored := must[notify.Delivery](t)(p.GetDelivery(p.owner, w.ID, d.ID)); stored.Status != want || len(stored.Tries) != 1 {
			t.Errorf("%+v", stored)
		}
	}
}

func TestTestsOfWebhooksAreLimitedPerCompany(t *testing.T) {
	t.Parallel()
	p := newPosting(t)
	w := p.hook(t)
	for i := range 21 {
		_, err := p.TestWebhook(t.Context(), []account.Call{p.owner, p.admin}[i%2], w.ID)
		if throttled := fault.KindOf(err) == fault.KindThrottled; throttled != (i == 20) {
			t.Errorf("test %d: %v", i+1, err)
		}
	}
}

func TestADeletedWebhookLeavesNothing(t *testing.T) {
	t.Parallel()
	p := newPosting(t)
	w, other := p.hook(t), p.hook(t)
	p.put(t, w, notify.SweepBatch+1, notify.DeliveryDelivered)
	p.put(t, other, 1, notify.DeliveryDelivered)
	p.to.answer(500)
	p.happen(t)
	p.work(t)
	if err := p.DeleteWebhook(t.Context(), p.owner, w.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := p.GetWebhook(p.owner, w.ID); fault.KindOf(err) != fault.KindNotFound {
		t.Error(err)
	}
	if n := len(p.deliveriesOf(t, other)); n != 2 {
		t.Errorf("the other webhook has %d deliveries, want 2", n)
	}
	if jobs := p.jobs(t, "webhook"); len(jobs) != 1 {
		t.Errorf("jobs: %q, want only that of the other webhook", jobs)
	}
	if left, err := notify.DeliveriesOf(p.DB, w.ID); err != nil || left != 0 {
		t.Errorf("%d deliveries are left, %v", left, err)
	}
}

func TestALargeBodyIsBuiltForEveryAttempt(t *testing.T) {
	t.Parallel()
	for size, kept := range map[int]bool{16 << 10: true, 16<<10 + 1: false} {
		built := 0
		p := newPosting(t, func(o *notify.WebhookOptions) {
			o.Body = func(trail.FeedEvent) (string, error) {
				built++
				return strings.Repeat("x", size), nil
			}
		})
		w := p.hook(t)
		p.happen(t)
		p.work(t)
		d := p.deliveriesOf(t, w)[0]
		if (d.Body != "") != kept || d.Status != notify.DeliveryDelivered || (built == 1) != kept {
			t.Errorf("%d bytes: stored %d, built %d times, %s", size, len(d.Body), built, d.Status)
		}
		if full := must[notify.Delivery](t)(p.GetDelivery(p.owner, w.ID, d.ID)); len(full.Body) != size {
			t.Errorf("%d bytes are read as %d", size, len(full.Body))
		}
		if got := p.to.requests(); len(got) != 1 || !strings.HasPrefix(got[0].body, "xxx") {
			t.Errorf("posted %d times", len(got))
		}
	}
}

func TestAttemptsAreCountedByDay(t *testing.T) {
	t.Parallel()
	p := newPosting(t, func(o *notify.WebhookOptions) { o.Attempts = 1 })
	w := p.hook(t)
	attempt := func(status int) {
		p.to.answer(status)
		p.happen(t)
		p.work(t)
	}
	attempt(500)
	began := p.Now()
	p.Advance(time.Hour)
	attempt(500)
	if now := p.now(t, w); now.FailingSince == nil || !now.FailingSince.Equal(began) {
		t.Errorf("failing since %v, want %v", now.FailingSince, began)
	}
	for range 6 {
		p.Advance(24 * time.Hour)
		attempt(200)
	}
	now := p.now(t, w)
	if ok, failed := now.Recent(p.Now()); ok != 6 || failed != 2 || now.FailingSince != nil {
		t.Errorf("%d delivered, %d failed, failing since %v", ok, failed, now.FailingSince)
	}
	p.Advance(24 * time.Hour)
	if ok, failed := now.Recent(p.Now()); ok != 6 || failed != 0 {
		t.Errorf("a day later: %d delivered, %d failed", ok, failed)
	}
	for range 3 {
		attempt(200)
		p.Advance(24 * time.Hour)
	}
	if n := len(p.now(t, w).Days); n != 8 {
		t.Errorf("%d days are kept", n)
	}
}

func TestOldDeliveriesAreRemoved(t *testing.T) {
	t.Parallel()
	p := newPosting(t, func(o *notify.WebhookOptions) { o.Days = 7 })
	w := p.hook(t)
	p.put(t, w, 1, notify.DeliveryDelivered)
	p.put(t, w, 1, notify.DeliveryFailed)
	p.put(t, w, 1, notify.DeliveryWaiting)
	p.Advance(time.Millisecond)
	p.put(t, w, 1, notify.DeliveryDelivered)
	p.Advance(7*24*time.Hour - time.Millisecond)
	if err := p.Webhooks.ScheduleSweep(); err != nil {
		t.Fatal(err)
	}
	p.work(t)
	var left []string
	for _, d := range p.deliveriesOf(t, w) {
		left = append(left, d.Status)
	}
	if !slices.Equal(left, []string{notify.DeliveryWaiting, notify.DeliveryDelivered}) {
		t.Errorf("left: %q", left)
	}
	p.Advance(time.Hour)
	p.work(t)
	if n := len(p.deliveriesOf(t, w)); n != 1 {
		t.Errorf("an hour later %d are left", n)
	}
}

func TestAWebhookKeepsTenThousandDeliveries(t *testing.T) {
	t.Parallel()
	p := newPosting(t)
	w, other := p.hook(t), p.hook(t)
	p.put(t, w, notify.MaxDeliveries+notify.SweepBatch+1, notify.DeliveryDelivered)
	p.put(t, other, 3, notify.DeliveryDelivered)
	newest, err := p.ListDeliveries(p.owner, w.ID, notify.DeliveryQuery{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Webhooks.ScheduleSweep(); err != nil {
		t.Fatal(err)
	}
	p.work(t)
	page, err := p.ListDeliveries(p.owner, w.ID, notify.DeliveryQuery{Limit: 1})
	if err != nil || page.Total != notify.MaxDeliveries || page.Items[0].ID != newest.Items[0].ID {
		t.Errorf("%d are left, %v", page.Total, err)
	}
	if n := len(p.deliveriesOf(t, other)); n != 3 {
		t.Errorf("%d of the other are left", n)
	}
}

func TestAnAttemptCutOffDoesNotCount(t *testing.T) {
	t.Parallel()
	p := newPosting(t)
	w := p.hook(t)
	p.happen(t)
	if err := p.Webhooks.CaughtUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	err := p.Webhooks.Handlers()[0].Run(ended, kv.Job{Payload: []byte(w.ID)})
	if d := p.deliveriesOf(t, w)[0]; err == nil || d.Attempts != 0 || d.Status != notify.DeliveryWaiting {
		t.Errorf("%+v, %v", d, err)
	}
	p.work(t)
	if d := p.deliveriesOf(t, w)[0]; d.Attempts != 1 || d.Status != notify.DeliveryDelivered {
		t.Errorf("%+v", d)
	}
}

// TestAWebhookOfAProgramEndsWithItsToken makes a webhook with an API token, which is then revoked. Nothing more
// is posted until a person resumes it.
func TestAWebhookOfAProgramEndsWithItsToken(t *testing.T) {
	t.Parallel()
	p := newPosting(t)
	token := must[account.Token](t)(p.Accounts.Profile.CreateToken(p.owner, account.TokenInput{Name: "site", Scopes: account.Scopes()}))
	program := p.owner
	program.Kind, program.TokenID = account.ActorToken, token.ID
	w := must[notify.Webhook](t)(p.CreateWebhook(program, notify.WebhookInput{URL: &p.to.URL, Events: &[]string{notify.AllEvents}}))
	own := p.hook(t, notify.AllEvents)
	happened := func(want, wantOwn int) {
		t.Helper()
		p.happen(t)
		p.work(t)
		sent := func(w notify.Webhook) (n int) {
			for _, d := range p.deliveriesOf(t, w) {
				if d.Status == notify.DeliveryDelivered {
					n++
				}
			}
			return n
		}
		if n, other := sent(w), sent(own); n != want || other != wantOwn {
			t.Errorf("%d deliveries of the program's webhook, %d of a person's, want %d and %d", n, other, want, wantOwn)
		}
	}
	happened(1, 1)
	if err := p.Accounts.Profile.RevokeToken(p.owner, token.ID); err != nil {
		t.Fatal(err)
	}
	happened(1, 2)
	if p.now(t, w).Enabled {
		t.Error("the webhook is not paused")
	}
	p.enable(t, w, true)
	happened(3, 3) // with what waited when it was paused
}
