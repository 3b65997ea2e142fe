package web_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
)

// TestSendLaterInTheApp schedules a document on its review page, and calls it off.
func TestSendLaterInTheApp(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	c.Patch(t, "/me", apptest.Map{"timezone": "Asia/Tokyo"}).Want(t, http.StatusOK)
	for name, plain := range map[string]bool{"with scripts": false, "without": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease", "invitations": apptest.List{maria()}},
				apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})).Want(t, http.StatusCreated)
			id := d.Text(t, "id")
			w := team(t, c, look{plain: plain})
			later := func(at time.Time) {
				w.run(chromedp.SetValue(chromedp.CSS(`[name="send_at"]`), at.UTC().Format("2006-01-02T15:04")))
				w.click(`button[value="later"]`)
			}
			w.visit(s.URL + "/app/documents/" + id + "/review")
			w.click(`details:has([name="send_at"]) summary`)
			later(time.Now().Add(-48 * time.Hour))
			w.see("#errors")
			later(time.Now().Add(10_000 * time.Hour))
			w.reads("UTC+09:00 or earlier.")
			later(time.Now().Add(48 * time.Hour))
			w.reads("Scheduled for")
			if got := c.Get(t, "/documents/"+id).Want(t, http.StatusOK); got.At(t, "send_at") == nil || got.Text(t, "status") != "draft" {
				t.Errorf("the document is %s", got.Body)
			}
			if !plain {
				w.judge(allRules, "scheduled")
			}
			w.visit(s.URL + "/app/documents?status=scheduled")
			w.see(`.filters [aria-current]`)
			w.see(chromedp.CSS(`#row-` + id + ` .s-scheduled`))
			w.reads("Scheduled for ")
			if !plain {
				w.judge(allRules, "the scheduled documents")
			}
			w.visit(s.URL + "/app/documents?status=draft")
			w.gone(chromedp.CSS(`#row-` + id))
			w.visit(s.URL + "/app/documents/" + id)
			w.click(`[formaction$="/unschedule"]`)
			w.gone(`[formaction$="/unschedule"]`)
			if got := c.Get(t, "/documents/"+id).Want(t, http.StatusOK); got.At(t, "send_at") != nil {
				t.Errorf("still scheduled: %s", got.Body)
			}
			w.close()
		})
	}
}
