package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// faulty asks for a fault that only the requests of a company meet.
func faulty(t testing.TB, c *apptest.Client, fault obj) (id string) {
	t.Helper()
	return c.Post(t, "/test/faults", merged(fault, obj{"company": c.CompanyID})).Want(t, 201).Text(t, "id")
}

func TestFaultsThatAnswer(t *testing.T) {
	t.Parallel()
	c, other := testCompany(t, obj{}), testCompany(t, obj{})
	for status, code := range map[int]string{500: "internal", 503: "not_ready", 502: "bad_gateway", 404: "not_found", 429: ""} {
		faulty(t, c, obj{"path": "/documents", "method": "post", "status": status})
		other.Post(t, "/documents", obj{"title": "Lease"}).Want(t, 201)
		refused := failed(t, c.Post(t, "/documents", obj{"title": "Lease"}), status)
		if code != "" && refused.Text(t, "code") != code {
			t.Errorf("the answer to %d is %s", status, refused.Body)
		}
		if again := refused.Header.Get("Retry-After"); (status == 503 || status == 429) != (again != "") {
			t.Errorf("Retry-After of a %d is %q", status, again)
		}
		c.Post(t, "/documents", obj{"title": "Lease"}).Want(t, 201)
	}
	if n := c.Get(t, "/documents").Int(t, "meta.total"); n != 5 {
		t.Errorf("there are %d documents, though half of ten requests failed", n)
	}
}

// TestFaultsThatLoseAnswers repeats requests whose answers were lost: with a key they are done once.
func TestFaultsThatLoseAnswers(t *testing.T) {
	t.Parallel()
	// On a connection that it has used before, the client itself repeats a request with a key.
	once := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, answer := range []string{"cut", "broken"} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			c := testCompany(t, obj{})
			id := faulty(t, c, obj{"path": "/documents", "method": "POST", "answer": answer, "times": 2})
			for range 2 {
				req, err := http.NewRequestWithContext(t.Context(), "POST", c.URL+"/documents", strings.NewReader(`{"title":"Lease"}`))
				if err != nil {
					t.Fatal(err)
				}
				for name, value := range map[string]string{"Authorization": "Bearer " + c.Token, "Content-Type": "application/json", "Idempotency-Key": "once"} {
					req.Header.Set(name, value)
				}
				res, err := once.Do(req)
				if (err != nil) != (answer == "cut") {
					t.Fatalf("the answer is %v, the error %v", res, err)
				}
				if err == nil {
					body, err := io.ReadAll(res.Body)
					res.Body.Close()
					if err != nil || res.StatusCode != 201 || !strings.HasPrefix(string(body), `{"id":`) || strings.HasSuffix(string(body), "}") {
						t.Errorf("half an answer is %d %s, %v", res.StatusCode, body, err)
					}
				}
			}
			if n := c.Get(t, "/documents").Want(t, 200).Int(t, "meta.total"); n != 1 {
				t.Errorf("%d documents were made", n)
			}
			c.Post(t, "/documents", obj{"title": "Lease"}, "Idempotency-Key", "once").Want(t, 201)
			all := c.Get(t, "/test/faults").Want(t, 200)
			for i, known := range all.Texts(t, "data", "id") {
				if known == id && all.Text(t, fmt.Sprintf("data.%d.answer", i)) != answer {
					t.Errorf("the fault is listed as %s", all.Body)
				}
			}
			seen := c.Get(t, "/test/requests?method=POST&path=/documents&company="+c.CompanyID).Want(t, 200)
			if keys := strings.Join(seen.Texts(t, "data", "idempotency_key"), " "); keys != "once once once" {
				t.Errorf("the requests are %s", seen.Body)
			}
			if got := strings.Join(seen.Texts(t, "data", "fault")[:2], " "); got != id+" "+id {
				t.Errorf("the faults met are %s", got)
			}
		})
	}
}

func TestFaultsInput(t *testing.T) {
	t.Parallel()
	c := testCompany(t, obj{})
	failed(t, c.Post(t, "/test/faults", obj{}), 422, "status")
	failed(t, c.Post(t, "/test/faults", obj{"status": 200}), 422, "status")
	failed(t, c.Post(t, "/test/faults", obj{"delay": "2h"}), 422, "delay")
	failed(t, c.Post(t, "/test/faults", obj{"answer": "lost"}), 422, "answer")
	failed(t, c.Post(t, "/test/faults", obj{"status": 503, "times": -1}), 422, "times")
	failed(t, c.Post(t, "/test/faults", obj{"status": 503, "times": 1_000_001}), 422, "times")
	id := faulty(t, c, obj{"status": 503, "times": 9})
	failed(t, c.Get(t, "/documents"), 503)
	c.Delete(t, "/test/faults/"+id).Want(t, 204)
	c.Get(t, "/documents").Want(t, 200)
	failed(t, c.Delete(t, "/test/faults/"+id), 404)
	faulty(t, c, obj{"status": 502, "answer": "broken", "path": "/documents"})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.URL+"/api/documents", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.Token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || res.StatusCode != 502 || len(body) == 0 || json.Valid(body) {
		t.Errorf("half a refusal is %d %s, %v", res.StatusCode, body, err)
	}
	faulty(t, c, obj{"path": "/docu*/*/files*", "delay": "1ms"})
	if r := c.Get(t, "/documents/01K8XN2V7Q3J5T9B4C6D8E0F1G/files"); r.Status != 404 {
		t.Errorf("a request that only waits is answered %d %s", r.Status, r.Body)
	}
	if met := c.Get(t, "/test/requests?path=*/files&company="+c.CompanyID).Want(t, 200); met.Text(t, "data.0.fault") == "" || met.Text(t, "data.0.code") != "not_found" {
		t.Errorf("the request is listed as %s", met.Body)
	}
}

// TestRequestsAreAwaited asks for a request before it is made, and for those about one document.
func TestRequestsAreAwaited(t *testing.T) {
	t.Parallel()
	c := testCompany(t, obj{})
	id := c.Post(t, "/documents", obj{"title": "Lease"}).Want(t, 201).Text(t, "id")
	at := "/test/requests?company=" + c.CompanyID
	if r := c.Get(t, at+"&document="+id).Want(t, 200); len(r.At(t, "data").(list)) != 0 {
		t.Errorf("a document that nobody asked for has the requests %s", r.Body)
	}
	awaited := make(chan *apptest.Response)
	go func() { awaited <- c.Get(t, at+"&document="+id+"&wait=60s") }()
	c.Get(t, "/documents/"+id+"/events").Want(t, 200)
	if r := <-awaited; r.Status != 200 || r.Text(t, "data.0.path") != "/documents/"+id+"/events" {
		t.Errorf("waiting brings %s", r.Body)
	}
	failed(t, c.Get(t, at+"&wait=61s"), 422, "wait")
}
