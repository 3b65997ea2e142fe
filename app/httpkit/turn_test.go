package httpkit_test

import (
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

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
	var asked atomic.Int64
	route := func(path string, rule httpkit.Rule, block bool) {
		kit.Add(app, http.MethodGet, path, rule, func(c *fiber.Ctx) error {
			asked.Add(1)
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
	route("/hashes", anyone.Hashing(), false)
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
	patience.Until(t, "all strangers have asked", func() (string, bool) {
		return fmt.Sprint(asked.Load()), asked.Load() == many && len(began) > 0
	})
	for _, path := range []string{"/waits", "/hashes", "/link", "/member"} {
		get(path)
	}
	strangers, others := 0, 0
	for len(began) > 0 {
		if path := <-began; path == "/stranger" {
			strangers++
		} else {
			others++
		}
	}
	if strangers >= many || others != 4 {
		t.Errorf("%d of %d strangers were answered at once, and %d of 4 others", strangers, many, others)
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
