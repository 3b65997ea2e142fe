package page

import (
	"net/http"
	"time"
)

// textCookie holds the size of text that somebody chose.
const textCookie = "paraph_text"

// textSize is that size: large, larger, or "" for the usual one.
func (r *Request) textSize() string {
	if v := r.Cookies(textCookie); v == "large" || v == "larger" {
		return v
	}
	return ""
}

// SetTextSize keeps the size that was chosen, and goes back to the page.
func (r *Request) SetTextSize() error {
	lifetime := 365 * 24 * time.Hour
	size := r.Form.Value("size")
	if size != "large" && size != "larger" {
		size, lifetime = "", -1
	}
	r.Keep(textCookie, size, "/", lifetime)
	if r.Scripted() {
		return r.SendStatus(http.StatusNoContent)
	}
	return r.SeeOther(local(r.Form.Value("next"), "/"))
}
