package web_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
	"paraph/app/apptest/patience"
)

// TestPictures makes the pictures of the README in the folder that
// PARAPH_PICTURES names; without it, it checks that the pages can be shown.
func TestPictures(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("PARAPH_PICTURES")
	s := apptest.New(t, withConsent)
	c := s.Company(t)
	c.Patch(t, "/company", apptest.Map{"name": "Harbour Homes"}).Want(t, http.StatusOK)
	c.Patch(t, "/me", apptest.Map{"name": "Ana Archer"}).Want(t, http.StatusOK)
	people := []apptest.Map{maria(), {"name": "Ben Buyer", "email": "ben@signer.example"}}
	lease := func(send bool) string {
		d := c.Post(t, "/documents", apptest.Map{"title": "Lease of a flat", "message": "Please sign by the end of the week."}).Want(t, http.StatusCreated).Text(t, "id")
		file := c.Post(t, "/documents/"+d+"/upload", apptest.Multipart(t, nil, apptest.File{Name: "lease.docx", Content: apptest.DOCX(t,
			"Lease of a flat", "1. The landlord lets the flat at 12 Harbour Street, third floor, to the tenant, with its cellar and the use of the garden.",
			"2. The lease begins on 1 January 2027 and runs for two years. It goes on from year to year unless one of the parties ends it three months before.",
			"3. The rent is 900 a month and is due on the third working day of each month.", "4. The deposit is two months' rent and is paid back within a month of the end.",
			"5. The tenant may keep one cat.", "The landlord", "", "", "", "", "The tenant")})).Want(t, http.StatusCreated).Text(t, "data.0.id")
		r := c.Post(t, "/documents/"+d+"/invite", apptest.Map{"invitations": people}).Want(t, http.StatusCreated)
		var fields []apptest.Map
		for i, at := range []float64{0.4, 0.54} {
			inv := r.Text(t, "data."+string(rune('0'+i))+".id")
			sign := place("signature", "Signature", 1, at)
			sign["height"], sign["width"] = 0.06, 0.34
			date := place("date_signed", "Date", 1, at+0.02)
			date["x"], date["width"] = 0.55, 0.2
			for _, f := range []apptest.Map{sign, date} {
				f["file_id"], f["invitation_id"] = file, inv
				fields = append(fields, f)
			}
		}
		c.Put(t, "/documents/"+d+"/fields", apptest.Map{"fields": fields}).Want(t, http.StatusOK)
		if send {
			c.Post(t, "/documents/"+d+"/send", apptest.Map{}).Want(t, http.StatusOK)
		}
		return d
	}
	draft, sent := lease(false), lease(true)
	link := s.URL + "/s/" + s.Link(t, "ben@signer.example", "/s/")
	inv := c.Get(t, "/documents/"+sent).Text(t, "invitations.0.id")
	c.Post(t, "/documents/"+sent+"/"+inv+"/sign", apptest.Map{"consent": true}).Want(t, http.StatusOK)

	w := signedIn(t, c, look{width: 1200, height: 760})
	shoot := func(w *window, name string) { w.shoot(dir, name) }
	w.visit(s.URL + "/app/documents/" + sent)
	w.until(`[...document.images].every(i => i.complete)`)
	shoot(w, "document")
	w.visit(s.URL + "/app/documents/" + draft + "/edit")
	w.until(`[...document.images].filter(i => i.checkVisibility() && i.getBoundingClientRect().top < innerHeight).every(i => i.complete)`)
	shoot(w, "editor")
	letter := open(t, look{width: 640, height: 520})
	letter.letter([]byte(s.Mails(t, "ben@signer.example")[0].HTML))
	shoot(letter, "mail")
	for name, l := range map[string]look{"sign": {width: 1000, height: 760}, "phone": {width: 390, height: 760}} {
		reader := open(t, l)
		reader.visit(link)
		reader.see("#finish")
		reader.until(`[...document.images].filter(i => i.checkVisibility() && i.getBoundingClientRect().top < innerHeight).every(i => i.complete)`)
		// The answer in one window is stored and shown in the other.
		if !get(reader, chromedp.Evaluate[bool](`document.querySelector("#consent").checked`)) {
			reader.click("#consent")
		}
		reader.until(`document.querySelector("#consent").checked`)
		reader.until(`(() => {
			document.querySelector(innerWidth < 640 ? ".page .pin" : ".page .f").scrollIntoView({block: "center", behavior: "instant"});
			return scrollY > 100;
		})()`)
		shoot(reader, name)
	}
}

