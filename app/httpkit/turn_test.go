package httpkit_test

import (
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/apptest/patience"
	"paraph/app/httpkit"
)

// TestStrangersAreAnsweredOneByOne checks that however many requests strangers send, only
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
			leave, err := kit.Turn(c, rule, account.Call{})
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

// TestCompaniesShareTheProcessors has one company send many requests, first alone and then beside
// another one.
func TestCompaniesShareTheProcessors(t *testing.T) {
	t.Parallel()
	kit, err := httpkit.New(httpkit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	began, release := make(chan string, 1000), map[string]chan struct{}{"alone": make(chan struct{}), "other": make(chan struct{})}
	rule := httpkit.Rule{For: httpkit.Members}
	kit.Add(app, http.MethodGet, "/:company", rule, func(c *fiber.Ctx) error {
		defer httpkit.Finish(c)
		company := strings.Clone(c.Params("company"))
		leave, err := kit.Turn(c, rule, account.Call{Actor: account.Actor{Kind: account.ActorUser, CompanyID: company, UserID: "one"}})
		if err != nil {
			return err
		}
		defer leave()
		began <- company
		<-release[company]
		return nil
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- app.Listener(ln) }()
	var asking sync.WaitGroup
	browser := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	ask := func(company string, times int) {
		for range times {
			asking.Go(func() {
				r, err := browser.Get("http://" + ln.Addr().String() + "/" + company)
				if err != nil {
					t.Error(err)
					return
				}
				if err := r.Body.Close(); err != nil || r.StatusCode != http.StatusOK {
					t.Error(company, r.StatusCode, err)
				}
			})
		}
	}
	many := 8 * runtime.GOMAXPROCS(0)
	ask("alone", many)
	for range many {
		patience.Receive(t, "a request of the only company", began)
	}
	ask("other", 1)
	if got := patience.Receive(t, "the other company's request", began); got != "other" {
		t.Errorf("%s came first", got)
	}
	ask("alone", many)
	for range many {
		release["alone"] <- struct{}{} // the first ones, which are more than its share
	}
	most := runtime.GOMAXPROCS(0)
	for range most {
		patience.Receive(t, "the share of the first company", began)
	}
	select {
	case <-began:
		t.Errorf("more than %d at a time beside another company", most)
	case <-time.After(100 * time.Millisecond):
	}
	close(release["alone"])
	close(release["other"])
	asking.Wait()
	if err := app.Shutdown(); err != nil {
		t.Error(err)
	}
	if err := patience.Receive(t, "the end of the server", served); err != nil {
		t.Error(err)
	}
}
