package words_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// glossaries is where the terms of each language are: testdata/glossary/TAG.json holds the word
// to use and a pattern of its forms. English has a pattern of the term alone.
const glossaries = "testdata/glossary"

// term is the name of a thing in a language: the word to use, for people, and a pattern that
// its forms match.
type term struct{ Use, Forms string }

// unlike are texts that name values of the API, which are in English, or say a term
// in other words for good reason in most languages.
var unlike = []string{"fault.not_signature_or_initials", "fault.unknown_status", "fault.formula_on_type", "fault.not_a_sort_order",
	"fault.not_a_sort_order.direction", "fault.consent_missing", "fault.formula_types", "mail.warning_certificate.body.1",
	"decline.reason", "js.empty", "webhooks.url.help", "fault.unknown_part", "verify.signature.changed", "trust.acrobat.text",
	"mail.checkpoints.lead"}

// TestEveryLanguageHasOneWordForOneThing expects the term of the glossary in every translation
// of a text that has the English term.
func TestEveryLanguageHasOneWordForOneThing(t *testing.T) {
	t.Parallel()
	var patterns map[string]string
	readGlossary(t, "en", &patterns)
	english := texts(t, "en")
	for _, tag := range load(t).Tags() {
		if tag == "en" {
			continue
		}
		own := texts(t, tag)
		var terms map[string]term
		readGlossary(t, tag, &terms)
		for name, pattern := range patterns {
			used, forms := regexp.MustCompile(pattern), regexp.MustCompile("(?i)"+terms[name].Forms)
			if terms[name].Use == "" || terms[name].Forms == "" {
				t.Errorf("the glossary of %s lacks %s", tag, name)
				continue
			}
			if !forms.MatchString(terms[name].Use) {
				t.Errorf("%s: the forms of %s do not match %q", tag, name, terms[name].Use)
			}
			for key, text := range english {
				got, ok := own[key]
				if ok && !slices.Contains(unlike, key) && used.MatchString(text) && !forms.MatchString(got) {
					t.Errorf("%s: %s does not say %s (%s): %q, English %q", tag, key, terms[name].Use, name, got, text)
				}
			}
		}
		if len(terms) != len(patterns) {
			t.Errorf("the glossary of %s has %d terms, English %d", tag, len(terms), len(patterns))
		}
	}
}

func readGlossary(t *testing.T, tag string, to any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(glossaries, tag+".json"))
	if err == nil {
		err = json.Unmarshal(raw, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// texts are the texts of a language by key, without the names in braces and "{field} field", which the
// translations say as {field} alone. Of plural forms it is
// the most general one.
func texts(t *testing.T, tag string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, area := range areas(t, tag) {
		for key, f := range area {
			s, plural := f["other"]
			if !plural {
				s = f[""]
			}
			all[key] = placeholder.ReplaceAllString(strings.ReplaceAll(s, "{field} field", ""), "")
		}
	}
	return all
}

// labelLength is up to how many characters an English text without a full stop counts as a label.
const labelLength = 24

// TestLabelsStayShort bounds how long buttons and labels are: they share a line with others in
// narrow windows. A language may take twice the characters of English, and some more for
// single words.
func TestLabelsStayShort(t *testing.T) {
	t.Parallel()
	english := texts(t, "en")
	for _, tag := range load(t).Tags() {
		own := texts(t, tag)
		for _, key := range slices.Sorted(maps.Keys(own)) {
			label := english[key]
			if n := utf8.RuneCountInString(label); n == 0 || n > labelLength || strings.ContainsAny(label, ".:?") ||
				key == "date.months" {
				continue
			} else if got, most := utf8.RuneCountInString(own[key]), 2*n+16; got > most {
				t.Errorf("%s: %s has %d characters, at most %d: %q for %q", tag, key, got, most, own[key], label)
			}
		}
	}
}

// stiff matches English that reads as translated, and labels that begin like buttons but have an
// article.
var stiff = regexp.MustCompile(`(?i)\b(whoever|somebody|everybody|anybody|those who|as it came|than they came|the one that|` +
	`behind which|is written to)\b|’|^(open|save|send|show|download|remove|delete|create|add|choose|resend|edit|view) the [a-z]+$`)

// TestEnglishReadsWell finds phrases that no native writer would use, and buttons with an article.
func TestEnglishReadsWell(t *testing.T) {
	t.Parallel()
	for key, text := range texts(t, "en") {
		if found := stiff.FindString(text); found != "" {
			t.Errorf("%s: %q in %q: say it in plain English", key, found, text)
		}
	}
}

// TestVoidingIsNotCancelling expects that the button which voids a document can't be taken for those beside it, which
// leave everything as it is or undo the last step: several languages have one verb for all three.
func TestVoidingIsNotCancelling(t *testing.T) {
	t.Parallel()
	for _, tag := range load(t).Tags() {
		own := texts(t, tag)
		for _, other := range []string{"cancel", "back", "close", "undo", "edit.undo"} {
			if own["act.void"] == own[other] {
				t.Errorf("%s: act.void and %s are both %q", tag, other, own[other])
			}
		}
	}
}
