package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math/big"
	"sync"
)

// entropy makes keys and serial numbers: from the system's generator or, with a seed, the same
// ones in the same order in every run. The latter is for test doubles and is refused for stored
// keys.
type entropy struct {
	seed []byte

	mu    sync.Mutex
	count uint64
}

// bytes returns n bytes, at most 32.
func (e *entropy) bytes(n int) []byte {
	out := make([]byte, sha256.Size)
	if e.seed == nil {
		rand.Read(out) // never fails: crypto/rand ends the process instead
		return out[:n]
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.count++
	mac := hmac.New(sha256.New, e.seed)
	mac.Write(binary.BigEndian.AppendUint64(nil, e.count))
	return mac.Sum(out[:0])[:n]
}

// serial returns a positive number of 127 random bits (RFC 5280 §4.1.2.2 allows at most 20
// octets).
func (e *entropy) serial() *big.Int {
	b := e.bytes(16)
	b[0] = b[0]&0x7f | 0x40 // never zero, and of constant encoded length
	return new(big.Int).SetBytes(b)
}

// key makes an ECDSA P-256 key.
func (e *entropy) key() (crypto.Signer, error) {
	if e.seed == nil {
		return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	for range 100 {
		// A value not below the group's order is not a key; that happens once in 2³² draws.
		if key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), e.bytes(32)); err == nil {
			return repeatable{key}, nil
		}
	}
	return nil, fmt.Errorf("pki: no key from this seed")
}

// repeatable is a key whose signatures depend only on key and digest (RFC 6979), so that a
// seeded run repeats exactly.
type repeatable struct{ *ecdsa.PrivateKey }

func (k repeatable) Sign(_ io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	return k.PrivateKey.Sign(nil, digest, opts)
}
