//go:build !linux

package archive

import "os"

// DropCache does nothing: this system has no such hint.
func DropCache(*os.File) {}
