package signing_test

import (
	"bytes"
	"context"
	"net/http"
	"testing"

	"paraph/app/apptest"
	"paraph/app/apptest/patience"
	"paraph/app/turns"
)

// TestNobodyWaitsInLineForAClientThatHungUp closes connections of requests that wait for
// their turn, which never comes.
func TestNobodyWaitsInLineForAClientThatHungUp(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	id, member, stranger := draft(t, c, 1, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "a")}), actor(t, c).Turn(), turns.Stranger("192.0.2.1")
	signed := apptest.File{Name: "a.pdf", Content: signedFile(t, c)}
	verifying, detecting := s.Signing.Verifier.Queue, s.Signing.Detection.Queue()
	for name, x := range map[string]struct {
		queue *turns.Queue
		full  turns.Key // of the callers that hold the share of the one who waits
		path  string
		body  apptest.Raw
		token string
	}{
		"verifying for a stranger":   {verifying, stranger, "/verify", apptest.Raw{Type: "application/pdf", Body: signed.Content}, ""},
		"verifying what is uploaded": {verifying, member, "/documents/" + id + "/upload", apptest.Multipart(t, nil, signed), c.Token},
		"detecting fields":           {detecting, member, "/documents/" + id + "/fields/detect", apptest.Raw{Type: "application/json"}, c.Token},
	} {
		leave := hold(t, x.queue, x.full)
		ctx, hangUp := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+x.path, bytes.NewReader(x.body.Body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", x.body.Type)
		r.Header.Set("Authorization", "Bearer "+x.token)
		left := make(chan bool)
		go func() {
			defer close(left)
			if res, err := http.DefaultClient.Do(r); err == nil {
				t.Errorf("%s: %d although it was nobody's turn", name, res.StatusCode)
				res.Body.Close()
			}
		}()
		waiting := func(n int64) func() (string, bool) {
			return func() (string, bool) { return name, x.queue.Load().Waiting == n }
		}
		patience.Until(t, "the request waits", waiting(1))
		hangUp()
		<-left
		patience.Until(t, "the request is given up", waiting(0))
		leave()
	}
}
