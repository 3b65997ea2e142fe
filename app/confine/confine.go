// Package confine starts programs that convert files of strangers where they see nothing but what they
// were given: no other file of this machine can be opened, and no network is there.
//
// A program confines itself and then becomes the other one. The parent therefore starts itself once more,
// with [Command], and main calls [Become] for it. On Linux, files are kept away by Landlock and the network
// by a filter of system calls, neither of which needs any rights; [Offered] tells what the kernel has.
package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// Rules are what a confined program may use.
type Rules struct {
	Read  []string // files and folders that it may read, and programs that it may run; missing ones are ignored
	Write []string // that it may change, too
	Meet  []string // folders in which it may only make sockets, and remove files that it could remove before
}

// Protection lists the ways in which a system can confine a program.
type Protection struct {
	Files   bool // other files can't be opened
	Network bool // nothing can be sent or fetched
}

// Whole reports whether nothing is missing.
func (p Protection) Whole() bool { return p.Files && p.Network }

// Command is the argument by which this program becomes a confined one; see [Become].
const Command = "confined"

// Start returns the arguments by which self, a program that calls [Become] in main, becomes another one.
func Start(self string, rules Rules, program string, args ...string) ([]string, error) {
	b, err := json.Marshal(rules)
	if err != nil {
		return nil, err
	}
	return append([]string{self, Command, string(b), program}, args...), nil
}

var errUse = errors.New("confine: rules and a program are expected")

// Become confines this process by rules and turns it into a program: args are those that follow [Command].
// It returns only if that fails. What the system doesn't offer is missing; what it offers and refuses is an
// error.
func Become(args []string) error {
	if len(args) < 2 {
		return errUse
	}
	var rules Rules
	if err := json.Unmarshal([]byte(args[0]), &rules); err != nil {
		return errors.Join(errUse, err)
	}
	program, err := exec.LookPath(args[1])
	if err != nil {
		return err
	}
	return fmt.Errorf("confine %s: %w", program, become(rules, program, args[1:], os.Environ()))
}
