package turns

import "net/netip"

// Key says for whom something is done. Keys can be compared; the zero value is
// the service itself, which is a group of its own.
type Key struct{ group, caller string }

// strangers is the group of all who are in no company.
const strangers = "strangers"

// Member is somebody of a company.
func Member(company, user string) Key { return Key{"company " + company, user} }

// Guest is somebody whom a company has invited. The guests of a company are a
// group beside its members, so that neither crowds the other out.
func Guest(company, invitation string) Key { return Key{"guests " + company, invitation} }

// Stranger is whoever calls from an address and is not known.
func Stranger(address string) Key { return Key{strangers, Network(address)} }

// IsStranger reports whether the key is a stranger's.
func (k Key) IsStranger() bool { return k.group == strangers }

// Network is the part of an address that one person can be expected to have: all
// of an IPv4 address, the first half of an IPv6 one.
func Network(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	a = a.Unmap().WithZone("")
	if a.Is4() {
		return a.String()
	}
	return netip.PrefixFrom(a, 64).Masked().String()
}
