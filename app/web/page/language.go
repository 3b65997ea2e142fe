package page

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// languageCookie holds the chosen language.
const languageCookie = "paraph_language"

// languages lists the languages readers can choose, each by its own name.
func (r *Request) languages() []Option {
	var all []Option
	for _, l := range r.site.Words.Languages() {
		if !l.Pseudo() {
			all = append(all, Option{Value: l.Tag(), Label: l.Name(), Selected: l == r.Words})
		}
	}
	return all
}

// LanguageOptions lists every language that messages can be sent in, by its own
// name, with the one that matches locale selected. A more specific locale, such as
// de-AT, or one without texts remains a choice. "" selects none.
func (r *Request) LanguageOptions(locale string) []Option {
	match := r.site.Words.Exact(locale)
	known := locale == ""
	var all []Option
	for _, l := range r.site.Words.Languages() {
		switch {
		case l.Pseudo():
		case l == match:
			known = true
			all = append(all, Option{Value: locale, Label: LanguageName(locale), Selected: true})
		default:
			all = append(all, Option{Value: l.Tag(), Label: l.Name()})
		}
	}
	slices.SortFunc(all, func(a, b Option) int {
		return strings.Compare(strings.ToLower(a.Label), strings.ToLower(b.Label))
	})
	if !known {
		all = append(all, Option{Value: locale, Label: LanguageName(locale), Selected: true})
	}
	return all
}

// LanguageName returns the native name of a locale's language, with its region.
func LanguageName(locale string) string {
	tag, err := language.Parse(locale)
	if err != nil {
		return locale
	}
	base, _ := tag.Base()
	name := display.Self.Name(language.Make(base.String()))
	if name == "" {
		return locale
	}
	if region, confidence := tag.Region(); confidence == language.Exact {
		name += " (" + region.String() + ")"
	}
	return name
}

// SetLanguage stores the chosen language and returns to the page.
func (r *Request) SetLanguage() error {
	if w := r.site.Words.Tagged(r.Form.Value("language")); w != nil {
		r.SetCookie(languageCookie, w.Tag(), "/", 365*24*time.Hour)
	}
	return r.SeeOther(r.local(r.Form.Value("next"), "/"))
}

// local returns path without the site's prefix, or fallback if path isn't on this
// site.
func (r *Request) local(path, fallback string) string {
	path = r.site.Kit.Inside(path)
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(path, "/") ||
		strings.HasPrefix(path, "//") || strings.Contains(path, `\`) {
		return fallback
	}
	return path
}

// TeamWords switches to the language of the team's pages, for pages outside /app
// that only members use.
func (r *Request) TeamWords() { r.Words = r.site.Words.ForTeam(r.Words) }
