package notify

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	texttemplate "text/template"
	"time"

	"golang.org/x/text/language"

	"paraph/kv"
)

//go:embed texts/*.json layout/mail.html
var files embed.FS

// letter is the wording of one kind of message in one language.
type letter struct {
	Subject string   `json:"subject"`
	Lead    string   `json:"lead"`
	Body    []string `json:"body"`
	Button  string   `json:"button"`
}

// pages are all wordings, read once at start.
type pages struct {
	layout    *template.Template
	languages []language.Tag
	names     []string
	matcher   language.Matcher
	wordings  map[string]map[string]*wording // language → kind
}

type wording struct {
	subject, lead, button *texttemplate.Template
	body                  []*texttemplate.Template
}

// layoutKind is the wording that all messages have in common: the greeting as
// its lead, then the footer and the sentence before a bare link.
const layoutKind = "_layout"

// dateKind is how a time is written: its lead puts together day, month, year,
// time and zone; its body names the months.
const dateKind = "_date"

func parsePages() (*pages, error) {
	layout, err := template.ParseFS(files, "layout/mail.html")
	if err != nil {
		return nil, err
	}
	p := &pages{layout: layout, wordings: map[string]map[string]*wording{}}
	names, err := fs.Glob(files, "texts/*.json")
	if err != nil {
		return nil, err
	}
	for _, name := range append([]string{"texts/en.json"}, names...) {
		lang := strings.TrimSuffix(path.Base(name), ".json")
		if p.wordings[lang] != nil {
			continue
		}
		if p.wordings[lang], err = parseTexts(name); err != nil {
			return nil, fmt.Errorf("notify: %s: %w", name, err)
		}
		p.languages, p.names = append(p.languages, language.Make(lang)), append(p.names, lang)
	}
	p.matcher = language.NewMatcher(p.languages)
	return p, nil
}

func parseTexts(name string) (map[string]*wording, error) {
	b, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var letters map[string]letter
	if err := json.Unmarshal(b, &letters); err != nil {
		return nil, err
	}
	out := map[string]*wording{}
	for kind, l := range letters {
		if out[kind], err = l.parse(); err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
	}
	return out, nil
}

func (l letter) parse() (*wording, error) {
	var first error
	parse := func(s string) *texttemplate.Template {
		t, err := texttemplate.New("").Option("missingkey=zero").Parse(s)
		if err != nil && first == nil {
			first = err
		}
		return t
	}
	w := &wording{subject: parse(l.Subject), lead: parse(l.Lead), button: parse(l.Button)}
	for _, s := range l.Body {
		w.body = append(w.body, parse(s))
	}
	return w, first
}

// Languages lists those that messages are written in, as BCP 47 tags.
func (s *Service) Languages() []string { return slices.Sorted(slices.Values(s.pages.names)) }

// match finds the language we have that suits a locale best.
func (p *pages) match(locale string) string {
	tag, err := language.Parse(locale)
	if err != nil {
		return p.names[0]
	}
	_, i, confidence := p.matcher.Match(tag)
	if confidence == language.No {
		return p.names[0]
	}
	return p.names[i]
}

// say fills a wording with facts.
func say(t *texttemplate.Template, facts map[string]string) (string, error) {
	var b strings.Builder
	err := t.Execute(&b, facts)
	return strings.TrimSpace(b.String()), err
}

// said is a message as its layouts want it.
type said struct {
	Lang, Dir, Subject, Greeting, Lead, Quote string
	Body                                      []string
	Button, Link, Footer, Fallback            string
	Color, Logo, Company                      string
}

// ownColor is that of messages of companies that have none.
const ownColor = "#1d5bd1"

// write words a message and puts it into the outbox.
func (s *Service) write(tx *kv.Tx, m Message, locale string, facts map[string]string) error {
	m, err := s.compose(m, locale, facts)
	if err != nil {
		return err
	}
	return s.put(tx, m)
}

