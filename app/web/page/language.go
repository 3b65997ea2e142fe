package page

import (
	"net/url"
	"strings"
	"time"

	"golang.org/x/text/language/display"
)

// languageCookie holds the chosen language.
const languageCookie = "paraph_language"

// languages lists the languages to choose from, each by its own name.
func (r *Request) languages() []Option {
	all := make([]Option, 0, len(r.site.books.all))
	for _, w := range r.site.books.all {
		if w.tag != pseudo {
			all = append(all, Option{Value: w.Tag(), Label: display.Self.Name(w.tag), Selected: w == r.Words})
		}
	}
	return all
}

// SetLanguage stores the chosen language and returns to the page.
func (r *Request) SetLanguage() error {
	if w := r.site.books.tagged(r.Form.Value("language")); w != nil {
		r.Keep(languageCookie, w.Tag(), "/", 365*24*time.Hour)
	}
	return r.SeeOther(local(r.Form.Value("next"), "/"))
}

// local returns path if it is on this site.
func local(path, otherwise string) string {
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.Contains(path, `\`) {
		return otherwise
	}
	return path
}

// TeamWords switches to the team's language on pages outside the app that only its
// members use.
func (r *Request) TeamWords() { r.Words = r.site.books.forTeam(r.Words) }
