package web_test

import (
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
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
	shoot := func(w *window, name string) {
		if dir == "" {
			return
		}
		get(w, chromedp.Evaluate[bool](`Promise.all([...document.images].filter(i => i.checkVisibility() && i.complete).map(i => i.decode()))
			.then(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))))`, chromedp.EvalAwaitPromise))
		shot, err := chromedp.Call(w.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".png"), shot.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w.visit(s.URL + "/app/documents/" + sent)
	w.until(`[...document.images].every(i => i.complete)`)
	shoot(w, "document")
	w.visit(s.URL + "/app/documents/" + draft + "/edit")
	w.until(`[...document.images].filter(i => i.checkVisibility() && i.getBoundingClientRect().top < innerHeight).every(i => i.complete)`)
	shoot(w, "editor")
	letter := open(t, look{width: 640, height: 520})
	letter.visit("data:text/html;base64," + base64.StdEncoding.EncodeToString([]byte(s.Mails(t, "ben@signer.example")[0].HTML)))
	letter.see("table")
	shoot(letter, "mail")
	for name, l := range map[string]look{"sign": {width: 1000, height: 760}, "phone": {width: 390, height: 760}} {
		reader := open(t, l)
		reader.visit(link)
		reader.see("#finish")
		reader.until(`[...document.images].filter(i => i.checkVisibility() && i.getBoundingClientRect().top < innerHeight).every(i => i.complete)`)
		reader.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("#consent").click(); document.querySelector(".page .f, .page .pin").scrollIntoView({block: "center"}); scrollBy(0, -140)`))
		shoot(reader, name)
	}
}
