package notify

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/markup"
	"paraph/app/signing/record"
	"paraph/app/words"
)

//go:embed layout/mail.html
var layout string

// wording turns facts into messages. The texts of a kind of message are mail.KIND.subject,
// .lead, .body.1 and so on, and .button; texts for people who don't sign have their role as
// a suffix.
type wording struct {
	words  *words.Catalogue
	layout *template.Template
}

func newWording(c *words.Catalogue) (*wording, error) {
	squeezed, err := markup.Squeeze(layout)
	if err != nil {
		return nil, err
	}
	t, err := template.New("mail").Funcs(template.FuncMap{
		"outlook": outlook,
		"lines":   func(text string) []string { return strings.Split(text, "\n") },
	}).Parse(squeezed)
	return &wording{words: c, layout: t}, err
}

// outlook returns a part of the layout that only Outlook for Windows reads. The template would drop it as a comment.
func outlook(part template.HTML) template.HTML { return "<!--[if mso]>" + part + "<![endif]-->" }

// composed is a message in the form that its layouts expect.
type composed struct {
	Lang, Dir, Subject, Greeting, Lead, Quote string
	Body                                      []string
	Button, Link, Footer, Fallback            string
	Label                                     string // of the link in plain text
	Color, Logo, Company                      string
	Own                                       []block // a company's own text, instead of Greeting, Lead, Quote, Body and Button
	Verbatim                                  string  // lines that programs read
}

// maxPreview is the maximum length, in characters, of the line that clients show under a subject.
const maxPreview = 140

// Preview returns the line that clients show under the subject: what the sender wrote, or else what the message is
// about. The greeting says neither.
func (v *composed) Preview() string {
	text := cmp.Or(v.Quote, v.Lead)
	for _, b := range v.Own {
		if !b.Button && strings.TrimSpace(b.Text) != "" {
			text = b.Text
			break
		}
	}
	line := []rune(strings.Join(strings.Fields(text), " "))
	return string(line[:min(len(line), maxPreview)])
}

// quotation is a text in a message that its sender wrote.
type quotation struct {
	Text string
	RTL  bool // direction of the message
}

// Padding returns invisible characters for the rest of the preview line, where clients would show the greeting.
func (v *composed) Padding() template.HTML {
	return template.HTML(strings.Repeat("&#847;&zwnj;&nbsp;", maxPreview-utf8.RuneCountInString(v.Preview())))
}

// Start returns the side on which lines begin.
func (v *composed) Start() string {
	if v.Dir == "rtl" {
		return "right"
	}
	return "left"
}

// Quoted returns a text as a quotation in the message.
func (v *composed) Quoted(text string) quotation { return quotation{text, v.Dir == "rtl"} }

// ownColor is used for messages of companies without a colour.
const ownColor = "#1d5bd1"

// pageSize is about how long the HTML of a message is.
const pageSize = 8 << 10

// compose fills in the texts of a message. A nil own means the product's text.
func (w *wording) compose(m Message, locale string, facts map[string]string, own *MailText) (Message, error) {
	if facts["company"] == "" {
		facts["company"] = "Paraph"
	}
	v, err := w.word(m.Kind, locale, facts, own)
	if err != nil {
		return Message{}, fmt.Errorf("notify: message %s: %w", m.Kind, err)
	}
	var html strings.Builder
	html.Grow(pageSize)
	if err := w.layout.Execute(&html, v); err != nil {
		return Message{}, fmt.Errorf("notify: message %s: %w", m.Kind, err)
	}
	m.Subject, m.Text, m.HTML = v.Subject, v.text(), html.String()
	if v.Link != "" {
		m.Links = []string{v.Link}
	}
	m.Secrets = secretsOf(facts)
	return m, nil
}

