package web_test

import (
	"net/http"
	"testing"
	"time"

	"paraph/app/apptest"
)

// TestSendLaterInTheApp schedules a document on its review page, and calls it off.
func TestSendLaterInTheApp(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	c.Patch(t, "/me", apptest.Map{"timezone": "Asia/Tokyo"}).Want(t, http.StatusOK)
	for name, scripts := range map[string]bool{"with scripts": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease", "invitations": apptest.List{maria()}},
				apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})).Want(t, http.StatusCreated)
			id := d.Text(t, "id")
			w := either(t, c, scripts)
			later := func(at time.Time) {
				w.Pick(`[name="send_at"]`, at.UTC().Format("2006-01-02T15:04"))
				w.Click(`button[value="later"]`)
			}
			w.Visit(s.URL + "/app/documents/" + id + "/review")
			w.Click(`details:has([name="send_at"]) summary`)
			later(time.Now().Add(-48 * time.Hour))
			w.See("#errors")
			later(time.Now().Add(10_000 * time.Hour))
			w.Says("UTC+09:00 or earlier.")
			later(time.Now().Add(48 * time.Hour))
			w.Says("Scheduled for")
			if got := c.Get(t, "/documents/"+id).Want(t, http.StatusOK); got.At(t, "send_at") == nil || got.Text(t, "status") != "draft" {
				t.Errorf("the document is %s", got.Body)
			}
			if w, is := w.(*window); is {
				w.judge(allRules, "scheduled")
			}
			w.Visit(s.URL + "/app/documents?status=scheduled")
			w.See(`.filters [aria-current]`)
			w.See(`#row-` + id + ` .s-scheduled`)
			w.Says("Scheduled for ")
			if w, is := w.(*window); is {
				w.judge(allRules, "the scheduled documents")
			}
			w.Visit(s.URL + "/app/documents?status=draft")
			w.Gone(`#row-` + id)
			w.Visit(s.URL + "/app/documents/" + id)
			w.Click(`[formaction$="/unschedule"]`)
			w.Gone(`[formaction$="/unschedule"]`)
			if got := c.Get(t, "/documents/"+id).Want(t, http.StatusOK); got.At(t, "send_at") != nil {
				t.Errorf("still scheduled: %s", got.Body)
			}
		})
	}
}