// shoot takes a picture of the window, unless there is no folder for it.
func (w *window) shoot(dir, name string) {
	w.t.Helper()
	if dir == "" {
		return
	}
	get(w, chromedp.Evaluate[bool](`Promise.all([...document.images]
		.filter(i => i.checkVisibility() && i.naturalWidth).map(i => i.decode()))
		.then(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))))`, chromedp.EvalAwaitPromise))
	shot, err := chromedp.Call(w.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), shot.Data, 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// TestPicturesOfMessages takes pictures of the messages that TestMessagesToLookAt wrote, as wide as
// clients show them on screens and phones.
func TestPicturesOfMessages(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("PARAPH_PICTURES")
	if dir == "" {
		t.Skip("PARAPH_PICTURES names no folder; the messages that are sent are judged by TestMessagesInEveryLook")
	}
	dir = filepath.Join(dir, "mails")
	pages, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("no messages in %s: %v", dir, err)
	}
	for name, l := range map[string]look{"600": {width: 600, height: 640}, "360": {width: 360, height: 720}, "600-dark": {width: 600, height: 640, dark: true}, "360-dark": {width: 360, height: 720, dark: true}} {
		w := open(t, l)
		for _, path := range pages {
			html, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			w.letter(withLogo(html, dot(t)))
			w.shoot(dir, strings.TrimSuffix(filepath.Base(path), ".html")+"-"+name)
			if !l.dark {
				w.letter(bare(html))
				w.shoot(dir, strings.TrimSuffix(filepath.Base(path), ".html")+"-bare-"+name)
				get(w, chromedp.Evaluate[bool](`document.documentElement.style.filter = "invert(1) hue-rotate(180deg)", true`))
				w.shoot(dir, strings.TrimSuffix(filepath.Base(path), ".html")+"-inverted-"+name)
			}
		}
	}
}

// letter shows the HTML of a message.
func (w *window) letter(html []byte) {
	w.visit("data:text/html;base64," + base64.StdEncoding.EncodeToString(html))
	w.see("table")
}

// withLogo returns a message with a logo that the browser needs not fetch, nil for one that is blocked.
func withLogo(html, logo []byte) []byte {
	inline := ` src="data:image/png;base64,` + base64.StdEncoding.EncodeToString(logo) + `"`
	return regexp.MustCompile(` src="[^"]*"`).ReplaceAll(html, []byte(inline))
}

// bare returns a message as a client shows it that drops the style sheet and has not loaded pictures.
func bare(html []byte) []byte {
	return withLogo(regexp.MustCompile(`(?s)<style>.*?</style>`).ReplaceAll(html, nil), nil)
}

// unfilled lists buttons that are not a box of their own, large enough to be pressed.
const unfilled = `[...document.querySelectorAll("td > a")].flatMap(a => {
	const box = a.parentElement, b = box.getBoundingClientRect(), card = box.closest(".card");
	const [fill, paper] = [box, card].map(e => getComputedStyle(e).backgroundColor);
	const fits = b.width > 80 && b.height > 40 && fill !== paper && fill !== "rgba(0, 0, 0, 0)";
	return fits ? [] : [a.innerText + ": " + [b.width, b.height, fill, paper]];
})`

// TestMessagesInEveryLook judges the messages of a document's life, wide and narrow, light and dark, and without style
// sheet and pictures.
func TestMessagesInEveryLook(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	status, _ := browse(t, c).sendFile("/app/settings/branding/logo", "logo", "logo.png", dot(t))
	if status != http.StatusOK {
		t.Fatalf("logo: %d", status)
	}
	for _, language := range []string{"en", "ar"} {
		ben := apptest.Map{"name": "Ben Buyer", "email": language + "@signer.example", "locale": language}
		d := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease of a flat", "message": "Please sign by Friday.", "send": true, "invitations": apptest.List{ben}},
			apptest.File{Name: "lease.pdf", Content: apptest.PDF(t)})).Want(t, http.StatusCreated)
		id := d.Text(t, "id")
		c.Post(t, "/documents/"+id+"/remind", nil).Want(t, http.StatusOK)
		var mails []apptest.Mail
		received := func(what string, n int) {
			patience.Until(t, what, func() (string, bool) {
				mails = s.Mails(t, language+"@signer.example")
				return fmt.Sprintf("%d messages", len(mails)), len(mails) == n
			})
		}
		received("the invitation and the reminder", 2) // who has signed is not reminded
		c.Post(t, "/documents/"+id+"/"+d.Text(t, "invitations.0.id")+"/sign", apptest.Map{"consent": true}).Want(t, http.StatusOK)
		received("the copy", 3)
		w := open(t, look{})
		for _, m := range mails {
			w.letter(withLogo([]byte(m.HTML), dot(t)))
			for _, scheme := range []string{"light", "dark", "bare"} {
				if scheme == "bare" {
					w.letter(bare([]byte(m.HTML)))
				}
				for _, width := range []int64{600, 360} {
					w.run(chromedp.EmulateViewport(width, 700))
					w.in(map[string]string{"dark": "dark"}[scheme])
					what := fmt.Sprintf("%s, %s, %d px", m.Subject, scheme, width)
					w.judge(rulesOfLook, what)
					if found := get(w, chromedp.Evaluate[[]string](unfilled)); len(found) > 0 {
						t.Errorf("%s: buttons that are no boxes: %q", what, found)
					}
				}
			}
		}
		w.close()
	}
}
