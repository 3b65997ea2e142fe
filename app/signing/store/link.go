package store

import (
	"crypto/sha256"
	"encoding/hex"
	"paraph/app/signing/record"
	"slices"
)

// MovedLinks holds the hashes of the codes in an invitation's links from another
// installation, so that those links work here too.
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

// Opens reports whether a code belongs to the invitation's link on another
// installation.
func (m *MovedLinks) Opens(inv *record.Invitation, code string) bool {
	return m != nil && m.Generation == inv.LinkGeneration && slices.Contains(m.Hashes, HashLink(code))
}
