package pki

import (
	"crypto/sha256"
	"sync"
)

// maxVerified is the capacity of each generation of verified, at 32 bytes a signature.
const maxVerified = 2000

// verified remembers the signatures that were found valid most recently: those on our own
// certificates and lists recur in every file. A lookup searches both generations; when the
// young one is full, it becomes the old one, which is dropped.
type verified struct {
	mu         sync.Mutex
	young, old map[[sha256.Size]byte]bool
}

func (s signedBy) sum() (sum [sha256.Size]byte) {
	h := sha256.New()
	h.Write([]byte(s.issuer)) // a certificate tells its own length
	h.Write([]byte(s.raw))
	h.Sum(sum[:0])
	return sum
}

func (v *verified) has(s signedBy) bool {
	if v == nil {
		return false
	}
	key := s.sum()
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.young[key] || v.old[key]
}

func (v *verified) add(s signedBy) {
	if v == nil {
		return
	}
	key := s.sum()
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.young == nil || len(v.young) >= maxVerified {
		v.young, v.old = map[[sha256.Size]byte]bool{}, v.young
	}
	v.young[key] = true
}
