package signing_test

import (
	"bytes"
	"slices"
	"testing"

	"paraph/app/apptest"
)

// TestEventsShowTheDocumentAsTheyLeftIt checks that later changes do not alter the
// document shown with earlier events.
func TestEventsShowTheDocumentAsTheyLeftIt(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	first := c.Post(t, "/documents", apptest.Map{"title": "One"}).Want(t, 201)
	at := "/documents/" + first.Text(t, "id")
	for _, title := range []string{"Two", "Three"} {
		c.Patch(t, at, apptest.Map{"title": title}).Want(t, 200)
	}
	titles := func() []string {
		feed := c.Get(t, "/events").Want(t, 200)
		return []string{feed.Text(t, "data.0.data.document.title"), feed.Text(t, "data.1.data.document.title"), feed.Text(t, "data.2.data.document.title")}
	}
	if got, want := titles(), []string{"One", "Two", "Three"}; !slices.Equal(got, want) {
		t.Errorf("titles in the events are %v, want %v", got, want)
	}
	c.Delete(t, at).Want(t, 200)
	c.Post(t, at+"/purge", apptest.Map{"title": "Three"}).Want(t, 204)
	if feed := c.Get(t, "/events").Want(t, 200); feed.At(t, "data.0.data.document") != nil || bytes.Contains(feed.Body, []byte(`"title":"Two"`)) {
		t.Errorf("events still show a purged document: %s", feed.Body)
	}
}
