package public

import (
	"net/http"

	"paraph/app/web/page"
)

// ShowOffline serves the page that browsers keep for when the server can't be reached. It is shown under
// the address of the page that couldn't be opened, so that reloading it opens that page. Its script does so.
func ShowOffline(r *page.Request) error {
	r.TeamWords()
	p := page.Page{Title: r.Say("offline.title"), Scripts: []string{"offline.js"}, Public: true}
	return offlineTemplate.Render(r, http.StatusOK, page.With(p, page.Bare{}))
}
