package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

// TestPostingsAreListed asks what was sent to the receivers of a company, before anything was.
func TestPostingsAreListed(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) { c.Webhooks.AllowPrivate, c.Network.Egress = true, []string{"any"} })
	companies := [2]*apptest.Client{}
	for i := range companies {
		made := s.Anonymous().Post(t, "/test/companies", nil).Want(t, 201)
		companies[i] = s.With(made.Text(t, "token"))
		companies[i].CompanyID = made.Text(t, "id")
	}
	c := companies[0]
	var seen []string
	var mu sync.Mutex
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if seen = append(seen, r.Header.Get("Webhook-Signature")); len(seen) == 1 {
			w.WriteHeader(http.StatusTeapot)
		}
	}))
	defer receiver.Close()
	c.Post(t, "/webhooks", obj{"url": receiver.URL, "events": list{"document.sent"}}).Want(t, 201)
	d := draft(t, c, 1)
	var asked sync.WaitGroup
	asked.Go(func() {
		found := c.Get(t, "/test/webhooks?wait=60s&type=document.sent&document="+d.Text(t, "id")).Want(t, 200)
		if found.Int(t, "meta.total") != 1 || found.Text(t, "data.0.url") != receiver.URL || found.Int(t, "data.0.status_code") != http.StatusTeapot ||
			found.Text(t, "data.0.status") != "waiting" {
			t.Errorf("what was awaited is %s", found.Body)
		}
		mu.Lock()
		defer mu.Unlock()
		if headers, ok := found.At(t, "data.0.request.headers").(obj); !ok || headers["Webhook-Signature"] != seen[0] {
			t.Errorf("the headers are %v, the receiver got the signature %s", headers, seen[0])
		}
		if body := found.Text(t, "data.0.request.body"); !strings.Contains(body, `"document.sent"`) {
			t.Errorf("the body is %s", body)
		}
	})
	c.Post(t, "/documents/"+d.Text(t, "id")+"/send", obj{}).Want(t, 200)
	asked.Wait()
	c.Post(t, "/test/clock", obj{"advance": "1h"}).Want(t, 200) // it is tried again
	for query, total := range map[string]int{
		"": 1, "status=delivered": 1, "status=waiting": 0, "url=" + receiver.URL: 1, "url=http://elsewhere.example/": 0, "type=document.voided": 0,
		"document=01K8XN2V7Q3J5T9B4C6D8E0F1G&wait=1ms": 0,
	} {
		if found := c.Get(t, "/test/webhooks?"+query).Want(t, 200); found.Int(t, "meta.total") != total {
			t.Errorf("%q finds %d, want %d: %s", query, found.Int(t, "meta.total"), total, found.Body)
		}
	}
	for who, total := range map[*apptest.Client]int{companies[1]: 0, s.Anonymous(): 1} {
		if found := who.Get(t, "/test/webhooks").Want(t, 200); found.Int(t, "meta.total") != total {
			t.Errorf("others find %s, want %d", found.Body, total)
		}
	}
	failed(t, c.Get(t, "/test/webhooks?wait=long"), 422, "wait")
}
