package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
)

// five returns five required fields, two of them signatures.
func five() []apptest.Map {
	return []apptest.Map{place("name", "Full name", 1, 0.2), place("text", "City", 1, 0.3), place("date", "Since", 1, 0.4),
		place("signature", "Signature", 1, 0.6), place("signature", "Second signature", 2, 0.6)}
}

// TestFewClicks counts the clicks from the link to the end.
func TestFewClicks(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		server *apptest.Server
		most   int
	}{"with consent": {apptest.New(t, withConsent), 3}, "without": {apptest.New(t), 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := send(t, x.server, []apptest.Map{maria()}, place("signature", "Signature", 2, 0.7))
			w := open(t, look{})
			w.visit(d.links[0])
			clicks := 0
			press := func(what chromedp.CSS) { w.click(what); clicks++ }
			press(`button[data-mark="signature"]`)
			if x.most == 3 {
				press("dialog [data-finish]") // without consent, it says so and does nothing
				if got := w.read("dialog .end .error"); !strings.Contains(got, "Agree") {
					t.Errorf("without consent, the dialog says %q", got)
				}
				clicks--
				press("dialog .end input")
			}
			press("dialog [data-finish]")
			w.heading("Everyone has signed")
			if clicks > x.most {
				t.Errorf("%d clicks, at most %d are wanted", clicks, x.most)
			}
		})
	}
}

// TestClosedDialogMovesNothing delays the close event of a dialog, as a busy machine would: the
// element about to be clicked must neither move nor lose focus.
func TestClosedDialogMovesNothing(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	d := send(t, o.Server, []apptest.Map{maria()}, place("signature", "Signature", 2, 0.7))
	w := team(t, o.member, look{})
	for name, c := range map[string]struct {
		url  string
		open []string // what is clicked until the dialog is open
		shut string
		next string // where the focus is when the event arrives
	}{
		"signatory": {d.links[0] + "?as=invited", []string{`button[data-mark="signature"]`}, "dialog [data-adopt]", "#finish"},
		"team":      {o.URL + "/app/documents/" + o.in(t, "sent"), []string{".banner details summary", `.banner a[href*="/void"]`}, "dialog [data-close]", ".tabs a:last-of-type"},
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			w.visit(c.url)
			for _, button := range c.open {
				w.click(chromedp.CSS(button))
			}
			get(w, chromedp.Evaluate[bool](`(() => {
				const hold = e => { e.stopImmediatePropagation(); window.release = () => { removeEventListener("close", hold, true); e.target.dispatchEvent(new Event("close")); }; };
				addEventListener("close", hold, true);
				return true;
			})()`))
			w.click(chromedp.CSS(c.shut))
			w.until("!!window.release")
			w.run(chromedp.ScrollIntoView(c.next), chromedp.Focus(c.next))
			at := fmt.Sprintf(`(e => JSON.stringify([e.getBoundingClientRect().top, e === document.activeElement]))(document.querySelector(%q))`, c.next)
			before := get(w, chromedp.Evaluate[string](at))
			if after := get(w, chromedp.Evaluate[string](`window.release(), `+at)); after != before {
				t.Errorf("place and focus of what comes next: %s, and %s before the dialog said that it was closed", after, before)
			}
		})
	}
	w.t = t
}

