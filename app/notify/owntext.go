package notify

import (
	"slices"
	"strconv"
	"strings"

	"paraph/app/account"
	"paraph/app/variable"
)

// block is a part of a message in a company's own words: a paragraph, the sender's message, or the button.
type block struct {
	Text   string
	Quote  bool
	Button bool
}

// reword replaces the texts of a message by those of a company. A paragraph with a variable that has no value, such as a
// missing deadline, is left out; {{link}} alone is the button, {{message}} alone a quotation.
func (v *composed) reword(t MailText, facts map[string]string, link string) {
	values := variable.Folded(facts)
	values["link"] = link
	if own := facts["subject"]; own == "" || t.Kind == "reminder" {
		v.Subject = strings.Join(strings.Fields(variable.Fill(t.Subject, values)), " ")
	}
	v.Own = nil
	for paragraph := range strings.SplitSeq(t.Body, "\n\n") {
		paragraph = strings.TrimSpace(paragraph)
		names := variable.Names(paragraph)
		alone := len(names) == 1 && strings.HasPrefix(paragraph, "{{") && strings.HasSuffix(paragraph, "}}")
		switch {
		case paragraph == "" || !indispensable(names) && slices.ContainsFunc(names, func(name string) bool { return values[name] == "" }):
		case alone && names[0] == "link" && v.Button != "":
			v.Own = append(v.Own, block{Button: true})
		case alone && names[0] == "message":
			v.Own = append(v.Own, block{Text: values["message"], Quote: true})
		default:
			v.Own = append(v.Own, block{Text: variable.Fill(paragraph, values)})
		}
	}
}

// indispensable reports whether a paragraph holds the link or code, and so is never left out.
func indispensable(names []string) bool {
	return slices.Contains(names, "link") || slices.Contains(names, "code")
}

// parts returns the paragraphs of the plain text.
func (v *composed) parts() (parts []string) {
	for _, b := range v.Own {
		switch {
		case b.Button:
			parts = append(parts, v.Label+"\n"+v.Link)
		case b.Quote:
			parts = append(parts, quoted(b.Text))
		default:
			parts = append(parts, b.Text)
		}
	}
	return parts
}

func quoted(text string) string { return "> " + strings.ReplaceAll(text, "\n", "\n> ") }

// original returns the product's text of a kind of message, in the form of a company's.
func (w *wording) original(kind, language string) MailText {
	base, role := w.roleOf(kind)
	l := w.words.Match(language)
	m := letter{language: l, facts: map[string]string{"role": role}, key: "mail." + base}
	if slices.Contains(account.Notices(), account.MailKind(base)) {
		m.rest = "mail.notice"
	}
	for _, name := range []string{"subject", "lead", "body.1", "body.2", "greeting"} {
		key := m.own(name) + "." + name
		if name == "greeting" {
			key = "mail.greeting"
		}
		for _, suffix := range []string{"", "." + role} {
			for _, variable := range l.Names(key + suffix) {
				m.facts[variable] = "{{" + variable + "}}"
			}
		}
	}
	paragraphs := []string{m.say("mail.greeting"), m.line("lead")}
	if base == "invitation" || base == "reminder" {
		paragraphs = append(paragraphs, "{{message}}")
	}
	for i := 1; l.Has(m.own("body") + ".body." + strconv.Itoa(i)); i++ {
		paragraphs = append(paragraphs, m.line("body."+strconv.Itoa(i)))
	}
	if l.Has(m.own("button") + ".button") {
		paragraphs = append(paragraphs, "{{link}}")
	}
	return MailText{Kind: kind, Language: language, Subject: m.line("subject"), Body: strings.Join(paragraphs, "\n\n")}
}
