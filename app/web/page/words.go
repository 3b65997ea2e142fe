package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// Words is the catalogue of one language: the files words/TAG/AREA.json with a
// text, or one text for each plural form of n, under every key. Names in braces
// are put in.
type Words struct {
	tag      language.Tag
	texts    map[string]entry
	fallback *Words
}

// entry is one text: a sentence, or sentences by plural form (CLDR), of which
// there is at least "other".
type entry map[plural.Form]string

var formNames = map[string]plural.Form{"zero": plural.Zero, "one": plural.One, "two": plural.Two, "few": plural.Few,
	"many": plural.Many, "other": plural.Other}

// UnmarshalJSON reads a string, or an object of strings by plural form.
func (t *entry) UnmarshalJSON(b []byte) error {
	var one string
	if err := json.Unmarshal(b, &one); err == nil {
		*t = entry{plural.Other: one}
		return nil
	}
	var forms map[string]string
	if err := json.Unmarshal(b, &forms); err != nil {
		return err
	}
	*t = entry{}
	for name, s := range forms {
		form, ok := formNames[name]
		if !ok {
			return fmt.Errorf("%q is no plural form", name)
		}
		(*t)[form] = s
	}
	if _, ok := (*t)[plural.Other]; !ok {
		return fmt.Errorf("the plural form other is missing in %q", b)
	}
	return nil
}

// books is the catalogues of all languages. The first is English, which is
// complete and stands in for what others lack.
type books struct {
	all     []*Words
	matcher language.Matcher
}

// pseudo is the language of layout tests: English, longer, from right to left.
var pseudo = language.MustParse("ar-XB")

func loadBooks(files fs.FS, withPseudo bool) (*books, error) {
	languages, err := fs.ReadDir(files, "words")
	if err != nil {
		return nil, err
	}
	b := &books{}
	for _, l := range languages {
		w, err := loadWords(files, l.Name())
		if err != nil {
			return nil, err
		}
		b.all = append(b.all, w)
	}
	slices.SortFunc(b.all, func(x, y *Words) int {
		return cmp.Or(cmp.Compare(rank(x), rank(y)), strings.Compare(x.tag.String(), y.tag.String()))
	})
	if len(b.all) == 0 || rank(b.all[0]) != 0 {
		return nil, fmt.Errorf("web: words/en is missing")
	}
	if withPseudo {
		b.all = append(b.all, b.all[0].stretched())
	}
	var tags []language.Tag
	for _, w := range b.all {
		w.fallback = b.all[0]
		tags = append(tags, w.tag)
	}
	b.matcher = language.NewMatcher(tags)
	return b, nil
}

func rank(w *Words) int {
	if w.tag == language.English {
		return 0
	}
	return 1
}

func loadWords(from fs.FS, name string) (w *Words, err error) {
	w = &Words{texts: map[string]entry{}}
	if w.tag, err = language.Parse(name); err != nil {
		return nil, fmt.Errorf("web: words/%s: %w", name, err)
	}
	files, err := fs.Glob(from, "words/"+name+"/*.json")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		raw, err := fs.ReadFile(from, file)
		if err != nil {
			return nil, err
		}
		var area map[string]entry
		if err := json.Unmarshal(raw, &area); err != nil {
			return nil, fmt.Errorf("web: %s: %w", file, err)
		}
		for key, text := range area {
			if _, twice := w.texts[key]; twice {
				return nil, fmt.Errorf("web: %s: %s stands in another area too", file, key)
			}
			w.texts[key] = text
		}
	}
	return w, nil
}

// match finds the language for an Accept-Language header.
func (b *books) match(accept string) *Words {
	tags, _, err := language.ParseAcceptLanguage(accept)
	if err != nil || len(tags) == 0 {
		return b.all[0]
	}
	_, i, confidence := b.matcher.Match(tags...)
	if confidence == language.No {
		return b.all[0]
	}
	return b.all[i]
}

// exact finds the language of a locale such as that of an invitation, nil if
// there is no catalogue that its readers understand.
func (b *books) exact(locale string) *Words {
	tag, err := language.Parse(locale)
	if err != nil || locale == "" {
		return nil
	}
	if _, i, confidence := b.matcher.Match(tag); confidence >= language.High {
		return b.all[i]
	}
	return nil
}

// tagged is the language with just that tag, nil if there is none.
func (b *books) tagged(tag string) *Words {
	for _, w := range b.all {
		if tag != "" && w.Tag() == tag {
			return w
		}
	}
	return nil
}

