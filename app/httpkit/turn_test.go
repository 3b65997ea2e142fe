package httpkit_test

import (
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/apptest/patience"
	"paraph/app/httpkit"
)

// TestStrangersAreAnsweredOneByOne: however many requests strangers send, only
// their share is in progress, and routes for others do not wait.
func TestStrangersAreAnsweredOneByOne(t *testing.T) {
	t.Parallel()
	kit, err := httpkit.New(httpkit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	began, release := make(chan string, 1000), make(chan struct{})
	route := func(path string, rule httpkit.Rule, block bool) {
		kit.Add(app, http.MethodGet, path, rule, func(c *fiber.Ctx) error {
			leave, err := kit.Turn(c, rule)
			if err != nil {
				return err
			}
			defer leave()
			if began <- path; block {
				<-release
			}
			return nil
		})
	}
	anyone := httpkit.Rule{For: httpkit.Everyone}
	route("/stranger", anyone, true)
	route("/waits", anyone.Waiting(), false)
	route("/link", httpkit.Rule{For: httpkit.Invited}.Waiting(), false)
	route("/member", httpkit.Rule{For: httpkit.Members}, false)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- app.Listener(ln) }()
	get := func(path string) {
		r, err := http.Get("http://" + ln.Addr().String() + path)
		if err != nil {
			t.Error(err)
			return
		}
		if err := r.Body.Close(); err != nil || r.StatusCode != http.StatusOK {
			t.Error(path, r.StatusCode, err)
		}
	}
	const many = 50
	done := make(chan bool, many)
	for range many {
		go func() { get("/stranger"); done <- true }()
	}
	patience.Receive(t, "the first stranger", began)
	time.Sleep(100 * time.Millisecond)
	if n := 1 + len(began); n >= many {
		t.Errorf("%d of %d strangers were answered at once", n, many)
	}
	for len(began) > 0 {
		<-began
	}
	for _, path := range []string{"/waits", "/link", "/member"} {
		get(path)
		if got := patience.Receive(t, path, began); got != path {
			t.Errorf("got %s, want %s", got, path)
		}
	}
	close(release)
	for range many {
		patience.Receive(t, "the end of a stranger's request", done)
	}
	if err := app.Shutdown(); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}
