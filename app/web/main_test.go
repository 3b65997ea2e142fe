package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
	"paraph/app/apptest/patience"
)

func TestMain(m *testing.M) {
	code := apptest.Main(m)
	if stopBrowser != nil {
		stopBrowser()
	}
	os.Exit(code)
}

// One browser serves all tests; each has isolated windows.
var (
	startBrowser sync.Once
	stopBrowser  func()
	browser      context.Context
	errBrowser   error
	windows      = make(chan struct{}, 3) // Chromium is heavy
)

func start() {
	// A separate popup for the address bar, rendered as a page, costs half as much as a window; no
	// test types an address.
	const without = "Translate,BlinkGenPropertyTrees,WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup"
	// Chromium drops clicks on a page it has not painted yet, which no user would make.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("disable-features", without),
		chromedp.Flag("allow-pre-commit-input", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"))
	// Without Chromium's own windows and profiles, opening a page costs a third less.
	if shell, err := exec.LookPath("chromium-headless-shell"); err == nil {
		options = append(options, chromedp.ExecPath(shell))
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stop := chromedp.NewContext(allocator)
	errBrowser = chromedp.Do(ctx)
	browser, stopBrowser = ctx, func() { stop(); stopAllocator() }
}

// window is a browser window that fails the test if a page violates the content security policy,
// contacts another host, or throws.
type window struct {
	t     testing.TB
	ctx   context.Context
	close func() // when the test ends, at the latest

	mu       sync.Mutex
	problems []string
	cut      bool // its connection is cut at times, which the browser logs
}

// look is how a page is viewed.
type look struct {
	width, height int64
	plain         bool // without scripts
	dark          bool
	language      string
}

func open(t testing.TB, l look) *window {
	t.Helper()
	startBrowser.Do(start)
	if errBrowser != nil {
		t.Fatalf("Chromium is needed for the tests of the pages: %v", errBrowser)
	}
	leave := enterBrowser(t.Name())
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	w := &window{t: t, ctx: ctx}
	w.close = sync.OnceFunc(func() {
		cancel()
		leave()
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, p := range w.problems {
			t.Error(p)
		}
	})
	t.Cleanup(w.close)
	if err := chromedp.Listen(ctx, w.watch); err != nil {
		t.Fatal(err)
	}
	if l.width == 0 {
		l.width, l.height = 1200, 900
	}
	call(w, network.Enable, network.EnableParams{})
	call(w, log.Enable, cdp.Empty{})
	call(w, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: noteClicks})
	call(w, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: l.plain})
	if l.dark {
		call(w, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	}
	if l.language != "" {
		call(w, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": l.language}})
	}
	w.run(chromedp.EmulateViewport(l.width, l.height))
	return w
}

// inside counts the open windows of each test.
var inside = struct {
	sync.Mutex
	of map[string]int
}{of: map[string]int{}}

// enterBrowser waits for a slot in the browser. A test that holds one may open more windows: if
// each needed a slot, two tests could wait for each other.
func enterBrowser(test string) (leave func()) {
	inside.Lock()
	inside.of[test]++
	first := inside.of[test] == 1
	inside.Unlock()
	if first {
		windows <- struct{}{}
	}
	return func() {
		inside.Lock()
		inside.of[test]--
		last := inside.of[test] == 0
		inside.Unlock()
		if last {
			<-windows
		}
	}
}

func call[P, R any](w *window, command cdp.Command[P, R], params P) {
	w.t.Helper()
	ctx, stop := w.bounded()
	defer stop()
	if _, err := chromedp.Call(ctx, command, params); err != nil {
		w.t.Fatal(err)
	}
}

func (w *window) watch(event any) {
	problem := ""
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		u, err := url.Parse(e.Request.URL)
		if err == nil && u.Host != "" && u.Hostname() != "127.0.0.1" && u.Hostname() != "localhost" {
			problem = "a request to another host: " + e.Request.URL
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError && !strings.Contains(e.Entry.Text, "the server responded with a status of 4") && !(w.cut && strings.Contains(e.Entry.Text, "net::ERR_")) {
			problem = fmt.Sprintf("the browser says: %s (%s)", e.Entry.Text, e.Entry.URL)
		}
	case *runtime.EventExceptionThrown:
		problem = fmt.Sprintf("a script failed: %+v", e.ExceptionDetails)
	}
	if problem != "" {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.problems = append(w.problems, problem)
	}
}

// run acts on the page. An action looks its element up before it does anything: if the page
// is rendered anew between the two, the action is repeated.
func (w *window) run(do ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	ctx, stop := w.bounded()
	defer stop()
	for _, act := range do {
		err := chromedp.Do(ctx, act)
		for err != nil && strings.Contains(err.Error(), replaced) && ctx.Err() == nil {
			err = chromedp.Do(ctx, act)
		}
		if err != nil {
			w.t.Fatalf("%v; %s", err, w.sight())
		}
	}
}

func (w *window) visit(address string) { w.t.Helper(); w.run(chromedp.Navigate(address)) }

// see waits until an element is visible.
func (w *window) see(what chromedp.CSS) {
	w.t.Helper()
	ctx, stop := w.bounded()
	defer stop()
	if err := chromedp.Do(ctx, chromedp.WaitVisible(what)); err != nil {
		w.t.Fatalf("%s cannot be seen: %v; %s", what, err, w.sight())
	}
}

// click clicks an element, once it is visible.
func (w *window) click(what chromedp.CSS) {
	w.t.Helper()
	w.see(what)
	w.run(chromedp.Click(what))
}

func (w *window) write(where chromedp.CSS, text string) {
	w.t.Helper()
	w.see(where)
	if w.value(where) != "" {
		w.run(chromedp.Clear(where))
	}
	w.run(chromedp.SendKeys(where, text))
}

func (w *window) value(where chromedp.CSS) string { w.t.Helper(); return get(w, chromedp.Value(where)) }

// read returns the text of a part of the page, once it is visible.
func (w *window) read(where chromedp.CSS) string {
	w.t.Helper()
	w.see(where)
	return get(w, chromedp.Text(where))
}

// get runs an action on the page, and on the next one if the page is replaced
// meanwhile.
func get[T any](w *window, from chromedp.Action[T]) T {
	w.t.Helper()
	ctx, stop := w.bounded()
	defer stop()
	for {
		v, err := chromedp.Run(ctx, from)
		if err == nil {
			return v
		}
		if !strings.Contains(err.Error(), gone) || ctx.Err() != nil {
			w.t.Fatalf("%v; %s", err, w.sight())
		}
	}
}

// until waits for an expression to become true, on this page or the next one. It is evaluated
// from outside: polling inside the page would stop with it, keep drawing frames, and not run at
// all without scripts.
func (w *window) until(expression string) {
	w.t.Helper()
	ctx, stop := w.bounded()
	defer stop()
	var last error
	if !patience.Poll(ctx, func() bool {
		is, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
		last = err
		return is && err == nil
	}) {
		w.t.Fatalf("%s never: %v; %s", expression, last, w.sight())
	}
}

// gone is the browser's error code for a page that no longer exists.
const gone = "(-32000)"

// replaced is its message for an element that has been looked up on such a page.
const replaced = "Could not find node with given id"

// heading waits for a page with this title.
func (w *window) heading(want string) {
	w.t.Helper()
	ctx, stop := w.bounded()
	defer stop()
	if err := chromedp.Do(ctx, chromedp.WaitReady(`//h1[contains(., "`+want+`")]`)); err != nil {
		w.t.Fatalf("no page is titled %q: %v; %s", want, err, w.sight())
	}
}

// bounded returns a context with the time limit of one step on the page.
func (w *window) bounded() (context.Context, context.CancelFunc) {
	return context.WithTimeout(w.ctx, patience.Limit())
}

// text returns the visible text of the page.
func (w *window) text() string {
	w.t.Helper()
	return get(w, chromedp.Evaluate[string]("document.body.innerText"))
}

// sight describes the page for a failure message: its address, the focused element, the beginning
// and end of its text, and the targets of the last clicks.
func (w *window) sight() string {
	ctx, stop := context.WithTimeout(context.WithoutCancel(w.ctx), 5*time.Second)
	defer stop()
	s, err := chromedp.Run(ctx, chromedp.Evaluate[string](`(() => {
		const text = document.body.innerText, focus = document.activeElement;
		return location.href + ", focus on <" + focus.tagName + " id=" + focus.id + ">, scrolled to " + Math.round(scrollY) +
			", clicks: " + JSON.stringify(window.clicksOfTest || []) +
			", text: " + (text.length < 900 ? text : text.slice(0, 500) + " … " + text.slice(-400));
	})()`))
	if err != nil {
		return "the page does not answer: " + err.Error()
	}
	return s
}

// noteClicks records, for sight, what each click on a page hit.
const noteClicks = `addEventListener("click", e => (window.clicksOfTest ||= []).push(Math.round(performance.now()) + " ms <" + e.target.tagName + " id=" + e.target.id + ">"), true)`

// quoted returns values as a JavaScript list.
func quoted(values ...string) string {
	b, err := json.Marshal(values)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return string(b)
}
