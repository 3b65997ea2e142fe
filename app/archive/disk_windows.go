package archive

import (
	"errors"
	"os"
)

// Claim does nothing: Windows removes no file that a process has open.
func Claim(*os.File) error { return errors.ErrUnsupported }

// SyncDir does nothing: Windows cannot sync a folder, and NTFS journals renames.
func SyncDir(string) error { return nil }
