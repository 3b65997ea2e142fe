package page

import (
	"net/http"
	"time"
)

// textCookie holds the chosen text size.
const textCookie = "paraph_text"

// textSize returns the text size: large, larger, or "" for the default.
func (r *Request) textSize() string {
	if v := r.Cookies(textCookie); v == "large" || v == "larger" {
		return v
	}
	return ""
}

// SetTextSize stores the chosen size and redirects back to the page.
func (r *Request) SetTextSize() error {
	lifetime := 365 * 24 * time.Hour
	size := r.Form.Value("size")
	if size != "large" && size != "larger" {
		size, lifetime = "", -1
	}
	r.SetCookie(textCookie, size, "/", lifetime)
	if r.Scripted() {
		return r.SendStatus(http.StatusNoContent)
	}
	return r.SeeOther(r.local(r.Form.Value("next"), "/"))
}