// word writes a message in the language that best suits a locale.
func (w *wording) word(kind, locale string, facts map[string]string, own *MailText) (*composed, error) {
	l := w.words.Match(locale)
	if !l.Has("mail." + kind + ".subject") {
		return nil, fmt.Errorf("no wording for %s", kind)
	}
	m := letter{language: l, facts: inWords(l, kind, facts), key: "mail." + kind}
	if slices.Contains(account.Notices(), account.MailKind(kind)) {
		m.rest = "mail.notice"
	}
	v := &composed{Lang: l.Tag(), Dir: l.Dir(), Subject: m.line("subject"), Lead: m.line("lead"), Body: m.body(),
		Button: m.line("button"), Greeting: m.say("mail.greeting"), Footer: m.say("mail.footer"),
		Fallback: m.say("mail.fallback"), Color: cmp.Or(facts["color"], ownColor), Logo: facts["logo"], Company: facts["company"]}
	if kind == string(MailCheckpoints) {
		v.Verbatim = strings.TrimRight(facts["verbatim"], "\n")
	}
	if kind == "invitation" || kind == "reminder" {
		v.Quote = facts["message"]
	}
	if own := facts["subject"]; kind == "invitation" && own != "" {
		v.Subject = own
	}
	v.Subject = strings.Join(strings.Fields(v.Subject), " ")
	if v.Button != "" {
		v.Link, v.Label = facts["link"], l.Say("mail.plain.button", "button", v.Button)
	}
	if own != nil {
		v.reword(*own, m.facts, v.Link)
	}
	return v, nil
}

// letter is one message in one language.
type letter struct {
	language *words.Language
	facts    map[string]string
	key      string
	rest     string // prefix of the texts after the lead that several kinds share; "" if they don't
}

// say returns a text in which unknown facts are empty.
func (m letter) say(key string) string {
	args := map[string]any{}
	for _, name := range m.language.Names(key) {
		args[name] = m.facts[name]
	}
	return strings.TrimSpace(m.language.SayOf(key, args))
}

// line returns one text of the message, "" if the message has none.
func (m letter) line(name string) string {
	key := m.own(name) + "." + name
	if own := key + "." + m.facts["role"]; m.language.Has(own) {
		key = own
	}
	if !m.language.Has(key) {
		return ""
	}
	return m.say(key)
}

// own returns the prefix of the key of a text.
func (m letter) own(name string) string {
	if m.rest != "" && name != "subject" && name != "lead" {
		return m.rest
	}
	return m.key
}

// body returns the message's paragraphs. A paragraph that names an unknown fact, such as a
// missing deadline, is left out.
func (m letter) body() (paragraphs []string) {
	for i := 1; ; i++ {
		name := "body." + strconv.Itoa(i)
		key := m.own(name) + "." + name
		if !m.language.Has(key) {
			return paragraphs
		}
		if m.hasAll(m.language.Names(key)) {
			paragraphs = append(paragraphs, m.line(name))
		}
	}
}

func (m letter) hasAll(names []string) bool {
	for _, name := range names {
		if m.facts[name] == "" {
			return false
		}
	}
	return true
}

// causesOf returns where the causes that a kind of mail names have their sentences.
func causesOf(kind string) string {
	if kind == "not_sent" {
		return "not_sent."
	}
	return "sealing."
}

// inWords returns the facts of a kind of mail with causes, reasons and times in words.
func inWords(l *words.Language, kind string, facts map[string]string) map[string]string {
	out := maps.Clone(facts)
	if cause := facts["cause"]; cause != "" {
		out["cause"] = fault.Sentence(l.SayOf, fault.Code(causesOf(kind)+cause))
	}
	why := record.Reason{Code: record.ReasonCode(facts["reason_code"]), Name: facts["reason_name"], Words: facts["reason"]}
	if why.Code != "" {
		out["reason"] = why.Sentence(l.SayOf)
	}
	for _, name := range []string{"expires", "expires_at", "since"} {
		if t, err := time.Parse(time.RFC3339, facts[name]); err == nil {
			out[name] = l.Moment(t.In(zone(facts["timezone"])))
		}
	}
	return out
}

// zone returns a time zone by its name, UTC if it is unknown.
func zone(name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return z
}

// text returns the message as plain text.
func (v *composed) text() string {
	parts := v.parts()
	if v.Own == nil {
		parts = v.productParts()
	}
	return strings.Join(append(parts, "-- \n"+v.Footer), "\n\n") + "\n"
}

// productParts returns the paragraphs of the product's text.
func (v *composed) productParts() []string {
	parts := []string{v.Greeting, v.Lead}
	if v.Quote != "" {
		parts = append(parts, quoted(v.Quote))
	}
	parts = append(parts, v.Body...)
	if v.Verbatim != "" {
		parts = append(parts, v.Verbatim)
	}
	if v.Link != "" {
		parts = append(parts, v.Label+"\n"+v.Link)
	}
	return parts
}
