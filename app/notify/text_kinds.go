package notify

import (
	"slices"
	"strings"
	"unicode/utf8"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/signing/record"
	"paraph/app/variable"
)

// Bounds of a text, in characters.
const (
	maxTextSubject = 200
	maxTextBody    = 10_000
)

// maxRepeated is how often the body may name one variable: the value may be long, and the
// message goes to everybody.
const maxRepeated = 5

// TextKind describes a kind of message that companies can word themselves.
type TextKind struct {
	Kind      string
	Variables []string // that the body and, but for link and message, the subject may name
	Required  []string // that the body has to name
}

// roleOf divides the name of a kind into that of the message and the role of those it is
// for, such as invitation_approver; "" stands for signers, and for messages that are the
// same for everyone.
func (w *wording) roleOf(name string) (kind, role string) {
	for _, role := range record.Roles() {
		if kind, ok := strings.CutSuffix(name, "_"+role); ok && w.hasFor(kind, role) {
			return kind, role
		}
	}
	return name, ""
}

// hasFor reports whether a kind of message has texts of its own for a role.
func (w *wording) hasFor(kind, role string) bool {
	return w.words.English().Has("mail." + kind + ".lead." + role)
}

// Kinds lists the kinds of messages in the order of their names.
func (s *Texts) Kinds() (all []TextKind) {
	english := s.wording.words.English()
	for _, key := range english.Keys("mail.") {
		kind, ok := strings.CutSuffix(key, ".subject")
		if !ok || kind == testKind || kind == string(MailCheckpoints) || strings.HasPrefix(kind, warning) { // these are not the company's
			continue
		}
		all = append(all, s.describe(kind))
		for _, role := range record.Roles() {
			if s.wording.hasFor(kind, role) {
				own := s.describe(kind)
				own.Kind += "_" + role
				all = append(all, own)
			}
		}
	}
	slices.SortFunc(all, func(a, b TextKind) int { return strings.Compare(a.Kind, b.Kind) })
	return all
}

// describe finds the variables of a kind: those of the product's own text, and those that its layout uses.
func (s *Texts) describe(kind string) TextKind {
	english, k := s.wording.words.English(), TextKind{Kind: kind, Variables: []string{"company", "name"}}
	prefixes := []string{"mail." + kind + "."}
	if slices.Contains(account.Notices(), account.MailKind(kind)) {
		prefixes = append(prefixes, "mail.notice.")
	}
	for _, prefix := range prefixes {
		for _, rest := range english.Keys(prefix) {
			k.Variables = append(k.Variables, english.Names(prefix+rest)...)
		}
		if english.Has(prefix + "button") {
			k.Variables, k.Required = append(k.Variables, "link"), []string{"link"}
		}
	}
	if slices.Contains(k.Variables, "code") {
		k.Required = append(k.Required, "code")
	}
	if kind == "invitation" || kind == "reminder" {
		k.Variables = append(k.Variables, "message", "sender_email")
	}
	slices.Sort(k.Variables)
	k.Variables = slices.Compact(k.Variables)
	return k
}

// MailTextInput is a text to use. Both parts are required.
type MailTextInput struct{ Subject, Body string }

// Trimmed returns the text as it is stored, without surrounding space and with plain line ends.
func (in MailTextInput) Trimmed() MailTextInput {
	return MailTextInput{strings.TrimSpace(input.Visible(in.Subject)), strings.TrimSpace(input.Visible(strings.ReplaceAll(in.Body, "\r\n", "\n")))}
}

func (k TextKind) check(in *MailTextInput) error {
	var f fault.Fields
	*in = in.Trimmed()
	checkPart(&f, "subject", in.Subject, maxTextSubject, "")
	checkPart(&f, "body", in.Body, maxTextBody, "\n\t")
	for _, name := range variable.Names(in.Subject) {
		if !slices.Contains(k.Variables, name) || name == "link" || name == "message" {
			k.unknown(&f, "subject", name)
		}
	}
	used := variable.Names(in.Body)
	for _, name := range used {
		if !slices.Contains(k.Variables, name) {
			k.unknown(&f, "body", name)
		}
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(used))) {
		if n := len(slices.DeleteFunc(slices.Clone(used), func(u string) bool { return u != name })); n > maxRepeated {
			f.Add("body", "variable_repeated", fault.Text("variable", "{{"+name+"}}"), fault.Number("limit", maxRepeated))
		}
	}
	for _, name := range k.Required {
		if !slices.Contains(used, name) {
			f.Add("body", "variable_missing", fault.Text("variable", "{{"+name+"}}"))
		}
	}
	return f.Err()
}

func (k TextKind) unknown(f *fault.Fields, field, name string) {
	known := slices.DeleteFunc(slices.Clone(k.Variables), func(v string) bool {
		return field == "subject" && (v == "link" || v == "message")
	})
	f.Add(field, "unknown_mail_variable", fault.Text("variable", "{{"+name+"}}"), fault.Choices("choices", known...))
}

// checkPart refuses texts that are missing, too long, or hold control characters other than those allowed.
func checkPart(f *fault.Fields, field, text string, limit int, allowed string) {
	switch {
	case text == "":
		f.Required(field)
	case !utf8.ValidString(text):
		f.Add(field, "not_text")
	case utf8.RuneCountInString(text) > limit:
		f.TooLong(field, limit)
	case strings.ContainsFunc(text, func(r rune) bool { return (r < ' ' || r == 0x7f) && !strings.ContainsRune(allowed, r) }):
		f.Add(field, "control_characters")
	}
}

// find returns a kind of message and checks the language.
func (s *Texts) find(kind, language string) (TextKind, error) {
	l := s.wording.words.Exact(language)
	kinds := s.Kinds()
	i := slices.IndexFunc(kinds, func(k TextKind) bool { return k.Kind == kind })
	if i < 0 || l == nil || l.Tag() != language {
		return TextKind{}, fault.NotFound("message")
	}
	return kinds[i], nil
}
