package signing

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"
)

//go:embed texts/*.json
var wordingFiles embed.FS

// fallbackLanguage is used where no other fits.
const fallbackLanguage = "en"

// wording is what is written into PDFs, in one language.
type wording struct {
	language    string // BCP 47
	rightToLeft bool
	words       map[string]string
}

// wordings are all languages we have, the fallback first.
type wordings struct {
	all     []*wording
	matcher language.Matcher
}

// readWordings reads what is part of the program.
func readWordings() (*wordings, error) {
	names, err := fs.Glob(wordingFiles, "texts/*.json")
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	w := &wordings{}
	var tags []language.Tag
	for _, name := range names {
		one, err := readWording(name)
		if err != nil {
			return nil, fmt.Errorf("signing: %s: %w", name, err)
		}
		w.all, tags = append(w.all, one), append(tags, language.Make(one.language))
	}
	w.matcher = language.NewMatcher(tags)
	return w, nil
}

// rank puts the fallback before all others.
func rank(name string) int {
	if languageOf(name) == fallbackLanguage {
		return 0
	}
	return 1
}

func languageOf(name string) string { return strings.TrimSuffix(path.Base(name), ".json") }

func readWording(name string) (*wording, error) {
	b, err := wordingFiles.ReadFile(name)
	if err != nil {
		return nil, err
	}
	w := &wording{language: languageOf(name)}
	w.rightToLeft = w.language == "ar" || w.language == "he"
	return w, json.Unmarshal(b, &w.words)
}

// of finds the language that suits a locale best.
func (w *wordings) of(locale string) *wording {
	tag, err := language.Parse(locale)
	if err != nil {
		return w.all[0]
	}
	_, i, confidence := w.matcher.Match(tag)
	if confidence == language.No {
		return w.all[0]
	}
	return w.all[i]
}

// say gives a wording with its {names} replaced; pairs are names and values.
func (w *wording) say(key string, pairs ...string) string {
	s := w.words[key]
	if len(pairs) == 0 {
		return s
	}
	old := slices.Clone(pairs)
	for i := 0; i < len(old); i += 2 {
		old[i] = "{" + old[i] + "}"
	}
	return strings.NewReplacer(old...).Replace(s)
}

// sayOr gives a wording, or what it stands for where there is none.
func (w *wording) sayOr(key, otherwise string) string {
	if s, ok := w.words[key]; ok {
		return s
	}
	return otherwise
}

// utcLayout is how UTC is written in every language, so that it can be compared.
const utcLayout = "2006-01-02 15:04:05 UTC"

// time writes a time in a zone, in the language's form, and in UTC.
func (w *wording) time(t time.Time, zone *time.Location) string {
	local, utc := w.times(t, zone)
	if local == "" {
		return utc
	}
	return local + " (" + utc + ")"
}

// times gives the two forms of a time; local is empty where the zone is UTC.
func (w *wording) times(t time.Time, zone *time.Location) (local, utc string) {
	utc = t.UTC().Format(utcLayout)
	if zone == nil || zone == time.UTC || zone.String() == "UTC" {
		return "", utc
	}
	return t.In(zone).Format(w.words["date"] + " 15:04:05 UTC-07:00"), utc
}

// device shortens what a browser says of itself to the words people use.
func (w *wording) device(agent string) string {
	browser, system := firstNamed(agent, browsers[:]), firstNamed(agent, systems[:])
	switch {
	case browser == "" && system == "":
		product, _, _ := strings.Cut(agent, " ")
		return strings.Replace(product, "/", " ", 1)
	case browser == "" || system == "":
		return browser + system
	}
	return w.say("device.words", "browser", browser, "system", system)
}

// browsers and systems are looked for in this order: many name others too.
var (
	browsers = [...][2]string{{"Edg/", "Edge"}, {"EdgA/", "Edge"}, {"EdgiOS/", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"}, {"Vivaldi/", "Vivaldi"},
		{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chromium/", "Chromium"}, {"HeadlessChrome/", "Chrome"},
		{"Chrome/", "Chrome"}, {"Version/", "Safari"}, {"curl/", "curl"}}
	systems = [...][2]string{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"},
		{"Macintosh", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}}
)

// firstNamed is the name that stands for the first mark found in s.
func firstNamed(s string, marks [][2]string) string {
	for _, m := range marks {
		if _, after, ok := strings.Cut(s, m[0]); ok {
			return m[1] + version(m[0], after)
		}
	}
	return ""
}

// version is the main version that follows a browser's mark, with a space before it.
func version(mark, after string) string {
	digits := len(after) - len(strings.TrimLeft(after, "0123456789"))
	if digits == 0 || !strings.HasSuffix(mark, "/") {
		return ""
	}
	return " " + after[:digits]
}
