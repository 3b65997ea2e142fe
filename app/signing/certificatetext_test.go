package signing_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"paraph/app/pdf/text"
)

// languages are those that everything is written in.
const languages = "ar cs de en es fr he it ja ko nl pl pt tr uk zh"

func wording(t testing.TB, language string) map[string]string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("texts", language+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var words map[string]string
	if err := json.Unmarshal(b, &words); err != nil {
		t.Fatal(err)
	}
	return words
}

// international are words that several languages write alike.
var international = regexp.MustCompile(`^(converted_by\.(builtin|libreoffice)|bytes|length|email|no|role|document|signatures?|page_count)$`)

func TestEveryLanguageHasEveryWording(t *testing.T) {
	t.Parallel()
	english, fonts := wording(t, "en"), text.New()
	placeholder := regexp.MustCompile(`\{\w+\}`)
	names := func(s string) []string { return slices.Sorted(slices.Values(placeholder.FindAllString(s, -1))) }
	files, err := filepath.Glob("texts/*.json")
	if err != nil || len(files) != len(strings.Fields(languages)) {
		t.Fatalf("%d languages, %v", len(files), err)
	}
	for language := range strings.FieldsSeq(languages) {
		words := wording(t, language)
		if !slices.Equal(slices.Sorted(maps.Keys(words)), slices.Sorted(maps.Keys(english))) {
			t.Errorf("%s has other keys than English", language)
		}
		for key, s := range words {
			switch {
			case strings.TrimSpace(s) == "" || s != strings.TrimSpace(s):
				t.Errorf("%s, %s: %q", language, key, s)
			case !slices.Equal(names(s), names(english[key])):
				t.Errorf("%s, %s names %v, not %v", language, key, names(s), names(english[key]))
			case language != "en" && s == english[key] && !international.MatchString(key):
				t.Errorf("%s, %s is English: %q", language, key, s)
			case len(fonts.Missing(s)) > 0:
				t.Errorf("%s, %s can't be drawn: %q", language, key, fonts.Missing(s))
			}
		}
	}
}

// TestEveryEventHasAWording looks for the events in the program itself.
func TestEveryEventHasAWording(t *testing.T) {
	t.Parallel()
	english := wording(t, "en")
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	event := regexp.MustCompile(`"((?:document|invitation|file|field)\.[a-z_]+)"`)
	found := map[string]bool{}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range event.FindAllSubmatch(b, -1) {
			found[string(m[1])] = true
		}
	}
	for kind := range found {
		if english["event."+kind] == "" {
			t.Errorf("%s has no wording", kind)
		}
	}
	if len(found) < 30 {
		t.Errorf("only %d events are found", len(found))
	}
}
