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

// leastHeight is the height in points to which a field is shortened at most.
const leastHeight = 10

// Separate shortens the fields that text tags made, so that none lies over that of another tag: each
// ends where the next on its line begins, and begins where those of other people above it end. What
// still overlaps is a problem that the sender is told of.
func (d *Document) Separate(made []Field) {
	tag := func(x *Field) detect.Area { // a signature stands on the line of its tag, and extends far above it
		if len(x.Covered) > 0 {
			return x.Covered[0]
		}
		return detect.Area{Page: x.Page, X: x.X, Y: x.Y, Width: x.Width, Height: x.Height}
	}
	for i := range made {
		x := &made[i]
		for k := range made {
			o := &made[k]
			if i == k || x.File != o.File || x.Page != o.Page || !x.Covers(o) {
				continue
			}
			at, next := tag(x), tag(o)
			switch middle := next.Y + next.Height/2; {
			case at.Y < middle && middle < at.Y+at.Height:
				if x.X < o.X {
					x.Width = o.X - x.X
				}
			case at.Y > next.Y && !d.sameHands(x, o):
				top := o.Y + o.Height
				if (x.Y+x.Height-top)*d.File(x.File).Pages[x.Page-1].Height >= leastHeight {
					x.Y, x.Height = top, x.Y+x.Height-top
				}
			}
		}
	}
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
