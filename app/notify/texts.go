package notify

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/variable"
	"paraph/kv"
)

// MailText is a company's own text for one kind of message in one language, which
// replaces the product's. Variables are written {{name}}.
type MailText struct {
	Company   string
	Kind      string
	Language  string
	Subject   string
	Body      string // paragraphs, separated by blank lines; "" in a change means that the text was reset
	ChangedAt time.Time
	ChangedBy string // name of the member
	Email     string // theirs
}

var mailTexts = kv.NewCollection("mail_texts", kv.JSON[MailText](),
	kv.Index[MailText]{Name: "company", Keys: func(t MailText) []kv.Key { return []kv.Key{kv.K(t.Company)} }})

// textChanges keeps every text that a company has used, and when it was reset.
var textChanges = kv.NewCollection("mail_text_changes", kv.JSON[MailText](),
	kv.Index[MailText]{Name: "company", Keys: func(t MailText) []kv.Key {
		return []kv.Key{kv.K(t.Company, t.Kind, t.Language, kv.KeyTime(t.ChangedAt))}
	}})

// Bounds of a text, in characters.
const (
	maxTextSubject = 200
	maxTextBody    = 10_000
)

// maxRepeated is how often the body may name one variable: the value may be long, and the
// message goes to everybody.
const maxRepeated = 5

func textKey(company, kind, language string) string { return company + "/" + kind + "/" + language }

// TextKind describes a kind of message that companies can word themselves.
type TextKind struct {
	Kind      string
	Variables []string // that the body and, but for link and message, the subject may name
	Required  []string // that the body has to name
}

// approving is the suffix of the kinds of messages to people who approve instead of signing.
const approving = "_approver"

// TextKinds lists the kinds of messages in the order of their names.
func (s *Outbox) TextKinds() (all []TextKind) {
	english := s.wording.words.English()
	for _, key := range english.Keys("mail.") {
		kind, ok := strings.CutSuffix(key, ".subject")
		if !ok || kind == testKind || kind == string(MailCheckpoints) || strings.HasPrefix(kind, warning) { // these are not the company's
			continue
		}
		all = append(all, s.textKind(kind))
		if english.Has("mail." + kind + ".lead.approver") {
			approver := s.textKind(kind)
			approver.Kind += approving
			all = append(all, approver)
		}
	}
	slices.SortFunc(all, func(a, b TextKind) int { return strings.Compare(a.Kind, b.Kind) })
	return all
}

// textKind finds the variables of a kind: those of the product's own text, and those that its layout uses.
func (s *Outbox) textKind(kind string) TextKind {
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

func (k TextKind) check(in *MailTextInput) error {
	var f fault.Fields
	in.Subject = strings.TrimSpace(in.Subject)
	in.Body = strings.TrimSpace(strings.ReplaceAll(in.Body, "\r\n", "\n"))
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

// findText returns a kind of message and checks the language.
func (s *Outbox) findText(kind, language string) (TextKind, error) {
	l := s.wording.words.Exact(language)
	kinds := s.TextKinds()
	i := slices.IndexFunc(kinds, func(k TextKind) bool { return k.Kind == kind })
	if i < 0 || l == nil || l.Tag() != language {
		return TextKind{}, fault.NotFound("message")
	}
	return kinds[i], nil
}

// ListTexts returns the company's own texts, by kind and language.
func (s *Outbox) ListTexts(_ context.Context, who account.Actor) (all []MailText, err error) {
	if err := admin(who); err != nil {
		return nil, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		return mailTexts.Each(tx, "company", kv.K(who.CompanyID), func(_ string, t MailText) (bool, error) {
			all = append(all, t)
			return true, nil
		})
	})
	return all, err
}

// TextOf returns the company's own text of a kind of message, or the product's (which has no ChangedAt) in its form, and
// the changes, the newest first.
func (s *Outbox) TextOf(_ context.Context, who account.Actor, kind, language string) (k TextKind, t MailText, changes []MailText, err error) {
	if err := admin(who); err != nil {
		return k, t, nil, err
	}
	if k, err = s.findText(kind, language); err != nil {
		return k, t, nil, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		t, err = mailTexts.Get(tx, textKey(who.CompanyID, kind, language))
		if errors.Is(err, kv.ErrNotFound) {
			t, err = s.wording.original(kind, language), nil
		}
		if err != nil {
			return err
		}
		return textChanges.Each(tx, "company", kv.K(who.CompanyID, kind, language), func(_ string, c MailText) (bool, error) {
			changes = append(changes, c)
			return true, nil
		})
	})
	slices.Reverse(changes)
	return k, t, changes, err
}

