package words

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// Language is the catalogue in one language.
type Language struct {
	tag      language.Tag
	texts    func() map[string]text
	fallback *Language
	printer  *message.Printer
}

// newLanguage returns a language whose texts are read when they are first needed.
func newLanguage(tag language.Tag, read func() map[string]text) *Language {
	return &Language{tag: tag, texts: sync.OnceValue(read), printer: message.NewPrinter(westernDigits(tag))}
}

// westernDigits makes numbers use the same digits as the rest of the text.
func westernDigits(tag language.Tag) language.Tag {
	if western, err := tag.SetTypeForKey("nu", "latn"); err == nil {
		return western
	}
	return tag
}

// Tag returns the language's BCP 47 tag, as used in HTML.
func (l *Language) Tag() string { return l.tag.String() }

// Name returns the language's name in the language itself.
func (l *Language) Name() string { return display.Self.Name(l.tag) }

// Team reports whether the team's pages are translated into the language.
func (l *Language) Team() bool {
	_, ok := l.texts()["nav.documents"]
	return ok
}

// Dir returns the direction of the script: ltr or rtl.
func (l *Language) Dir() string {
	if l.RightToLeft() {
		return "rtl"
	}
	return "ltr"
}

// RightToLeft reports whether the script runs from right to left.
func (l *Language) RightToLeft() bool {
	if l.tag == pseudo {
		return true
	}
	script, _ := l.tag.Script()
	switch script.String() {
	case "Adlm", "Arab", "Hebr", "Nkoo", "Syrc", "Thaa":
		return true
	}
	return false
}

// Has reports whether there is a text, in this language or in English.
func (l *Language) Has(key string) bool {
	_, _, ok := l.find(key)
	return ok
}

// Names lists the names in braces that a text has, in all its forms.
func (l *Language) Names(key string) []string {
	t, _, _ := l.find(key)
	names := map[string]bool{}
	t.each(func(_ plural.Form, s string) {
		fill(s, func(name string) (string, bool) {
			names[name] = true
			return "", true
		})
	})
	return slices.Sorted(maps.Keys(names))
}

// find returns a text and the language it is in.
func (l *Language) find(key string) (text, *Language, bool) {
	if t, ok := l.texts()[key]; ok {
		return t, l, true
	}
	if l.fallback == nil || l.fallback == l {
		return text{}, nil, false
	}
	return l.fallback.find(key)
}

// Say returns the text of a key with values inserted: pairs are names and values. In texts with
// plural forms the name n is the count: it selects the form and is formatted with Number. If
// there is no text, Say returns the key, so that the gap is visible.
func (l *Language) Say(key string, pairs ...any) string {
	s, err := l.Text(key, pairs...)
	if err != nil {
		return key
	}
	return s
}

// SayOr is Say with a fallback text.
func (l *Language) SayOr(key, otherwise string) string {
	s, err := l.Text(key)
	if err != nil {
		return otherwise
	}
	return s
}

// Text is Say, but fails if there is no text, or a name without a value.
func (l *Language) Text(key string, pairs ...any) (string, error) {
	if len(pairs)%2 != 0 {
		return "", fmt.Errorf("words: text %s: name without a value", key)
	}
	args := make(map[string]any, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return "", fmt.Errorf("words: text %s: %v is not a name", key, pairs[i])
		}
		args[name] = pairs[i+1]
	}
	return l.TextOf(key, args)
}

// SayOf is Say with a map of values.
func (l *Language) SayOf(key string, args map[string]any) string {
	s, err := l.TextOf(key, args)
	if err != nil {
		return key
	}
	return s
}

// TextOf is Text with a map of values. Moments are written as by [Language.Moment].
func (l *Language) TextOf(key string, args map[string]any) (string, error) {
	t, in, ok := l.find(key)
	if !ok {
		return "", fmt.Errorf("words: no text %s", key)
	}
	form, count := plural.Other, ""
	if n, ok := args["n"].(int); ok && t.counts() {
		form, count = in.form(n), in.Number(n)
	}
	return fill(t.in(form), func(name string) (string, bool) {
		v, ok := args[name]
		if name == "n" && count != "" {
			return count, true
		}
		if at, is := v.(time.Time); is {
			return l.Moment(at), ok
		}
		return fmt.Sprint(v), ok
	}), nil
}

func (l *Language) form(n int) plural.Form {
	return plural.Cardinal.MatchPlural(l.tag, max(n, -n), 0, 0, 0, 0)
}

// Number formats a whole number with the language's separators.
func (l *Language) Number(n int) string { return l.printer.Sprint(number.Decimal(n)) }

// List joins items as in "a, b and c".
func (l *Language) List(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return l.Say("list.end", "before", strings.Join(items[:last], l.Say("list.comma")), "last", items[last])
}

// Mailbox formats a name with its address.
func (l *Language) Mailbox(name, address string) string {
	switch {
	case address == "":
		return name
	case name == "":
		return address
	case l.RightToLeft(): // angle brackets are not mirrored in pairs (UAX #9, BD16)
		return name + " (" + address + ")"
	}
	return name + " <" + address + ">"
}

// Keys lists the remainders of all keys that begin with a prefix, in order.
func (l *Language) Keys(prefix string) []string {
	return slices.Sorted(maps.Keys(l.under(prefix)))
}

// JSON returns all texts whose keys begin with a prefix, for a script: an object of plural
// forms by the remainder of the key.
func (l *Language) JSON(prefix string) (string, error) {
	all := map[string]map[string]string{}
	for rest, t := range l.under(prefix) {
		all[rest] = t.byName()
	}
	b, err := json.Marshal(all)
	return string(b), err
}

func (l *Language) under(prefix string) map[string]text {
	all := map[string]text{}
	for _, from := range []*Language{l.fallback, l} {
		for key, t := range from.texts() {
			if rest, ok := strings.CutPrefix(key, prefix); ok {
				all[rest] = t
			}
		}
	}
	return all
}
