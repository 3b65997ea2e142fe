package turns_test

import (
	"testing"

	"paraph/app/turns"
)

func TestNetworkIsWhatOnePersonHas(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1", "2001:db8:1:2:3::4": "2001:db8:1:2::/64",
		"fe80::1%eth0": "fe80::/64", "": "", "no address": "no address",
	} {
		if got := turns.Network(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}
