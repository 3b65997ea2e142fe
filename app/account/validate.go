package account

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // so that time zones work on a machine without a zone database
	"unicode"
	"unicode/utf8"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/list"
)

// Lengths in characters; that of an address in bytes (RFC 5321 §4.5.3.1.3).
const (
	maxName    = 200
	maxURL     = 2048
	maxInline  = 128 << 10 // of a logo as a data: address
	maxConsent = 10_000
)

// setName sets a name of somebody or something; it must not be empty.
func setName(f *fault.Fields, field string, from, to *string) {
	if from == nil {
		return
	}
	text := strings.TrimSpace(input.Visible(*from))
	switch {
	case text == "":
		f.Required(field)
	case !printable(text):
		f.Add(field, "not_one_line")
	case utf8.RuneCountInString(text) > maxName:
		f.TooLong(field, maxName)
	default:
		*to = text
	}
}

// setPerson sets the name of somebody with an address.
func setPerson(f *fault.Fields, field string, from, to *string, email string) {
	if setName(f, field, from, to); from != nil && !f.Has(field) {
		input.OwnName(f, field, *from, email)
	}
}

// setCompany sets the name of a company. It is certified and begins mails, where an address would pass for the
// sender's.
func setCompany(f *fault.Fields, field string, from, to *string) { setPerson(f, field, from, to, "") }

func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// setTimezone sets a name from the IANA database.
func setTimezone(f *fault.Fields, from, to *string) {
	if from == nil {
		return
	}
	_, err := time.LoadLocation(*from)
	if *from == "" || *from == "Local" || err != nil {
		f.Add("timezone", "not_a_timezone")
		return
	}
	*to = *from
}

var (
	color = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)
	logo  = regexp.MustCompile(`^data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$`)
)

// setColor sets "#rrggbb", or "" for none.
func setColor(f *fault.Fields, field string, from *string, to *string) {
	if from == nil {
		return
	}
	if *from != "" && !color.MatchString(*from) {
		f.Add(field, "not_a_color")
		return
	}
	*to = strings.ToLower(*from)
}

// setImage sets the URL of an image, an inline image as a data: URL, or "" for none.
func setImage(f *fault.Fields, field string, from *string, to *string) {
	if from == nil {
		return
	}
	address := strings.TrimSpace(*from)
	if strings.HasPrefix(*to, "/logo/") && strings.HasSuffix(address, *to) {
		return // shown with the address of this appliance prepended
	}
	switch inline := strings.HasPrefix(address, "data:"); {
	case inline && len(address) > maxInline:
		f.TooLong(field, maxInline)
	case !inline && len(address) > maxURL:
		f.TooLong(field, maxURL)
	case address != "" && !logo.MatchString(address) && !input.IsWebAddress(address):
		f.Add(field, "not_an_image_address")
	default:
		*to = address
	}
}

// setPhone sets a free-form telephone number, or "" for none.
func setPhone(f *fault.Fields, field string, from *string, to *string) {
	if from == nil {
		return
	}
	number := strings.TrimSpace(*from)
	if number != "" && !input.IsPhoneNumber(number) {
		f.Add(field, "not_a_phone_number")
		return
	}
	*to = number
}

// setAddress sets the address of a page, or "" for none.
func setAddress(f *fault.Fields, field string, from *string, to *string) {
	if from == nil {
		return
	}
	switch address := strings.TrimSpace(*from); {
	case len(address) > maxURL:
		f.TooLong(field, maxURL)
	case address != "" && !input.IsWebAddress(address):
		f.Add(field, "not_a_web_address.privacy")
	default:
		*to = address
	}
}

// setNumber sets a whole number in a range, or 0 for none.
func setNumber(f *fault.Fields, field string, from *int, to *int, low, high int) {
	if from == nil {
		return
	}
	if *from != 0 && (*from < low || *from > high) {
		f.Between(field, low, high)
		return
	}
	*to = *from
}

// contains reports whether every word of a folded search occurs in text.
func contains(text, search string) bool {
	text = input.Fold(text)
	for word := range strings.FieldsSeq(search) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// wantedStatuses returns a filter over statuses. known maps each word of the
// status parameter to a status; shown lists the default statuses.
func wantedStatuses[S ~string](q list.Query[S], known map[string]string, shown ...string) (func(string) bool, error) {
	var f fault.Fields
	wanted := map[string]bool{}
	for _, word := range q.Statuses {
		status, ok := known[word]
		if !ok {
			f.OneOf("status", slices.Sorted(maps.Keys(known))...)
			return nil, f.Err()
		}
		wanted[status] = true
	}
	if len(wanted) == 0 {
		for _, status := range shown {
			wanted[status] = true
		}
	}
	if q.WithTrashed && len(q.Statuses) == 0 {
		return func(string) bool { return true }, nil
	}
	return func(status string) bool { return wanted[status] }, nil
}
