package record

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"paraph/app/signing/detect"
)

// RecipientOf returns the person that a detected field is for, nil if there is none.
func (d *Document) RecipientOf(x *detect.Field) *Invitation {
	n := x.Recipient
	if x.Role != "" {
		role := Squeeze(x.Role)
		for i := range d.Invitations {
			inv := &d.Invitations[i]
			known := []string{Squeeze(inv.RoleName), Squeeze(inv.Email), Squeeze(inv.Name)}
			if inv.Signs() && slices.Contains(known, role) {
				return inv
			}
		}
		for i := range d.Invitations {
			if inv := &d.Invitations[i]; inv.Signs() && inv.Group != "" && Squeeze(inv.Group) == role {
				return FirstOfGroup(d, inv)
			}
		}
		if n = number(role); n == 0 && !d.Template { // a template can have roles called First Party
			n = Ordinal(role)
		}
	}
	if people := d.InOrder(); n >= 1 && n <= len(people) {
		return people[n-1]
	}
	return nil
}

// Squeeze folds a name for comparison. The line breaks of a file may have added spaces
// to it.
func Squeeze(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), "")) }

var (
	numberedRole = regexp.MustCompile(`^(?:signer|recipient|party|person|role|submitter|r)?#?(\d{1,3})$`)
	ordinals     = strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth")
)

// number returns the number in a role such as "Signer 2", 0 for none.
func number(role string) int {
	m := numberedRole.FindStringSubmatch(Squeeze(role))
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return 0
	}
	return n
}

// Ordinal returns the number that a role such as "Second Party" or "Signer 2" stands
// for, 0 for none.
func Ordinal(role string) int {
	word := Squeeze(role)
	for _, suffix := range []string{"party", "signer", "recipient"} {
		word = strings.TrimSuffix(word, suffix)
	}
	return cmp.Or(number(role), slices.Index(ordinals, word)+1)
}
