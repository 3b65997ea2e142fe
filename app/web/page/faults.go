package page

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/feature/plural"

	"paraph/app/account"
)

// The heart says what is wrong in whole English sentences, which programs are
// given as they are. A reader of another language is given the same sentence out
// of the catalogue: what English calls fault.… is both the sentence and the
// pattern by which it is known.

// fault is one sentence that the heart may say.
type fault struct {
	key     string
	pattern *regexp.Regexp
}

var placeholder = regexp.MustCompile(`\\\{([a-z]+)\\\}`)

// faultsOf makes the patterns of a catalogue, the longest first, so that a
// sentence that is another's beginning is not taken for it.
func faultsOf(english *Words) []fault {
	var all []fault
	for _, key := range slices.SortedFunc(maps.Keys(english.texts), func(a, b string) int {
		return len(english.texts[b][plural.Other]) - len(english.texts[a][plural.Other])
	}) {
		if strings.HasPrefix(key, "fault.") {
			pattern := placeholder.ReplaceAllString(regexp.QuoteMeta(english.texts[key][plural.Other]), `(?P<$1>.+)`)
			all = append(all, fault{key, regexp.MustCompile(`(?s)^` + pattern + `$`)})
		}
	}
	return all
}

// Translate gives a sentence of the heart in the reader's language. A field that
// it names is called by its label. A sentence that is not known stays as it is.
func (r *Request) Translate(sentence string, labels map[string]string) string {
	for _, f := range r.site.books.faults {
		found := f.pattern.FindStringSubmatch(sentence)
		if found == nil {
			continue
		}
		var pairs []any
		for i, name := range f.pattern.SubexpNames() {
			if i == 0 {
				continue
			}
			value := found[i]
			if name == "field" {
				value = r.label(value, labels)
			}
			pairs = append(pairs, name, value)
		}
		return r.Say(f.key, pairs...)
	}
	return sentence
}

func (r *Request) label(field string, labels map[string]string) string {
	if l := labels[field]; l != "" {
		return l
	}
	if l, err := r.Words.Say("label." + field); err == nil {
		return l
	}
	return field
}

// Translated gives all messages of a form in the reader's language.
func (r *Request) Translated(faults map[string][]string) map[string][]string {
	out := make(map[string][]string, len(faults))
	for field, messages := range faults {
		for _, m := range messages {
			out[field] = append(out[field], r.Translate(m, nil))
		}
	}
	return out
}

// Gathered is an error whose messages about the parts of a list stand under the
// one input that the list is typed into.
func Gathered(err error, field string) error {
	if account.KindOf(err) != account.KindInvalid {
		return err
	}
	e, ok := errors.AsType[*account.Error](err)
	if !ok {
		return err
	}
	var f account.Faults
	for name, messages := range e.Fields {
		if strings.HasPrefix(name, field+".") {
			name = field
		}
		for _, m := range messages {
			f.Add(name, m)
		}
	}
	return f.Err()
}
