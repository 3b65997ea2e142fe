// Package words holds every sentence that people read, in every language: pages, mails,
// certificates of completion and refusals. TAG/AREA.json holds each sentence under its key,
// with the names of values in braces, as in "Signed by {name}".
package words

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"

	"golang.org/x/text/language"
)

//go:embed */*.json
var files embed.FS

// Catalogue holds all languages. English comes first: it is complete, and supplies texts that
// another language lacks.
type Catalogue struct {
	all     []*Language
	matcher language.Matcher
	pseudo  func() *Catalogue
}

// Load returns the embedded catalogue. It is read once per process, because tests open hundreds
// of appliances in one. Every language but English is read when it is first used: a server needs
// few of them, and all together take more memory than the rest of an idle one.
func Load() (*Catalogue, error) { return embedded() }

var embedded = sync.OnceValues(func() (*Catalogue, error) { return load(files) })

func load(from fs.FS) (*Catalogue, error) {
	folders, err := fs.ReadDir(from, ".")
	if err != nil {
		return nil, fmt.Errorf("words: %w", err)
	}
	var all []*Language
	for _, folder := range folders {
		l, err := loadLanguage(from, folder.Name())
		if err != nil {
			return nil, fmt.Errorf("words: %w", err)
		}
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b *Language) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Tag(), b.Tag()))
	})
	if len(all) == 0 || all[0].tag != language.English {
		return nil, errors.New("words: no English texts")
	}
	for _, l := range all {
		l.fallback = all[0]
	}
	return catalogueOf(all), nil
}

func rank(l *Language) int {
	if l.tag == language.English {
		return 0
	}
	return 1
}

func catalogueOf(all []*Language) *Catalogue {
	tags := make([]language.Tag, len(all))
	for i, l := range all {
		tags[i] = l.tag
	}
	return &Catalogue{all: all, matcher: language.NewMatcher(tags), pseudo: sync.OnceValue(func() *Catalogue {
		return catalogueOf(append(slices.Clone(all), all[0].stretched()))
	})}
}

func loadLanguage(from fs.FS, folder string) (*Language, error) {
	tag, err := language.Parse(folder)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	if tag != language.English {
		return newLanguage(tag, func() map[string]text { return mustRead(from, folder) }), nil
	}
	texts, err := read(from, folder)
	return newLanguage(tag, func() map[string]text { return texts }), err
}

// mustRead reads texts that are part of the program, so that a faulty one is a fault of the
// program. A test reads all of them.
func mustRead(from fs.FS, folder string) map[string]text {
	texts, err := read(from, folder)
	if err != nil {
		panic(fmt.Errorf("words: %w", err))
	}
	return texts
}

// read reads the texts of one language. Keys are unique over all areas.
func read(from fs.FS, folder string) (map[string]text, error) {
	areas, err := fs.Glob(from, path.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	all := map[string]text{}
	for _, name := range areas {
		raw, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, err
		}
		var area map[string]text
		if err := json.Unmarshal(raw, &area); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for key, t := range area {
			if _, twice := all[key]; twice {
				return nil, fmt.Errorf("%s: key %s is also in another area", name, key)
			}
			all[key] = t
		}
	}
	return all, nil
}

// WithPseudo adds a language for layout tests, ar-XB: English, made longer and written from
// right to left.
func (c *Catalogue) WithPseudo() *Catalogue { return c.pseudo() }

// English returns the language that has every text.
func (c *Catalogue) English() *Language { return c.all[0] }

// Languages lists all languages, English first.
func (c *Catalogue) Languages() []*Language { return slices.Clone(c.all) }

// Tags returns the tags of all languages, in alphabetical order.
func (c *Catalogue) Tags() []string {
	tags := make([]string, len(c.all))
	for i, l := range c.all {
		tags[i] = l.Tag()
	}
	slices.Sort(tags)
	return tags
}

// Match returns the language that best suits an Accept-Language header or a single locale. It
// is English if none does.
func (c *Catalogue) Match(accept string) *Language {
	if l := c.Asked(accept); l != nil {
		return l
	}
	return c.English()
}

// Asked is Match, but returns nil if no language suits.
func (c *Catalogue) Asked(accept string) *Language {
	tags, _, err := language.ParseAcceptLanguage(accept)
	if err != nil || len(tags) == 0 {
		return nil
	}
	_, i, confidence := c.matcher.Match(tags...)
	if confidence == language.No {
		return nil
	}
	return c.all[i]
}

// Exact returns the language that readers of a locale understand, nil if there is none.
func (c *Catalogue) Exact(locale string) *Language {
	tag, err := language.Parse(locale)
	if err != nil || locale == "" {
		return nil
	}
	if _, i, confidence := c.matcher.Match(tag); confidence >= language.High {
		return c.all[i]
	}
	return nil
}

// Tagged returns the language with exactly this tag, nil if there is none.
func (c *Catalogue) Tagged(tag string) *Language {
	for _, l := range c.all {
		if l.Tag() == tag {
			return l
		}
	}
	return nil
}

// ForTeam returns the language of the team's pages: asked if they are translated into it, otherwise
// English. The language for layout tests is kept.
func (c *Catalogue) ForTeam(asked *Language) *Language {
	if asked != nil && (asked.tag == pseudo || asked.Team()) {
		return asked
	}
	return c.English()
}
