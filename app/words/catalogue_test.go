package words_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// forms is one text by plural form, "" where there is only one.
type forms map[string]string

func (f *forms) UnmarshalJSON(b []byte) error {
	var single string
	if json.Unmarshal(b, &single) == nil {
		*f = forms{"": single}
		return nil
	}
	return json.Unmarshal(b, (*map[string]string)(f))
}

func (f forms) any() string {
	for _, s := range f {
		return s
	}
	return ""
}

func (f forms) plural() bool {
	_, single := f[""]
	return !single
}

// names are the names in braces of a text, once each.
func (f forms) names() string {
	found := map[string]bool{}
	for _, s := range f {
		for _, name := range placeholder.FindAllString(s, -1) {
			found[name] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), " ")
}

var placeholder = regexp.MustCompile(`\{\w+\}`)

// areas are the texts of a language, by area and key.
func areas(t *testing.T, tag string) map[string]map[string]forms {
	t.Helper()
	files, err := filepath.Glob(tag + "/*.json")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]forms{}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var area map[string]forms
		if err := json.Unmarshal(raw, &area); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[strings.TrimSuffix(filepath.Base(name), ".json")] = area
	}
	return all
}

// translated lists the areas read by people outside the team, in all languages.
var translated = []string{"certificate", "common", "faults", "formats", "mail", "public", "refusals", "verdict", "visit"}

// untranslated lists the areas that are in English only: the reference for programmers.
var untranslated = []string{"docs"}

// TestTeamPagesAreTranslatedWholly compares languages that have the team's pages with English. Few texts may be
// missing and show in English, those that were added since, or be left over.
func TestTeamPagesAreTranslatedWholly(t *testing.T) {
	t.Parallel()
	english, teams := areas(t, "en"), 0
	for _, l := range load(t).Languages() {
		if l.Tag() == "en" || !l.Team() {
			continue
		}
		own, plurals, total, missing := areas(t, l.Tag()), pluralForms(l.Tag()), 0, 0
		teams++
		for area, texts := range english {
			if slices.Contains(translated, area) || slices.Contains(untranslated, area) {
				continue
			}
			for key, want := range texts {
				got, ok := own[area][key]
				if total++; !ok {
					missing++
				} else if err := check(l.Tag(), key, got, want, plurals); err != nil {
					t.Errorf("%s/%s: %s %v", l.Tag(), area, key, err)
				}
			}
			for key := range own[area] {
				if _, ok := texts[key]; !ok {
					missing++ // nothing shows it any more
				}
			}
		}
		if missing*20 > total {
			t.Errorf("%s lacks %d of %d texts of the team's pages, or has others", l.Tag(), missing, total)
		}
	}
	if teams == 0 {
		t.Error("no language has the team's pages")
	}
}

// TestEveryLanguageHasEveryText compares every language with English: the same keys, the same
// placeholders, and the plural forms of the language.
func TestEveryLanguageHasEveryText(t *testing.T) {
	t.Parallel()
	english := areas(t, "en")
	catalogue := load(t)
	tags := catalogue.Tags()
	if len(tags) != 16 {
		t.Fatalf("there are %d languages: %v", len(tags), tags)
	}
	for _, tag := range tags {
		own, plurals := areas(t, tag), pluralForms(tag)
		if len(catalogue.Tagged(tag).Keys("visit.")) == 0 { // reads them, which panics if one is faulty
			t.Errorf("%s has no texts", tag)
		}
		for area := range own {
			if tag != "en" && (english[area] == nil || slices.Contains(untranslated, area)) {
				t.Errorf("%s/%s is not an area that is translated", tag, area)
			}
		}
		for _, area := range translated {
			for key, want := range english[area] {
				if strings.HasPrefix(key, "home.") {
					continue // shown only during installation
				}
				if err := check(tag, key, own[area][key], want, plurals); err != nil {
					t.Errorf("%s/%s: %s %v", tag, area, key, err)
				}
			}
			for key := range own[area] {
				if _, ok := english[area][key]; !ok {
					t.Errorf("%s/%s: English has no %s", tag, area, key)
				}
			}
		}
	}
}

// TestEveryKindOfMessageHasAName finds messages without a name for the pages that list them.
func TestEveryKindOfMessageHasAName(t *testing.T) {
	t.Parallel()
	kinds := 0
	for _, tag := range load(t).Tags() {
		own := areas(t, tag)
		for key := range own["mail"] {
			kind, ok := strings.CutSuffix(strings.TrimPrefix(key, "mail."), ".subject")
			if !ok {
				continue
			}
			if kinds++; own["settings"]["texts.kind."+kind] == nil {
				t.Errorf("%s has no name for messages of the kind %s", tag, kind)
			}
		}
	}
	if kinds < 500 {
		t.Errorf("found only %d subjects", kinds)
	}
}

// check compares a text with the English one. The plural forms are those of its language.
func check(tag, key string, got, want forms, plurals map[string]bool) error {
	switch {
	case got == nil:
		return fmt.Errorf("is missing")
	case got.names() != want.names() && key != "date.figures": // may have 3, 03 and March
		return fmt.Errorf("names %q, English %q", got.names(), want.names())
	case got.plural() != want.plural():
		return fmt.Errorf("must have plural forms in all languages or in none")
	}
	for form, s := range got {
		switch {
		case (strings.TrimSpace(s) == "") != (want.any() == ""):
			return fmt.Errorf("is %q", s)
		case strings.TrimSpace(s) != s && key != "list.comma":
			return fmt.Errorf("begins or ends with a space")
		case tag != "en" && s == want[form] && len(strings.Fields(placeholder.ReplaceAllString(s, ""))) > 2:
			return fmt.Errorf("is still English: %q", s) // shorter texts may be names
		case form != "" && !plurals[form]:
			return fmt.Errorf("has the form %q, which the language lacks", form)
		}
	}
	if !got.plural() {
		return nil
	}
	for form := range plurals {
		if got[form] == "" {
			return fmt.Errorf("lacks the form %q", form)
		}
	}
	return nil
}

var formNames = map[plural.Form]string{plural.Zero: "zero", plural.One: "one", plural.Two: "two",
	plural.Few: "few", plural.Many: "many", plural.Other: "other"}

// pluralForms are those that whole numbers have in a language (CLDR), and other,
// which stands in for what is missing.
func pluralForms(tag string) map[string]bool {
	found, parsed := map[string]bool{"other": true}, language.MustParse(tag)
	add := func(n int) { found[formNames[plural.Cardinal.MatchPlural(parsed, n, 0, 0, 0, 0)]] = true }
	for n := range 1001 {
		add(n)
	}
	for n := 100_000; n <= 1_000_000; n += 100_000 {
		add(n)
	}
	return found
}
