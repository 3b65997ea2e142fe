// Package archive reads and writes the files in which data leaves an installation:
// tar, compressed with Zstandard, and encrypted with age (age-encryption.org) on
// request. The last entry, manifest.txt, lists the SHA-256 of every other one, as
// sha256sum prints it. What is written is read back before it gets its name.
package archive

import "errors"

// Files is the beginning of the names of uploads and revisions in every archive;
// the rest is the SHA-256 of the content. They are in ascending order.
const Files = "files/"

const manifestEntry = "manifest.txt"

// Errors of this package; test with [errors.Is].
var (
	// ErrDamaged says that an archive differs from what was written.
	ErrDamaged = errors.New("damaged")
	// ErrNoKey says that none of the given keys decrypts an archive.
	ErrNoKey = errors.New("cannot be decrypted")
)
