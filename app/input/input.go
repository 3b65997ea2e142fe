// Package input parses what people type: names to compare without case and
// accents, e-mail and web addresses, languages.
package input

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"paraph/app/fault"
	"paraph/app/mail"
)

// MaxEmail is the maximum length of an address in bytes (RFC 5321 §4.5.3.1.3).
const MaxEmail = 254

// Fold folds case and accents, so that texts can be compared without them.
func Fold(s string) string {
	return strings.TrimSpace(cases.Fold().String(WithoutAccents(s)))
}

// WithoutAccents returns a text in compatibility decomposition, without what stands above and below its letters.
func WithoutAccents(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(s))
}

// FoldEmail maps different spellings of an address to the same text. RFC 5321 §2.4 makes the
// part before the @ case-sensitive, but no mail system in use does.
func FoldEmail(email string) string {
	return strings.ToLower(norm.NFC.String(strings.TrimSpace(email)))
}

// CheckEmail adds the faults of an address.
func CheckEmail(f *fault.Fields, field, email string) {
	email = strings.TrimSpace(email)
	switch {
	case email == "":
		f.Required(field)
	case len(email) > MaxEmail:
		f.TooLong(field, MaxEmail)
	case !mail.ValidEmail(email):
		f.Add(field, "not_an_email")
	}
}

var address = regexp.MustCompile(`[^\s@<>()\[\]"'«»“”„,;:]+@[^\s@<>()\[\]"'«»“”„,;:]+\.[^\s@<>()\[\]"'«»“”„,;:.]+`)

// OwnName refuses a name of somebody or something that has the address of somebody else in it. Names stand in
// certificates, in mails and under signatures, where an address would pass for proven. A field with another fault has
// no second one.
func OwnName(f *fault.Fields, field, name, email string) {
	if f.Has(field) {
		return
	}
	for _, found := range address.FindAllString(norm.NFKC.String(name), -1) {
		if FoldEmail(found) != FoldEmail(email) {
			f.Add(field, "name_has_address")
			return
		}
	}
}

// SetLocale sets a BCP 47 tag in its canonical form. A missing or unknown tag leaves *to
// unchanged.
func SetLocale(f *fault.Fields, field string, from *string, to *string) {
	if from == nil {
		return
	}
	tag, err := language.Parse(*from)
	if *from == "" || err != nil {
		f.Add(field, "not_a_language")
		return
	}
	*to = tag.String()
}

var phoneNumber = regexp.MustCompile(`^\+?[0-9(][0-9 ()./-]{2,38}[0-9]$`)

// IsPhoneNumber reports whether s looks like a telephone number, written in any way.
func IsPhoneNumber(s string) bool { return phoneNumber.MatchString(s) }

// IsWebAddress reports whether s is the absolute address of a web page, without credentials.
func IsWebAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil
}
