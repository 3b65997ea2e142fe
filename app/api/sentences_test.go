package api_test

import (
	"os"
	"strings"
	"testing"

	"paraph/app/fault"
	"paraph/app/words"
)

// TestSentencesAreThoseOfTheRecord compares the English of every refusal with
// testdata/sentences.golden, word for word: programs may show these sentences, and
// tests of our users compare them. Each line holds a code, or a
// whole key, a tab and its sentence, with each argument shown as its name in angle brackets.
func TestSentencesAreThoseOfTheRecord(t *testing.T) {
	t.Parallel()
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("testdata/sentences.golden")
	if err != nil {
		t.Fatal(err)
	}
	english, recorded := catalogue.English(), map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		code, want, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			t.Fatalf("not a record: %q", line)
		}
		recorded[code] = true
		if got := recordedText(english, code, argumentsOf(want)); got != want {
			t.Errorf("%s\nis   %s\nwant %s", code, got, want)
		}
	}
	for _, prefix := range []string{"term.limit.", "term.mail.", "term.reason.", "webhook.error."} {
		for _, code := range english.Keys(prefix) {
			if !recorded[prefix+code] {
				t.Errorf("there is no record of %s%s", prefix, code)
			}
		}
	}
	for _, code := range english.Keys("fault.") {
		if !recorded[code] && !strings.HasPrefix(code, "verdict.") {
			t.Errorf("there is no record of %s", code)
		}
	}
}

// recordedText returns the English for a record: a code, or a whole key.
func recordedText(english *words.Language, code string, args []fault.Arg) string {
	if !strings.HasPrefix(code, "term.") && !strings.HasPrefix(code, "webhook.error.") {
		return fault.Sentence(english.SayOf, fault.Code(code), args...)
	}
	values := map[string]any{}
	for _, a := range args {
		values[a.Name] = a.String()
	}
	return english.SayOf(code, values)
}

// argumentsOf returns the arguments named by a recorded sentence.
func argumentsOf(sentence string) []fault.Arg {
	var args []fault.Arg
	for {
		_, rest, ok := strings.Cut(sentence, "<")
		if !ok {
			return args
		}
		var name string
		name, sentence, _ = strings.Cut(rest, ">")
		args = append(args, fault.Text(name, "<"+name+">"))
	}
}

// TestCodesStandBesideErrors expects a stable code for every message, at the same
// position.
func TestCodesStandBesideErrors(t *testing.T) {
	t.Parallel()
	c := company(t)
	r := failed(t, c.Post(t, "/documents", obj{"expires_at": "2001-01-01", "signing_order": "random", "metadata": obj{"": "x"},
		"invitations": list{obj{"name": "Ann", "email": "nonsense"}, obj{"role": "king"}}}), 422)
	for at, want := range map[string]string{
		"expires_at": "not_a_future_time", "signing_order": "not_one_of", "metadata": "bad_keys", "invitations.0.email": "not_an_email",
		"invitations.1.name": "required", "invitations.1.email": "required", "invitations.1.role": "not_one_of",
	} {
		codes, ok := r.At(t, "codes").(obj)[at].(list)
		if !ok || len(codes) != 1 || codes[0] != want {
			t.Errorf("%s: codes %v, want %s", at, codes, want)
		}
	}
}
