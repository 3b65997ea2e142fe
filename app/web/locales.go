package web

import (
	_ "embed"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// languageNames are the languages that messages are written in, each by its own
// name.
var languageNames = map[string]string{
	"ar": "العربية", "cs": "Čeština", "de": "Deutsch", "en": "English", "es": "Español", "fr": "Français", "he": "עברית", "it": "Italiano",
	"ja": "日本語", "ko": "한국어", "nl": "Nederlands", "pl": "Polski", "pt": "Português", "tr": "Türkçe", "uk": "Українська", "zh": "中文",
}

// languages are the choices of a language, with the one that suits a locale best
// selected. A locale that is more exact, such as de-AT, stays a choice.
func (d *Door) languages(locale string) []option {
	tag, err := language.Parse(locale)
	if err != nil {
		tag = language.English
	}
	base, _ := tag.Base()
	var all []option
	known := false
	for _, l := range d.Notify.Languages() {
		o := option{Value: l, Label: languageName(l)}
		if base.String() == l {
			known = true
			o.Value, o.Selected = tag.String(), true
			if region, confidence := tag.Region(); confidence == language.Exact {
				o.Label += " (" + region.String() + ")"
			}
		}
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b option) int { return strings.Compare(a.Label, b.Label) })
	if !known {
		all = append(all, option{Value: tag.String(), Label: tag.String(), Selected: true})
	}
	return all
}

func languageName(tag string) string {
	if name, ok := languageNames[tag]; ok {
		return name
	}
	return tag
}

//go:embed zones.txt
var zoneNames string

// zones are the names of the time zones, to choose from. Others that the IANA
// database knows can be typed.
func zones() []string { return strings.Fields(zoneNames) }
