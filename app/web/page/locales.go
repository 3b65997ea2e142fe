package page

import (
	_ "embed"
	"slices"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// MailLanguages are the languages that messages are written in, with the one that suits a locale best
// selected. A locale that is more exact, such as de-AT, stays a choice.
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

// zones are the names of the time zones, to choose from. Others that the IANA
// database knows can be typed.
func zones() []string { return strings.Fields(zoneNames) }
