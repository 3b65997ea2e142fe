package web

import (
	"net/url"
	"strings"
	"time"

	"golang.org/x/text/language/display"
)

// languageCookie holds the language that somebody chose.
const languageCookie = "paraph_language"

// languages are those that a reader can choose from, each by its own name.
func (r *request) languages() []option {
	all := make([]option, 0, len(r.door.books.all))
	for _, w := range r.door.books.all {
		if w.tag != pseudo {
			all = append(all, option{Value: w.Tag(), Label: display.Self.Name(w.tag), Selected: w == r.words})
		}
	}
	return all
}

// setLanguage keeps the language that was chosen, and goes back to the page.
func (r *request) setLanguage() error {
	if w := r.door.books.tagged(r.form.value("language")); w != nil {
		r.keep(languageCookie, w.Tag(), "/", 365*24*time.Hour)
	}
	return r.redirect(local(r.form.value("next"), "/"))
}

// local is a path on this site, and never an address elsewhere.
func local(path, otherwise string) string {
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.Contains(path, `\`) {
		return otherwise
	}
	return path
}
