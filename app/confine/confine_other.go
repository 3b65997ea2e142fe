//go:build !linux

package confine

import "errors"

// Offered returns what this system offers: nothing.
func Offered() Protection { return Protection{} }

// CutOff does nothing: this system can't take the network away from a process.
func CutOff() error { return nil }

func become(Rules, string, []string, []string) error {
	return errors.New("not possible on this system")
}
