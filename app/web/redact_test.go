package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
)

// TestBlackOutByHand draws a box over a page and redacts it, and does the same with forms alone.
func TestBlackOutByHand(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	upload := apptest.Lines(t, "The buyer is Zacharias Quux.", "The price is 1234567 euros.", "The rest stays.")
	draft := func() (at, content string) {
		d := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Sale"}, apptest.File{Name: "sale.pdf", Content: upload})).Want(t, 201)
		path := "/documents/" + d.Text(t, "id") + "/files/" + d.Text(t, "files.0.id")
		return "/app" + path + "/redact", path + "/content"
	}
	says := func(content, want string) {
		t.Helper()
		if got := apptest.PagesText(t, c.Get(t, content).Want(t, 200).Body); got != want {
			t.Errorf("the file says %q, want %q", got, want)
		}
	}
	t.Run("browser", func(t *testing.T) {
		t.Parallel()
		at, content := draft()
		w := team(t, c, look{width: 1280, height: 1400})
		w.visit(s.URL + strings.TrimSuffix(at, "/redact")[:strings.Index(at, "/files/")] + "/files")
		w.click(`#files summary`)
		w.click(`#files a[href$="/redact"]`)
		w.until(`document.documentElement.dataset.redact === "ready" && document.querySelector(".paper img").complete`)
		w.judge(allRules, "black out")
		for i, y := range []float64{.10, .17} {
			w.pull(w.on(1, .1, y), w.on(1, .9, y+.045), 0)
			w.until(fmt.Sprintf(`document.querySelectorAll(".paper button").length === %d`, i+1))
		}
		w.click(`.regions li:nth-child(2) [data-remove]`) // the second one stays
		w.until(`document.querySelectorAll(".paper button").length === 1`)
		w.click(`#regions .danger`)
		w.until(`document.querySelector("main").textContent.includes("The areas were blacked out.") `)
		says(content, "The price is 1234567 euros. | The rest stays.")
	})
	t.Run("finger and keys", func(t *testing.T) {
		t.Parallel()
		at, content := draft()
		w := team(t, c, look{width: 390, height: 844})
		call(w, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
		w.visit(s.URL + at)
		w.until(`document.documentElement.dataset.redact === "ready" && document.querySelector(".paper img").complete`)
		w.click(`[data-finger]`)
		w.until(`document.querySelector("[data-finger]").ariaPressed === "true"`)
		w.swipe(w.on(1, .1, .10), w.on(1, .9, .145))
		w.until(`document.querySelectorAll(".paper button").length === 1`)
		w.click(`#regions .danger`)
		w.until(`document.querySelector("main").textContent.includes("The areas were blacked out.") `)
		says(content, "The price is 1234567 euros. | The rest stays.")
		at, content = draft()
		w.visit(s.URL + at)
		w.until(`document.documentElement.dataset.redact === "ready"`)
		w.run(chromedp.Focus(`.regions [name="page"]`), chromedp.KeyEvent("1\t10\t10\t80\t4.5\r"))
		w.until(`document.querySelector("main").textContent.includes("The areas were blacked out.") `)
		says(content, "The price is 1234567 euros. | The rest stays.")
	})
	at, content := draft()
	f := newFormClient(t, c)
	for _, row := range [][]string{
		{"", "", "", "", ""}, {"2", "10", "10", "10", "10"}, {"1", "10", "10", "0", "10"}, {"1", "10", "101", "10", "10"}, {"1", "x", "10", "10", "10"}, {"1", "NaN", "1", "1", "1"},
	} {
		status, html := f.form(at, "page", row[0], "left", row[1], "top", row[2], "width", row[3], "height", row[4])
		if status != 422 || !strings.Contains(html, "is not an area of a page") && !strings.Contains(html, "at least one area") {
			t.Errorf("%v: %d", row, status)
		}
	}
	if status, html := f.form(at, "page", "1", "left", "10", "top", "17,0", "width", "95", "height", "3.5"); status != 303 {
		t.Errorf("blacking out without a script: %d %s", status, html)
	}
	says(content, "The buyer is Zacharias Quux. | The rest stays.")
	stranger := newFormClient(t, s.Company(t))
	if status, _ := stranger.form(at, "page", "1", "left", "10", "top", "10", "width", "10", "height", "10"); status != 404 {
		t.Errorf("another company blacks out a part: %d", status)
	}
	viewer := c.Member(t, "viewer")
	if status, _ := newFormClient(t, viewer).form(at, "page", "1", "left", "10", "top", "10", "width", "10", "height", "10"); status < 400 {
		t.Errorf("a viewer blacks out a part: %d", status)
	}
}
