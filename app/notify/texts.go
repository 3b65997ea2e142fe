package notify

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/account"
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

func textKey(company, kind, language string) string { return company + "/" + kind + "/" + language }

// Texts composes messages, with a company's own texts if it has any, otherwise with the product's.
type Texts struct {
	db      *kv.DB
	newID   func() ulid.ULID
	baseURL string
	wording *wording
}

func newTexts(o Options) (*Texts, error) {
	w, err := newWording(o.Words)
	return &Texts{db: o.DB, newID: o.NewID, baseURL: o.BaseURL, wording: w}, err
}

// compose fills in the texts of a message: the company's own, or the product's.
func (s *Texts) compose(tx *kv.Tx, m Message, locale string, facts map[string]string) (Message, error) {
	own, err := s.own(tx, m, locale, facts)
	if err != nil {
		return Message{}, err
	}
	return s.wording.compose(m, locale, facts, own)
}

// List returns the company's own texts, by kind and language.
func (s *Texts) List(who account.Call) (all []MailText, err error) {
	if err := admin(who); err != nil {
		return nil, err
	}
	err = s.db.View(func(tx *kv.Tx) error {
		return mailTexts.Each(tx, "company", kv.K(who.CompanyID), func(_ string, t MailText) (bool, error) {
			all = append(all, t)
			return true, nil
		})
	})
	return all, err
}

// Get returns the company's own text of a kind of message, or the product's (which has no ChangedAt) in its form, and
// the changes, the newest first.
func (s *Texts) Get(who account.Call, kind, language string) (k TextKind, t MailText, changes []MailText, err error) {
	if err := admin(who); err != nil {
		return k, t, nil, err
	}
	if k, err = s.find(kind, language); err != nil {
		return k, t, nil, err
	}
	err = s.db.View(func(tx *kv.Tx) error {
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

// Save uses a text from now on, and keeps who changed it.
func (s *Texts) Save(who account.Call, kind, language string, in MailTextInput) error {
	return s.change(who, kind, language, func(tx *kv.Tx, k TextKind, t MailText) (MailText, error) {
		if err := k.check(&in); err != nil {
			return t, err
		}
		t.Subject, t.Body = in.Subject, in.Body
		return t, mailTexts.Put(tx, textKey(t.Company, kind, language), t)
	})
}

// Reset returns to the product's text.
func (s *Texts) Reset(who account.Call, kind, language string) error {
	return s.change(who, kind, language, func(tx *kv.Tx, _ TextKind, t MailText) (MailText, error) {
		key := textKey(t.Company, kind, language)
		if has, err := mailTexts.Has(tx, key); err != nil || !has {
			return MailText{}, err
		}
		return t, mailTexts.Delete(tx, key)
	})
}

func (s *Texts) change(who account.Call, kind, language string, change func(*kv.Tx, TextKind, MailText) (MailText, error)) error {
	if err := admin(who); err != nil {
		return err
	}
	k, err := s.find(kind, language)
	if err != nil {
		return err
	}
	return s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		t, err := change(tx, k, MailText{Company: who.CompanyID, Kind: kind, Language: language, ChangedAt: tx.Now, ChangedBy: who.Name, Email: who.Email})
		if err != nil || t.Company == "" {
			return err
		}
		return textChanges.Put(tx, s.newID().String(), t)
	})
}

// Preview composes a message with made-up facts, as it would be sent with a text.
func (s *Texts) Preview(who account.Call, kind, language string, in MailTextInput) (m Message, err error) {
	if err := admin(who); err != nil {
		return Message{}, err
	}
	k, err := s.find(kind, language)
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
	if err := s.db.View(func(tx *kv.Tx) (err error) { c, err = account.LoadCompany(tx, who.CompanyID); return err }); err != nil {
		return Message{}, err
	}
	facts["company"], facts["name"], facts["color"], facts["link"], facts["code"] = c.Name, who.Name, brand(c), strings.TrimSuffix(s.baseURL, "/")+"/…", "123456"
	kind, facts["role"] = s.wording.roleOf(kind)
	return s.wording.compose(Message{Kind: kind, To: who.Email, ToName: who.Name}, language, facts, &MailText{Subject: in.Subject, Body: in.Body})
}

// own returns the company's text of a message, nil if it uses the product's.
func (s *Texts) own(tx *kv.Tx, m Message, locale string, facts map[string]string) (*MailText, error) {
	company, kind := m.Company, m.Kind
	if company == "" {
		company = m.Origin
	}
	if role := facts["role"]; s.wording.hasFor(kind, role) {
		kind += "_" + role
	}
	t, err := mailTexts.Get(tx, textKey(company, kind, s.wording.words.Match(locale).Tag()))
	if errors.Is(err, kv.ErrNotFound) {
		return nil, nil
	}
	return &t, err
}

// Language returns the language in which messages for a locale are written.
func (s *Texts) Language(locale string) string { return s.wording.words.Match(locale).Tag() }