// compose words a message.
func (s *Service) compose(m Message, locale string, facts map[string]string) (Message, error) {
	if facts["company"] == "" {
		facts["company"] = "Paraph"
	}
	v, err := s.pages.word(m.Kind, s.pages.match(locale), facts)
	if err != nil {
		return Message{}, fmt.Errorf("notify: message %s: %w", m.Kind, err)
	}
	var html bytes.Buffer
	if err := s.pages.layout.Execute(&html, v); err != nil {
		return Message{}, fmt.Errorf("notify: message %s: %w", m.Kind, err)
	}
	m.Subject, m.Text, m.HTML = v.Subject, v.text(), html.String()
	if v.Link != "" {
		m.Links = []string{v.Link}
	}
	return m, nil
}

func (p *pages) word(kind, lang string, facts map[string]string) (*said, error) {
	w, common := p.wordings[lang][kind], p.wordings[lang][layoutKind]
	if w == nil || common == nil {
		w, common, lang = p.wordings["en"][kind], p.wordings["en"][layoutKind], "en"
	}
	if w == nil {
		return nil, fmt.Errorf("no wording for %s", kind)
	}
	facts, err := p.dated(lang, facts)
	if err != nil {
		return nil, err
	}
	v := &said{Lang: lang, Dir: direction(lang), Quote: facts["message"], Link: facts["link"],
		Color: cmp.Or(facts["color"], ownColor), Logo: facts["logo"], Company: facts["company"]}
	if kind != "invitation" && kind != "reminder" {
		v.Quote = ""
	}
	var first error
	fill := func(to *string, t *texttemplate.Template) {
		s, err := say(t, facts)
		if err != nil && first == nil {
			first = err
		}
		*to = s
	}
	fill(&v.Subject, w.subject)
	v.Subject = strings.Join(strings.Fields(v.Subject), " ")
	fill(&v.Lead, w.lead)
	fill(&v.Button, w.button)
	fill(&v.Greeting, common.lead)
	fill(&v.Footer, common.body[0])
	fill(&v.Fallback, common.body[1])
	for _, t := range w.body {
		var line string
		if fill(&line, t); line != "" {
			v.Body = append(v.Body, line)
		}
	}
	if v.Button == "" {
		v.Link = ""
	}
	return v, first
}

// dated gives the facts with their times in the form of a language.
func (p *pages) dated(lang string, facts map[string]string) (map[string]string, error) {
	facts = maps.Clone(facts)
	for _, name := range []string{"expires", "expires_at"} {
		t, err := time.Parse(time.RFC3339, facts[name])
		if err != nil {
			continue // there is none
		}
		if facts[name], err = p.date(lang, t, facts["timezone"]); err != nil {
			return nil, err
		}
	}
	return facts, nil
}

// date writes a time in the form of a language, in a time zone; an unknown one
// is UTC.
func (p *pages) date(lang string, t time.Time, timezone string) (string, error) {
	form := p.wordings[lang][dateKind]
	if form == nil || len(form.body) != 12 {
		return "", fmt.Errorf("no form of dates in %s", lang)
	}
	zone, err := time.LoadLocation(timezone)
	if err != nil {
		zone = time.UTC
	}
	t = t.In(zone)
	month, err := say(form.body[t.Month()-1], nil)
	if err != nil {
		return "", err
	}
	name := "UTC"
	if _, offset := t.Zone(); offset != 0 {
		name = t.Format("UTC-07:00")
	}
	return say(form.lead, map[string]string{"day": strconv.Itoa(t.Day()), "month": month, "year": strconv.Itoa(t.Year()), "time": t.Format("15:04"), "zone": name})
}

func direction(lang string) string {
	if lang == "ar" || lang == "he" {
		return "rtl"
	}
	return "ltr"
}

// text is the message as plain text.
func (v *said) text() string {
	parts := []string{v.Greeting, v.Lead}
	if v.Quote != "" {
		parts = append(parts, "> "+strings.ReplaceAll(v.Quote, "\n", "\n> "))
	}
	parts = append(parts, v.Body...)
	if v.Link != "" {
		parts = append(parts, v.Button+":\n"+v.Link)
	}
	return strings.Join(append(parts, "-- \n"+v.Footer), "\n\n") + "\n"
}
