package wording_test

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
	"paraph/app/signing/wording"
)

// languages are those that everything is written in.
const languages = "ar cs de en es fr he it ja ko nl pl pt tr uk zh"

func wordsOf(t testing.TB, language string) map[string]string {
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
	english, fonts := wordsOf(t, "en"), text.New()
	placeholder := regexp.MustCompile(`\{\w+\}`)
	names := func(s string) []string { return slices.Sorted(slices.Values(placeholder.FindAllString(s, -1))) }
	files, err := filepath.Glob("texts/*.json")
	if err != nil || len(files) != len(strings.Fields(languages)) {
		t.Fatalf("%d languages, %v", len(files), err)
	}
	for language := range strings.FieldsSeq(languages) {
		words := wordsOf(t, language)
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

func TestDevicesInWords(t *testing.T) {
	t.Parallel()
	all, err := wording.Read()
	if err != nil {
		t.Fatal(err)
	}
	for agent, want := range map[string]string{
		"": "",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0":                                                           "Firefox 132 on Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15":                      "Safari 17 on macOS",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/130.0.1 Mobile/15E148 Safari/604.1":   "Chrome 130 on iPhone",
		"Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36": "Samsung Internet 25 on Android",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.2903.70":                    "Edge 131 on Linux",
		"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36":                             "Chrome 130 on ChromeOS",
		"curl/8.5.0":         "curl 8",
		"Go-http-client/1.1": "Go-http-client 1.1",
		"Firefox/":           "Firefox",
	} {
		if got := all.For("en").Device(agent); got != want {
			t.Errorf("%q is %q, not %q", agent, got, want)
		}
	}
}