// SaveText uses a text from now on, and keeps who changed it.
func (s *Outbox) SaveText(_ context.Context, who account.Actor, kind, language string, in MailTextInput) error {
	return s.changeText(who, kind, language, func(tx *kv.Tx, k TextKind, t MailText) (MailText, error) {
		if err := k.check(&in); err != nil {
			return t, err
		}
		t.Subject, t.Body = in.Subject, in.Body
		return t, mailTexts.Put(tx, textKey(t.Company, kind, language), t)
	})
}

// ResetText returns to the product's text.
func (s *Outbox) ResetText(_ context.Context, who account.Actor, kind, language string) error {
	return s.changeText(who, kind, language, func(tx *kv.Tx, _ TextKind, t MailText) (MailText, error) {
		key := textKey(t.Company, kind, language)
		if has, err := mailTexts.Has(tx, key); err != nil || !has {
			return MailText{}, err
		}
		return t, mailTexts.Delete(tx, key)
	})
}

func (s *Outbox) changeText(who account.Actor, kind, language string, change func(*kv.Tx, TextKind, MailText) (MailText, error)) error {
	if err := admin(who); err != nil {
		return err
	}
	k, err := s.findText(kind, language)
	if err != nil {
		return err
	}
	return s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		t, err := change(tx, k, MailText{Company: who.CompanyID, Kind: kind, Language: language, ChangedAt: tx.Now, ChangedBy: who.Name, Email: who.Email})
		if err != nil || t.Company == "" {
			return err
		}
		return textChanges.Put(tx, s.NewID().String(), t)
	})
}

// PreviewText composes a message with made-up facts, as it would be sent with a text.
func (s *Outbox) PreviewText(_ context.Context, who account.Actor, kind, language string, in MailTextInput) (m Message, err error) {
	if err := admin(who); err != nil {
		return Message{}, err
	}
	k, err := s.findText(kind, language)
	if err == nil {
		err = k.check(&in)
	}
	if err != nil {
		return Message{}, err
	}
	facts := map[string]string{}
	for _, name := range k.Variables {
		facts[name] = "[" + name + "]"
	}
	var c account.Company
	if err := s.DB.View(func(tx *kv.Tx) (err error) { c, err = account.LoadCompany(tx, who.CompanyID); return err }); err != nil {
		return Message{}, err
	}
	facts["company"], facts["name"], facts["color"], facts["link"], facts["code"] = c.Name, who.Name, brand(c), strings.TrimSuffix(s.BaseURL, "/")+"/…", "123456"
	kind, isApprover := strings.CutSuffix(kind, approving)
	if isApprover {
		facts["approver"] = "yes"
	}
	return s.composeOwn(Message{Kind: kind, To: who.Email, ToName: who.Name}, language, facts, &MailText{Subject: in.Subject, Body: in.Body})
}

// ownText returns the company's text of a message, nil if it uses the product's.
func (s *Outbox) ownText(tx *kv.Tx, m Message, locale string, facts map[string]string) (*MailText, error) {
	company, kind := m.Company, m.Kind
	if company == "" {
		company = m.Origin
	}
	if facts["approver"] != "" && s.wording.words.English().Has("mail."+kind+".lead.approver") {
		kind += approving
	}
	t, err := mailTexts.Get(tx, textKey(company, kind, s.wording.words.Match(locale).Tag()))
	if errors.Is(err, kv.ErrNotFound) {
		return nil, nil
	}
	return &t, err
}

// exportTexts exports the texts of a company with their changes.
func exportTexts(tx *kv.Tx, company string, put func(kv.Item) error) error {
	var errs []error
	for _, c := range []*kv.Collection[MailText]{mailTexts, textChanges} {
		errs = append(errs, c.Each(tx, "company", kv.K(company), func(id string, t MailText) (bool, error) {
			it, err := c.Pack(id, t)
			if err != nil {
				return false, err
			}
			return true, put(it)
		}))
	}
	return errors.Join(errs...)
}

// importText returns the function that stores a text, nil if the item is none.
func importText(company string, it kv.Item) func(tx *kv.Tx) error {
	for _, c := range []*kv.Collection[MailText]{mailTexts, textChanges} {
		if it.In != c.Name() {
			continue
		}
		return func(tx *kv.Tx) error {
			t, err := kv.Read[MailText](it)
			if err == nil && (t.Company != company || c == mailTexts && it.ID != textKey(company, t.Kind, t.Language)) {
				err = kv.ErrCorrupt
			}
			if err != nil {
				return err
			}
			return c.Add(tx, it.ID, t)
		}
	}
	return nil
}

// TextLanguage returns the language in which messages for a locale are written.
func (s *Outbox) TextLanguage(locale string) string { return s.wording.words.Match(locale).Tag() }