// forTeam is the language of the team's pages: English, but for the language of
// layout tests.
func (b *books) forTeam(asked *Words) *Words {
	if asked.tag == pseudo {
		return asked
	}
	return b.all[0]
}

// Dir is the direction of the language's script: ltr or rtl.
func (w *Words) Dir() string {
	if w.tag == pseudo {
		return "rtl"
	}
	script, _ := w.tag.Script()
	switch script.String() {
	case "Arab", "Hebr", "Thaa", "Syrc", "Nkoo", "Adlm":
		return "rtl"
	}
	return "ltr"
}

// Tag is the language as HTML names it.
func (w *Words) Tag() string { return w.tag.String() }

// Say gives a text. Pairs are names and values; the number n chooses the plural
// form. An unknown key is an error, so that it is found when a page is first tried.
func (w *Words) Say(key string, pairs ...any) (string, error) {
	t, ok := w.texts[key]
	if !ok {
		if w.fallback == nil || w.fallback == w {
			return "", fmt.Errorf("web: no text %q", key)
		}
		return w.fallback.Say(key, pairs...)
	}
	if len(pairs)%2 != 0 {
		return "", fmt.Errorf("web: text %q: a name without a value", key)
	}
	form := plural.Other
	for i := 0; i < len(pairs); i += 2 {
		if n, ok := pairs[i+1].(int); ok && pairs[i] == "n" {
			form = plural.Cardinal.MatchPlural(w.tag, int(math.Abs(float64(n))), 0, 0, 0, 0)
		}
	}
	s, ok := t[form]
	if !ok {
		s = t[plural.Other]
	}
	return filled(s, pairs), nil
}

// filled puts values where a text names them, as in "{done} of {n}". What stands in
// a value is not looked at.
func filled(text string, pairs []any) string {
	var out strings.Builder
	for {
		before, rest, _ := strings.Cut(text, "{")
		name, after, closed := strings.Cut(rest, "}")
		at := -1
		for i := 0; closed && i < len(pairs); i += 2 {
			if pairs[i] == name {
				at = i + 1
				break
			}
		}
		switch {
		case at > 0:
			out.WriteString(before)
			fmt.Fprint(&out, pairs[at])
			text = after
		case len(before) < len(text):
			out.WriteString(before + "{")
			text = rest
		default:
			out.WriteString(text)
			return out.String()
		}
	}
}

// Must is say for code, where a key that is missing is shown as it is.
func (w *Words) Must(key string, pairs ...any) string {
	s, err := w.Say(key, pairs...)
	if err != nil {
		return key
	}
	return s
}

// under gives all texts whose key begins with a prefix, for a script: as JSON, an
// object of plural forms by the rest of the key.
func (w *Words) under(prefix string) (string, error) {
	all := map[string]map[string]string{}
	for _, from := range []*Words{w.fallback, w} {
		if from == nil {
			continue
		}
		for key, e := range from.texts {
			if rest, ok := strings.CutPrefix(key, prefix); ok {
				all[rest] = e.byName()
			}
		}
	}
	b, err := json.Marshal(all)
	return string(b), err
}

// keys are the rests of all keys that begin with a prefix, in order.
func (w *Words) keys(prefix string) []string {
	var out []string
	for _, from := range []*Words{w, w.fallback} {
		if from == nil {
			continue
		}
		for key := range from.texts {
			if rest, ok := strings.CutPrefix(key, prefix); ok {
				out = append(out, rest)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (t entry) byName() map[string]string {
	out := map[string]string{}
	for name, form := range formNames {
		if s, ok := t[form]; ok {
			out[name] = s
		}
	}
	return out
}

// Date is a day in words, such as 3 December 2026.
func (w *Words) Date(t time.Time) string {
	months := strings.Split(w.Must("date.months"), ",")
	month := ""
	if i := int(t.Month()) - 1; i < len(months) {
		month = months[i]
	}
	return w.Must("date.day", "day", t.Day(), "month", month, "year", t.Year())
}

// Moment is a day and a time of day, with its zone.
func (w *Words) Moment(t time.Time) string {
	zone := t.Format("MST")
	return w.Must("date.moment", "date", w.Date(t), "time", t.Format("15:04"), "zone", zone)
}

// stretched is the catalogue made longer and turned around.
func (w *Words) stretched() *Words {
	out := &Words{tag: pseudo, texts: map[string]entry{}}
	for key, t := range w.texts {
		if strings.HasPrefix(key, "date.") {
			continue
		}
		forms := entry{}
		for form, s := range t {
			forms[form] = "\u2067" + s + strings.Repeat(" ~", len(s)/5) + "\u2069"
		}
		out.texts[key] = forms
	}
	return out
}
