package convert_test

import (
	"fmt"
	"os"
	"testing"

	"paraph/app/confine"
)

// TestMain becomes a confined converter if the process was started as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == confine.Command {
		fmt.Fprintln(os.Stderr, confine.Become(os.Args[2:]))
		os.Exit(1)
	}
	os.Exit(m.Run())
}
