//go:build !linux

package confine

import "errors"

// Offered returns what this system offers: nothing.
func Offered() Protection { return Protection{} }

func become(Rules, string, []string, []string) error {
	return errors.New("not possible on this system")
}
