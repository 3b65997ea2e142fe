package signing_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
	"paraph/app/apptest/patience"
	"paraph/app/httpkit"
	"paraph/app/turns"
)

// waiter is a request that waits for its turn.
type waiter struct {
	queue  *turns.Queue
	holder turns.Key // uses up the share of the queue that the request would have
	route  string
	token  string
	body   apptest.Raw
}

// TestTogetherNobodyWaitsForAClientThatHungUp closes connections of requests that wait for
// a turn that never comes.
func TestTogetherNobodyWaitsForAClientThatHungUp(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) { c.Metrics.Listen = "127.0.0.1:0" })
	c := s.Company(t)
	signed := apptest.File{Name: "a.pdf", Content: signedFile(t, c)}
	id := draft(t, c, 1, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "a")})
	verifying, detecting := s.Signing.Verifier.Queue, s.Signing.Drafts.DetectionQueue()
	for _, w := range []waiter{
		{verifying, turns.Stranger("192.0.2.1"), "/verify", "", apptest.Raw{Type: "application/pdf", Body: signed.Content}},
		{verifying, actor(t, c).Turn(), "/documents/{document}/upload", c.Token, apptest.Multipart(t, nil, signed)},
		{detecting, actor(t, c).Turn(), "/documents/{document}/fields/detect", c.Token, apptest.Raw{Type: "application/json"}},
	} {
		w.hangUp(t, s, id)
	}
}

// hangUp closes the connection once the request waits, and looks how the request ends.
func (w *waiter) hangUp(t *testing.T, s *apptest.Server, document string) {
	t.Helper()
	defer hold(t, w.queue, w.holder)()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost,
		s.URL+strings.Replace(w.route, "{document}", document, 1), bytes.NewReader(w.body.Body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", w.body.Type)
	r.Header.Set("Authorization", "Bearer "+w.token)
	left := make(chan bool)
	go func() {
		defer close(left)
		if res, err := http.DefaultClient.Do(r); err == nil {
			t.Errorf("%s: %d although its turn never came", w.route, res.StatusCode)
			res.Body.Close()
		}
	}()
	patience.Until(t, w.route+" waits", func() (string, bool) { return "", w.queue.Load().Waiting == 1 })
	leave()
	<-left
	patience.Until(t, w.route+" is given up", func() (string, bool) {
		ended := ends(t, s, w.route)
		return ended, strings.Contains(ended, fmt.Sprintf(`status="%d"`, httpkit.StatusClosed))
	})
	if n := w.queue.Load().Waiting; n != 0 {
		t.Errorf("%s: %d requests still wait", w.route, n)
	}
}

// TestTogetherEveryRunningVerificationEndsWithItsClient hangs up while a file with many signatures is being
// verified. Another file then gets the only turn that strangers have.
func TestTogetherEveryRunningVerificationEndsWithItsClient(t *testing.T) {
	t.Parallel()
	signers := 250
	if testing.Short() {
		// Under the race detector verifying half of them takes longer than all of them without it.
		// Signing takes time that grows by their square.
		signers = 125
	}
	s := apptest.New(t, func(c *app.Config) { c.Metrics.Listen = "127.0.0.1:0" })
	c := s.Company(t)
	heavy, light := signedByMany(t, c, signers), signedFile(t, c)
	verify := func(ctx context.Context, file []byte) (status int, err error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/verify", bytes.NewReader(file))
		if err != nil {
			return 0, err
		}
		r.Header.Set("Content-Type", "application/pdf")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, err
		}
		_, err = io.Copy(io.Discard, res.Body)
		return res.StatusCode, errors.Join(err, res.Body.Close())
	}
	queue := s.Signing.Verifier.Queue
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	left := make(chan error, 1)
	go func() {
		_, err := verify(ctx, heavy)
		left <- err
	}()
	patience.Until(t, "the verification runs", func() (string, bool) { return "", queue.Load().Used == 1 })
	leave()
	if err := <-left; err == nil {
		t.Fatal("the verification was over before its client hung up")
	}
	if status, err := verify(t.Context(), light); err != nil || status != http.StatusOK {
		t.Errorf("the next file got %d, %v", status, err)
	}
	if n := queue.Load().Used; n != 0 {
		t.Errorf("%d verifications still run", n)
	}
	// A request is counted only after its turn has passed to the next.
	patience.Until(t, "the request is counted as given up", func() (string, bool) {
		ended := ends(t, s, "/verify")
		return ended, strings.Contains(ended, fmt.Sprintf(`status="%d"} 1`, httpkit.StatusClosed))
	})
}

// signedByMany returns a file with many signatures.
func signedByMany(t *testing.T, c *apptest.Client, signers int) []byte {
	t.Helper()
	var people apptest.List
	for i := range signers {
		people = append(people, apptest.Map{"name": fmt.Sprint("Signer ", i), "email": fmt.Sprintf("s%d@signer.example", i)})
	}
	data := apptest.Map{"title": "Petition", "send": true, "send_emails": false, "invitations": people}
	d := c.Post(t, "/documents", apptest.Multipart(t, data, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "a")})).Want(t, 201)
	at := "/documents/" + d.Text(t, "id")
	for _, id := range d.Texts(t, "invitations", "id") {
		c.Post(t, at+"/"+id+"/sign", apptest.Map{}).Want(t, 200)
	}
	return c.Get(t, at+"/files/"+d.Text(t, "files.0.id")+"/content?version=current").Want(t, 200).Body
}

// ends returns how many requests of a route ended with each status, as in the metrics.
func ends(t *testing.T, s *apptest.Server, route string) string {
	t.Helper()
	res, err := http.Get("http://" + s.MetricsAddr().String() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "paraph_http_requests_total{") && strings.Contains(line, `"POST `+route+`"`) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return strings.Join(found, ", ")
}
