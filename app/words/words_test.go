package words_test

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"paraph/app/words"
)

func load(t testing.TB) *words.Catalogue {
	t.Helper()
	c, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// made is a catalogue of the given files.
func made(t *testing.T, files map[string]string) (*words.Catalogue, error) {
	t.Helper()
	from := fstest.MapFS{}
	for name, content := range files {
		from[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return words.LoadFrom(from)
}

func TestMatchFindsTheLanguageThatSuitsBest(t *testing.T) {
	t.Parallel()
	c := load(t)
	for accept, want := range map[string]string{
		"": "en", "??": "en", "de-AT": "de", "pt-PT": "pt", "en-GB": "en", "zh-Hans-CN": "zh", "uk": "uk", "iw": "he",
		"th": "en", "ar-EG": "ar", "th, fr;q=0.5": "fr", "en;q=0.1, ja": "ja",
	} {
		if got := c.Match(accept).Tag(); got != want {
			t.Errorf("%q is matched with %s, want %s", accept, got, want)
		}
	}
}

func TestExactRefusesALanguageThatReadersDoNotKnow(t *testing.T) {
	t.Parallel()
	c := load(t)
	for locale, want := range map[string]string{"": "", "de-AT": "de", "th": "", "not a locale": "", "pt": "pt"} {
		got := ""
		if l := c.Exact(locale); l != nil {
			got = l.Tag()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", locale, got, want)
		}
	}
	if c.Tagged("de-AT") != nil || c.Tagged("") != nil || c.Tagged("de").Tag() != "de" {
		t.Error("only a language's own tag finds it")
	}
}

func TestDirectionFollowsTheScript(t *testing.T) {
	t.Parallel()
	for _, l := range load(t).WithPseudo().Languages() {
		want := "ltr"
		if l.Tag() == "ar" || l.Tag() == "he" || l.Tag() == "ar-XB" {
			want = "rtl"
		}
		if l.Dir() != want || l.RightToLeft() != (want == "rtl") {
			t.Errorf("%s runs %s", l.Tag(), l.Dir())
		}
	}
}

func TestSayChoosesThePluralForm(t *testing.T) {
	t.Parallel()
	c, err := made(t, map[string]string{
		"en/a.json": `{"files": {"one": "One file", "other": "{n} files"}, "plain": "Plain", "only.english": {"one": "{n} thing", "other": "{n} things"}}`,
		"pl/a.json": `{"files": {"one": "{n} plik", "few": "{n} pliki", "many": "{n} plików", "other": "{n} pliku"}}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		tag, key string
		n        int
		want     string
	}{
		{"en", "files", 1, "One file"}, {"en", "files", 0, "0 files"}, {"en", "files", 12345, "12,345 files"},
		{"en", "files", -1, "One file"}, {"pl", "files", 1, "1 plik"}, {"pl", "files", 3, "3 pliki"},
		{"pl", "files", 5, "5 plików"}, {"pl", "files", 22, "22 pliki"}, {"pl", "plain", 5, "Plain"},
		{"pl", "only.english", 1, "1 thing"}, {"pl", "only.english", 5, "5 things"},
	} {
		if got := c.Tagged(x.tag).Say(x.key, "n", x.n); got != x.want {
			t.Errorf("%s %s %d: got %q, want %q", x.tag, x.key, x.n, got, x.want)
		}
	}
}

func TestValuesAreNotReadAsNames(t *testing.T) {
	t.Parallel()
	c, err := made(t, map[string]string{"en/a.json": `{"x": "{a} and {b}, {c} {", "y": "{{a}}"}`})
	if err != nil {
		t.Fatal(err)
	}
	e := c.English()
	if got, want := e.Say("x", "a", "{b}", "b", 7), "{b} and 7, {c} {"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := e.SayOf("y", map[string]any{"a": "1"}), "{1}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAMissingTextIsAnError(t *testing.T) {
	t.Parallel()
	c := load(t)
	for _, l := range []*words.Language{c.English(), c.Tagged("de")} {
		if _, err := l.Text("no.such"); err == nil {
			t.Errorf("%s has no.such", l.Tag())
		}
		if got := l.Say("no.such"); got != "no.such" {
			t.Errorf("got %q", got)
		}
	}
	for _, pairs := range [][]any{{"a"}, {1, 2}} {
		if s, err := c.English().Text("date.day", pairs...); err == nil {
			t.Errorf("%v: got %q", pairs, s)
		}
	}
}

func TestBrokenCataloguesAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no English":        {map[string]string{"de/a.json": `{}`}, "no English texts"},
		"no language":       {map[string]string{"en/a.json": `{}`, "what is this/a.json": `{}`}, "what is this"},
		"key twice":         {map[string]string{"en/a.json": `{"k": "1"}`, "en/b.json": `{"k": "1"}`}, "key k is also in another area"},
		"wrong plural form": {map[string]string{"en/a.json": `{"k": {"single": "1", "other": "2"}}`}, `"single" is not a plural form`},
		"without other":     {map[string]string{"en/a.json": `{"k": {"one": "1"}}`}, "lacks the plural form other"},
		"no JSON":           {map[string]string{"en/a.json": `{"k": `}, "en/a.json"},
	} {
		if _, err := made(t, c.files); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestTimesInTheFormOfTheLanguage(t *testing.T) {
	t.Parallel()
	c, at := load(t), time.Date(2026, 12, 31, 23, 30, 5, 0, time.UTC)
	for _, x := range []struct{ tag, zone, date, moment, stamp string }{
		{"en", "UTC", "31 December 2026", "31 December 2026, 23:30 UTC", "31 December 2026 23:30:05 UTC"},
		{"de", "Europe/Vienna", "1. Januar 2027", "1. Januar 2027, 00:30 Uhr (UTC+01:00)", "01.01.2027 00:30:05 UTC+01:00"},
		{"fr", "UTC", "31 décembre 2026", "31 décembre 2026 à 23:30 (UTC)", "31/12/2026 23:30:05 UTC"},
		{"pl", "UTC", "31 grudnia 2026", "31 grudnia 2026, 23:30 (UTC)", "31.12.2026 23:30:05 UTC"},
		{"ja", "Asia/Tokyo", "2027年1月1日", "2027年1月1日 08:30（UTC+09:00）", "2027年1月1日 08:30:05 UTC+09:00"},
		{"ko", "UTC", "2026년 12월 31일", "2026년 12월 31일 23:30(UTC)", "2026. 12. 31. 23:30:05 UTC"},
		{"zh", "UTC", "2026年12月31日", "2026年12月31日 23:30（UTC）", "2026年12月31日 23:30:05 UTC"},
		{"he", "UTC", "31 בדצמבר 2026", "31 בדצמבר 2026, 23:30 (UTC)", "31.12.2026 23:30:05 UTC"},
		{"ar", "America/New_York", "31 ديسمبر 2026", "31 ديسمبر 2026، 18:30 (UTC-05:00)", "31/12/2026 18:30:05 UTC-05:00"},
	} {
		zone, err := time.LoadLocation(x.zone)
		if err != nil {
			t.Fatal(err)
		}
		l, local := c.Tagged(x.tag), at.In(zone)
		if got := [3]string{l.Date(local), l.Moment(local), l.Stamp(local)}; got != [3]string{x.date, x.moment, x.stamp} {
			t.Errorf("%s: got %q", x.tag, got)
		}
	}
}

func TestNumbersAndListsInTheFormOfTheLanguage(t *testing.T) {
	t.Parallel()
	c := load(t)
	for _, x := range []struct{ tag, number, list string }{
		{"en", "1,234,567", "A, B and C"}, {"de", "1.234.567", "A, B und C"}, {"ar", "1,234,567", "A، B وC"},
		{"fr", "1\u00a0234\u00a0567", "A, B et C"}, {"zh", "1,234,567", "A、B和C"},
	} {
		l := c.Tagged(x.tag)
		if got := l.Number(1234567); got != x.number {
			t.Errorf("%s: got %q, want %q", x.tag, got, x.number)
		}
		if got := l.List([]string{"A", "B", "C"}); got != x.list {
			t.Errorf("%s: got %q, want %q", x.tag, got, x.list)
		}
	}
	if one, none := c.English().List([]string{"A"}), c.English().List(nil); one != "A" || none != "" {
		t.Errorf("got %q and %q", one, none)
	}
}

func TestTextsForScriptsFallBackToEnglish(t *testing.T) {
	t.Parallel()
	c, err := made(t, map[string]string{
		"en/a.json": `{"js.a": "A", "js.b": {"one": "B", "other": "Bs"}, "other": "O"}`,
		"de/a.json": `{"js.a": "Ä"}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Tagged("de").JSON("js.")
	if want := `{"a":{"other":"Ä"},"b":{"one":"B","other":"Bs"}}`; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if keys := strings.Join(c.Tagged("de").Keys("js."), " "); keys != "a b" {
		t.Errorf("keys are %q", keys)
	}
}

func TestThePseudoLanguageIsLongerAndRunsTheOtherWay(t *testing.T) {
	t.Parallel()
	c := load(t).WithPseudo()
	l := c.Match("ar-XB")
	english := c.English().Say("list.end", "before", "A", "last", "B")
	if got := l.Say("list.end", "before", "A", "last", "B"); len(got) <= len(english) || !strings.Contains(got, english) {
		t.Errorf("got %q for %q", got, english)
	}
	at := time.Date(2026, 12, 3, 0, 0, 0, 0, time.UTC)
	if l.Date(at) != c.English().Date(at) {
		t.Errorf("a date is %q", l.Date(at))
	}
	if c.ForTeam(l) != l || c.ForTeam(nil) != c.English() || c.ForTeam(c.Tagged("de")) != c.Tagged("de") {
		t.Error("the team reads its language, English without one, or that of layout tests")
	}
}

func TestTeamsReadEnglishWhereTheirPagesAreNotTranslated(t *testing.T) {
	t.Parallel()
	c, err := made(t, map[string]string{"en/a.json": `{"nav.documents": "Documents"}`, "de/a.json": `{"other": "O"}`, "fr/a.json": `{"nav.documents": "Documents"}`})
	if err != nil {
		t.Fatal(err)
	}
	if c.ForTeam(c.Tagged("de")) != c.English() || c.ForTeam(c.Tagged("fr")) != c.Tagged("fr") {
		t.Error("a language without the team's pages is shown, or one with them is not")
	}
}

// TestMonthsHaveNames checks the names of months in formats of dates: none is a bare number.
func TestMonthsHaveNames(t *testing.T) {
	t.Parallel()
	c := load(t)
	for tag, want := range map[string][2]string{
		"en": {"September", "Sep"}, "de": {"September", "Sep."}, "fr": {"septembre", "sept."}, "cs": {"září", "září"},
		"ja": {"9月", "9月"}, "zh": {"9月", "9月"}, "ko": {"9월", "9월"}, "uk": {"вересня", "вер."}, "ar": {"سبتمبر", "سبتمبر"},
	} {
		l := c.Tagged(tag)
		if got := [2]string{l.Month(time.September, false), l.Month(time.September, true)}; got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
	for _, tag := range c.Tags() {
		for m := time.January; m <= time.December; m++ {
			for _, short := range []bool{false, true} {
				if name := c.Tagged(tag).Month(m, short); strings.Trim(name, "0123456789 ") == "" {
					t.Errorf("%s: month %d is %q", tag, m, name)
				}
			}
		}
	}
}