// TestSignByKeyboard signs with the keyboard alone.
func TestSignByKeyboard(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, withConsent)
	d := send(t, s, []apptest.Map{maria()}, five()...)
	w := open(t, look{})
	w.visit(d.links[0])
	w.see("#finish")
	keys := 0
	press := func(key, until string) {
		w.t.Helper()
		w.press(key)
		keys++
		if until != "" {
			w.until(until)
		}
	}
	next := func(id string) string {
		return fmt.Sprintf(`document.activeElement?.matches(%q)`, id)
	}
	w.run(chromedp.Focus("#consent"))
	press("Enter", `document.querySelector("#consent").checked`)
	for guard := 0; ; guard++ {
		if get(w, chromedp.Evaluate[bool](next("#finish"))) {
			break
		}
		if guard > 30 {
			t.Fatalf("the end is never reached; the focus is on %s", get(w, chromedp.Evaluate[string](`document.activeElement.outerHTML.slice(0, 200)`)))
		}
		switch at := get(w, chromedp.Evaluate[string](`(e => e.dataset.mark ? (e.closest(".f").classList.contains("done") ? "done" : "mark") : "day" in e.dataset ? "day" : e.type || e.tagName)(document.activeElement)`)); at {
		case "mark":
			press("Enter", `!!document.querySelector("dialog[open]")`)
			press("Enter", `!document.querySelector("dialog[open]")`)
		case "text":
			if get(w, chromedp.Evaluate[string](`document.activeElement.value`)) == "" {
				w.run(chromedp.KeyEvent("Porto"))
			}
			press("Enter", "")
		case "day":
			w.run(chromedp.KeyEvent("12312026"))
			w.until(`document.activeElement.dataset.shown === "31 Dec 2026"`)
			press("Enter", "")
		default:
			press("Tab", "")
		}
	}
	press("Enter", "")
	w.heading("Everyone has signed")
	if keys > 20 {
		t.Errorf("%d keys besides the text, at most 20 are wanted", keys)
	}
	t.Logf("%d keys", keys)
}

// TestFocusIsSeen goes through a page with the Tab key: the focused element is
// never completely covered.
func TestFocusIsSeen(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, withConsent)
	d := send(t, s, []apptest.Map{maria()}, append(five(), lease()...)...)
	w := open(t, look{})
	for _, width := range []int64{320, 1280} {
		w.run(chromedp.EmulateViewport(width, 700))
		w.visit(d.links[0])
		w.see("#finish")
		w.tabThrough(60)
	}
}

// press presses a key like a keyboard: the page handles it before the browser
// does.
func (w *window) press(key string) {
	w.t.Helper()
	p := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: key, Code: key, WindowsVirtualKeyCode: map[string]int64{"Enter": 13, "Tab": 9}[key]}
	if key == "Enter" {
		p.Text = "\r"
	}
	call(w, input.DispatchKeyEvent, p)
	p.Type, p.Text = input.DispatchKeyEventTypeKeyUp, ""
	call(w, input.DispatchKeyEvent, p)
}

// tabThrough presses Tab until the focus leaves the page, at most a number of
// times.
func (w *window) tabThrough(most int) {
	w.t.Helper()
	for range most {
		w.press("Tab")
		hidden := get(w, chromedp.Evaluate[string](`(() => {
			const e = document.activeElement;
			if (!e || e === document.body) return "left";
			const b = e.getBoundingClientRect(), inset = 2;
			const points = [[.5, .5], [0, 0], [1, 0], [0, 1], [1, 1]].map(([x, y]) => [b.left + inset + x * (b.width - 2 * inset), b.top + inset + y * (b.height - 2 * inset)]);
			const seen = points.some(([x, y]) => { const at = document.elementFromPoint(x, y); return at && (e.contains(at) || at.contains(e) || [...(e.labels || [])].some(l => l.contains(at))); });
			return seen ? "" : e.outerHTML.slice(0, 200) + " at " + JSON.stringify(b);
		})()`))
		if hidden == "left" {
			return
		}
		if hidden != "" {
			w.t.Errorf("the focus is not seen: %s", hidden)
		}
	}
}

// TestPagesOfTextAreLight checks that the picture of a page of text stays
// small.
func TestPagesOfTextAreLight(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	text := ""
	for i := range 40 {
		text += fmt.Sprintf("%d. The tenant pays the rent by the third working day of each month.\n", i+1)
	}
	c := s.Company(t)
	id := c.Post(t, "/documents", apptest.Map{"title": "Lease"}).Want(t, http.StatusCreated).Text(t, "id")
	file := c.Post(t, "/documents/"+id+"/upload", apptest.Multipart(t, nil, apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, text)})).
		Want(t, http.StatusCreated).Text(t, "data.0.id")
	const most = 120 << 10
	if r := c.Get(t, "/documents/"+id+"/files/"+file+"/pages/1.png?width=1240").Want(t, http.StatusOK); len(r.Body) > most || len(r.Body) < 1000 {
		t.Errorf("the picture has %d bytes, at most %d are wanted", len(r.Body), most)
	}
}
