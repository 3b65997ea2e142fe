package page

import (
	_ "embed"
	"slices"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// MailLanguages offers the languages of mails with the best match for a locale
// selected. A more specific locale such as de-AT is preserved.
func MailLanguages(tags []string, locale string) []Option {
	tag, err := language.Parse(locale)
	if err != nil {
		tag = language.English
	}
	base, _ := tag.Base()
	var all []Option
	known := false
	for _, l := range tags {
		o := Option{Value: l, Label: display.Self.Name(language.Make(l))}
		if base.String() == l {
			known = true
			o.Value, o.Selected = tag.String(), true
			if region, confidence := tag.Region(); confidence == language.Exact {
				o.Label += " (" + region.String() + ")"
			}
		}
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b Option) int { return strings.Compare(a.Label, b.Label) })
	if !known {
		all = append(all, Option{Value: tag.String(), Label: tag.String(), Selected: true})
	}
	return all
}

//go:embed zones.txt
var zoneNames string

// zones lists time zones to choose from. Any other IANA zone can be typed.
func zones() []string { return strings.Fields(zoneNames) }
