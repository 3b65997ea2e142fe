// Package wording holds the words that are written into PDFs, in every language.
package wording

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

// Language is what is written into PDFs, in one language.
type Language struct {
	Tag         string // BCP 47
	RightToLeft bool
	words       map[string]string
}

// Wordings is every language there is, the fallback first.
type Wordings struct {
	all     []*Language
	matcher language.Matcher
}

// Read reads the languages that are part of the program.
func Read() (*Wordings, error) {
	names, err := fs.Glob(wordingFiles, "texts/*.json")
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	w := &Wordings{}
	var tags []language.Tag
	for _, name := range names {
		one, err := readWording(name)
		if err != nil {
			return nil, fmt.Errorf("wording: %s: %w", name, err)
		}
		w.all, tags = append(w.all, one), append(tags, language.Make(one.Tag))
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

func readWording(name string) (*Language, error) {
	b, err := wordingFiles.ReadFile(name)
	if err != nil {
		return nil, err
	}
	w := &Language{Tag: languageOf(name)}
	w.RightToLeft = w.Tag == "ar" || w.Tag == "he"
	return w, json.Unmarshal(b, &w.words)
}

// For finds the language that suits a locale best.
func (w *Wordings) For(locale string) *Language {
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

// Say returns a wording with its {names} replaced; pairs are names and values.
func (w *Language) Say(key string, pairs ...string) string {
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

// SayOr returns a wording, or otherwise where there is none.
func (w *Language) SayOr(key, otherwise string) string {
	if s, ok := w.words[key]; ok {
		return s
	}
	return otherwise
}

// UTCLayout is how UTC is written in every language, so that it can be compared.
const UTCLayout = "2006-01-02 15:04:05 UTC"

// Time writes a time in a zone, in the language's form, and in UTC.
func (w *Language) Time(t time.Time, zone *time.Location) string {
	local, utc := w.Times(t, zone)
	if local == "" {
		return utc
	}
	return local + " (" + utc + ")"
}

// Times returns the two forms of a time; local is empty where the zone is UTC.
func (w *Language) Times(t time.Time, zone *time.Location) (local, utc string) {
	utc = t.UTC().Format(UTCLayout)
	if zone == nil || zone == time.UTC || zone.String() == "UTC" {
		return "", utc
	}
	return t.In(zone).Format(w.words["date"] + " 15:04:05 UTC-07:00"), utc
}

// Address names a person with their mailbox.
func (w *Language) Address(name, email string) string {
	switch {
	case email == "":
		return name
	case name == "":
		return email
	case w.RightToLeft: // angle brackets are not turned in pairs (UAX #9, BD16)
		return name + " (" + email + ")"
	}
	return name + " <" + email + ">"
}

// Device shortens what a browser says of itself to the words people use.
func (w *Language) Device(agent string) string {
	browser, system := firstNamed(agent, browsers[:]), firstNamed(agent, systems[:])
	switch {
	case browser == "" && system == "":
		product, _, _ := strings.Cut(agent, " ")
		return strings.Replace(product, "/", " ", 1)
	case browser == "" || system == "":
		return browser + system
	}
	return w.Say("device.words", "browser", browser, "system", system)
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
