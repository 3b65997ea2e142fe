package contact

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/list"
	"paraph/kv"
)

// contacts is the collection of contacts. Keys begin with the company, so that no scan crosses into
// another.
var contacts = kv.NewCollection("contacts", kv.JSON[Contact](), append(orderIndexes(),
	kv.Index[Contact]{Name: "email", Unique: true, Keys: func(c Contact) []kv.Key {
		if c.DeletedAt != nil {
			return nil // a contact in the trash may be added again
		}
		return []kv.Key{emailKey(c.Company, c.Email)}
	}},
	kv.Index[Contact]{Name: "word", Keys: func(c Contact) []kv.Key {
		words := c.words()
		keys := make([]kv.Key, 0, len(words))
		for _, w := range words {
			keys = append(keys, kv.K(c.Company, c.Status(), w))
		}
		return keys
	}})...)

// Collections lists the collections of this package, for the check of the data folder.
func Collections() []kv.Checker { return []kv.Checker{contacts} }

func key(company, id string) string { return company + "/" + id }

func (c Contact) key() string { return key(c.Company, c.ID) }

func emailKey(company, email string) kv.Key { return kv.K(company, input.FoldEmail(email)) }

// Sort is an order of contacts.
type Sort string

// The orders of contacts.
const (
	ByName         Sort = "name" // the default
	ByEmail        Sort = "email"
	ByOrganization Sort = "organization"
	ByCreation     Sort = "created_at"
	ByUpdate       Sort = "updated_at"
	ByUse          Sort = "last_used_at"
)

// Query selects contacts.
type Query = list.Query[Sort]

// orders are the fields that lists can be sorted by, each with the value it compares.
var orders = map[Sort]func(Contact) string{
	ByName:         func(c Contact) string { return cut(input.Fold(c.Name)) },
	ByEmail:        func(c Contact) string { return input.FoldEmail(c.Email) },
	ByOrganization: func(c Contact) string { return cut(input.Fold(c.Organization)) },
	ByCreation:     func(c Contact) string { return kv.KeyTime(c.CreatedAt) },
	ByUpdate:       func(c Contact) string { return kv.KeyTime(c.UpdatedAt) },
	ByUse: func(c Contact) string {
		if c.LastUsedAt == nil {
			return ""
		}
		return kv.KeyTime(*c.LastUsedAt)
	},
}

func orderIndexes() []kv.Index[Contact] {
	var out []kv.Index[Contact]
	for _, field := range orderNames() {
		by := orders[Sort(field)]
		out = append(out, kv.Index[Contact]{Name: "by_" + field, Counted: true, Depth: 2, Keys: func(c Contact) []kv.Key {
			return []kv.Key{kv.K(c.Company, c.Status(), by(c))}
		}})
	}
	return out
}

// load reads a contact of the caller's company.
func load(tx *kv.Tx, who account.Call, id string) (Contact, error) {
	c, err := contacts.Get(tx, key(who.CompanyID, id))
	if errors.Is(err, kv.ErrNotFound) {
		return Contact{}, fault.NotFound("contact").Because(err)
	}
	return c, err
}

// Employment returns the organization and the job title that a company knows of the person with
// an address, "" for what it does not know.
func Employment(tx *kv.Tx, company, email string) (organization, jobTitle string, err error) {
	_, c, err := contacts.Lookup(tx, "email", emailKey(company, email))
	if errors.Is(err, kv.ErrNotFound) {
		return "", "", nil
	}
	return c.Organization, c.JobTitle, err
}

// put stores a contact and sets the time of the change.
func put(tx *kv.Tx, c *Contact) error {
	c.UpdatedAt = tx.Now
	return contacts.Put(tx, c.key(), *c)
}

// taken reports whether another contact has the address.
func taken(tx *kv.Tx, c *Contact) (bool, error) {
	id, _, err := contacts.Lookup(tx, "email", emailKey(c.Company, c.Email))
	if errors.Is(err, kv.ErrNotFound) {
		return false, nil
	}
	return err == nil && id != c.key(), err
}

// Limits of the indexed text of one contact, in runes and words.
const (
	wordRunes = 40
	maxWords  = 80
)

func cut(s string) string {
	if r := []rune(s); len(r) > wordRunes {
		return string(r[:wordRunes])
	}
	return s
}

// words returns the folded words that find a contact: every text that starts at the beginning
// of a word and runs to the next blank. An address is found by its name, by its domain and as a
// whole.
func (c Contact) words() []string {
	var out []string
	for chunk := range strings.FieldsSeq(input.Fold(c.Name + " " + c.Email + " " + c.Organization + " " + strings.Join(c.Tags, " "))) {
		inWord := false
		for i, r := range chunk {
			letter := !notInWord(r)
			// Han, kana and Hangul are written without blanks: each character may begin a word.
			begins := letter && (!inWord || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul))
			inWord = letter
			if w := cut(chunk[i:]); begins && len(out) < maxWords && !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// matches reports whether every word of a folded search begins a word of the contact.
func (c Contact) matches(search []string) bool {
	words := c.words()
	for _, s := range search {
		if !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, s) }) {
			return false
		}
	}
	return true
}

// notInWord reports whether no word begins with the character.
func notInWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// usedAt returns when a document was last sent to the contact, zero for never.
func (c Contact) usedAt() time.Time {
	if c.LastUsedAt == nil {
		return time.Time{}
	}
	return *c.LastUsedAt
}
