package web_test

import (
	"encoding/json"
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

// catalogue reads one area of a language: each text by plural form, "" for the
// only one.
func catalogue(t *testing.T, tag, area string) map[string]map[string]string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("words", tag, area+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatalf("%s/%s: %v", tag, area, err)
	}
	out := map[string]map[string]string{}
	for key, value := range all {
		var one string
		var forms map[string]string
		if json.Unmarshal(value, &one) == nil {
			forms = map[string]string{"": one}
		} else if err := json.Unmarshal(value, &forms); err != nil {
			t.Fatalf("%s/%s: %s: %v", tag, area, key, err)
		}
		out[key] = forms
	}
	return out
}

var pluralNames = map[plural.Form]string{plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many", plural.Other: "other"}

// pluralForms are those that whole numbers have in a language (CLDR).
func pluralForms(tag string) map[string]bool {
	forms := map[string]bool{"other": true}
	for n := range 201 {
		forms[pluralNames[plural.Cardinal.MatchPlural(language.MustParse(tag), n, 0, 0, 0, 0)]] = true
	}
	return forms
}

var names = regexp.MustCompile(`\{[a-z]+\}`)

// namesOf are the names in braces of a text, in all its forms.
func namesOf(forms map[string]string) string {
	found := map[string]bool{}
	for _, text := range forms {
		for _, name := range names.FindAllString(text, -1) {
			found[name] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), " ")
}

// TestLanguagesAreComplete holds every language against English in what those who
// sign and those who check a file are shown: the same texts, with the same names in them, in the plural
// forms of the language.
func TestLanguagesAreComplete(t *testing.T) {
	t.Parallel()
	tags := []string{"ar", "cs", "de", "es", "fr", "he", "it", "ja", "ko", "nl", "pl", "pt", "tr", "uk", "zh"}
	for _, area := range []string{"common", "visit", "faults", "public"} {
		english := catalogue(t, "en", area)
		for _, tag := range tags {
			own, forms := catalogue(t, tag, area), pluralForms(tag)
			for key, text := range english {
				translated, ok := own[key]
				switch {
				case strings.HasPrefix(key, "home."):
					continue // shown to who installs, before there is anybody
				case !ok:
					t.Errorf("%s/%s has no %s", tag, area, key)
					continue
				}
				if want, got := namesOf(text), namesOf(translated); want != got {
					t.Errorf("%s/%s: %s has %q, English has %q", tag, area, key, got, want)
				}
				if _, plain := text[""]; plain {
					continue
				}
				for form := range forms {
					if _, ok := translated[form]; !ok && form != "zero" && form != "two" && !(form == "many" && tag == "he") {
						t.Errorf("%s/%s: %s lacks the form %s", tag, area, key, form)
					}
				}
				for form := range translated {
					if !forms[form] && form != "many" {
						t.Errorf("%s/%s: %s has the form %q, which the language has not", tag, area, key, form)
					}
				}
			}
			for key := range own {
				if _, ok := english[key]; !ok {
					t.Errorf("%s/%s: English has no %s", tag, area, key)
				}
			}
		}
	}
}

// TestTextsAreUsed finds texts of English that nothing asks for.
func TestTextsAreUsed(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, pattern := range []string{"*.go", "*/*.go", "*/*/*.go", "templates/*.html", "templates/*/*.html", "static/*.js", "static/*/*.js"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(raw)
		}
	}
	source := all.String()
	areas, err := filepath.Glob("words/en/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range areas {
		area := strings.TrimSuffix(filepath.Base(file), ".json")
		for key := range catalogue(t, "en", area) {
			if strings.Contains(source, `"`+key+`"`) || strings.Contains(source, `'`+key+`'`) {
				continue
			}
			// What is put together of parts is asked for by one of them.
			used := false
			for i, c := range key {
				if c == '.' && (strings.Contains(source, `"`+key[:i+1]) || strings.Contains(source, `'`+key[i+1:]+`'`) || strings.Contains(source, `"`+key[i:]+`"`)) {
					used = true
				}
			}
			if !used {
				t.Errorf("%s: nothing asks for %s", area, key)
			}
		}
	}
}
