package contact

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/kv"
)

// Input holds the fields that a caller may set. A nil member leaves the value unchanged; "" and
// an empty list clear an optional one.
type Input struct {
	Name         *string
	Email        *string
	Organization *string
	JobTitle     *string
	Phone        *string
	Locale       *string
	Note         *string
	Tags         *[]string
}

// Limits, in characters and items.
const (
	maxName  = 200
	maxPhone = 50
	maxNote  = 4000
	maxTag   = 50
	maxTags  = 20
)

// change applies an input and stores the contact.
func change(tx *kv.Tx, c *Contact, in Input) error {
	var f fault.Fields
	in.apply(&f, c)
	if c.DeletedAt == nil && !f.Has("email") {
		taken, err := taken(tx, c)
		if err != nil {
			return err
		}
		if taken {
			f.Taken("email")
		}
	}
	if err := f.Err(); err != nil {
		return err
	}
	return put(tx, c)
}

// apply checks the input and writes it to the contact.
func (in Input) apply(f *fault.Fields, c *Contact) {
	text(f, "name", in.Name, &c.Name, maxName, false)
	if c.Name == "" && !f.Has("name") {
		f.Required("name")
	}
	if in.Email != nil {
		c.Email = strings.TrimSpace(*in.Email)
	}
	input.CheckEmail(f, "email", c.Email)
	text(f, "organization", in.Organization, &c.Organization, maxName, false)
	text(f, "job_title", in.JobTitle, &c.JobTitle, maxName, false)
	text(f, "phone", in.Phone, &c.Phone, maxPhone, false)
	input.OwnName(f, "name", c.Name, c.Email)
	input.OwnName(f, "organization", c.Organization, c.Email)
	input.OwnName(f, "job_title", c.JobTitle, c.Email)
	text(f, "note", in.Note, &c.Note, maxNote, true)
	switch {
	case in.Locale == nil:
	case *in.Locale == "":
		c.Locale = ""
	default:
		input.SetLocale(f, "locale", in.Locale, &c.Locale)
	}
	if in.Tags != nil {
		c.Tags = tags(f, *in.Tags)
	}
}

// text checks a text that may be empty, on one line or, with many, on several.
func text(f *fault.Fields, field string, from, to *string, limit int, many bool) {
	if from == nil {
		return
	}
	s := strings.TrimSpace(input.Visible(strings.ReplaceAll(*from, "\r\n", "\n")))
	control := func(r rune) bool { return unicode.IsControl(r) && (!many || r != '\n' && r != '\t') }
	switch {
	case !utf8.ValidString(s):
		f.Add(field, "not_text")
	case strings.ContainsFunc(s, control):
		f.Add(field, "control_characters")
	case utf8.RuneCountInString(s) > limit:
		f.TooLong(field, limit)
	default:
		*to = s
	}
}

func tags(f *fault.Fields, in []string) []string {
	if len(in) > maxTags {
		f.TooMany("tags", maxTags)
		return nil
	}
	var out []string
	for i := range in {
		tag := ""
		text(f.Under("tags"), strconv.Itoa(i), &in[i], &tag, maxTag, false)
		known := slices.ContainsFunc(out, func(o string) bool { return input.Fold(o) == input.Fold(tag) })
		if tag != "" && !known {
			out = append(out, tag)
		}
	}
	return out
}
