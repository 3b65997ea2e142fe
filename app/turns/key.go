package turns

import "net/netip"

// Key identifies the caller on whose behalf something is done. Keys are comparable; the zero
// value is the service itself, which forms its own group.
type Key struct{ group, caller string }

// strangers is the group of all callers without a company.
const strangers = "strangers"

// Member returns the key of a member of a company.
func Member(company, user string) Key { return Key{"company " + company, user} }

// Guest returns the key of a recipient invited by a company. A company's guests form a separate
// group beside its members, so that neither crowds out the other.
func Guest(company, invitation string) Key { return Key{"guests " + company, invitation} }

// Stranger returns the key of an unknown caller, by network address.
func Stranger(address string) Key { return Key{strangers, Network(address)} }

// IsStranger reports whether the key is a stranger's.
func (k Key) IsStranger() bool { return k.group == strangers }

// Network returns the part of an address that one person can be expected to have: all of an
// IPv4 address, the first half of an IPv6 one.
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
