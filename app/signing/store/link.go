package store

import (
	"crypto/sha256"
	"encoding/hex"
	"paraph/app/signing/record"
	"slices"
)

// MovedLinks carries the hashes of the codes in an invitation's link, so that the
// link works on an installation that can't make it.
type MovedLinks struct {
	Company    string
	Generation int
	Hashes     []string
}

// HashLink returns the hash of a link's code. The code is random to its holder, so
// a plain hash is enough.
func HashLink(code string) string {
	sum := sha256.Sum256([]byte("moved link\x00" + code))
	return hex.EncodeToString(sum[:])
}

// Opens reports whether a code was that of the invitation's link on another
// installation.
func (m *MovedLinks) Opens(inv *record.Invitation, code string) bool {
	return m != nil && m.Generation == inv.LinkGeneration && slices.Contains(m.Hashes, HashLink(code))
}
