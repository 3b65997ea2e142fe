// Package archive reads and writes the files in which data leaves an installation: tar,
// compressed with Zstandard, and optionally encrypted with age (age-encryption.org). The last
// entry, manifest.txt, lists the SHA-256 of every other one in the format of sha256sum. An
// archive is read back before it is named.
package archive

import "errors"

// Files is the prefix of the names of uploads and revisions in every archive; the rest is the
// SHA-256 of the content. They are in ascending order.
const Files = "files/"

const manifestEntry = "manifest.txt"

// Errors of this package; test with [errors.Is].
var (
	// ErrDamaged reports that an archive differs from what was written.
	ErrDamaged = errors.New("damaged")
	// ErrNoKey reports that none of the given keys decrypts an archive.
	ErrNoKey = errors.New("cannot be decrypted")
)
