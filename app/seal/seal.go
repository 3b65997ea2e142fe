// Package seal encrypts stored secrets. A sealed secret can only be opened with the
// installation's key, which is stored outside the database, and only for the record it was
// sealed for.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
)

// ErrSealed reports that a secret was sealed with another key or for another record, or has
// been altered.
var ErrSealed = errors.New("seal: cannot open the sealed secret")

// Box seals and opens secrets. Its methods are safe for concurrent use if random is.
type Box struct {
	aead   cipher.AEAD
	random func(n int) ([]byte, error)
}

// New returns a box for one purpose, using the installation's key. Boxes for different purposes
// can't open each other's secrets.
func New(key []byte, purpose string, random func(n int) ([]byte, error)) (*Box, error) {
	derived, err := Derive(key, purpose)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return &Box{aead: aead, random: random}, nil
}

// Derive derives a separate 32-byte key for each purpose (RFC 5869).
func Derive(key []byte, purpose string) ([]byte, error) {
	derived, err := hkdf.Key(sha256.New, key, nil, "paraph "+purpose, 32)
	if err != nil {
		return nil, fmt.Errorf("seal: derive key: %w", err)
	}
	return derived, nil
}

// Seal encrypts a secret (AES-256-GCM) so that it can be opened only for its owner, a user or a
// record.
func (b *Box) Seal(owner string, secret []byte) ([]byte, error) {
	nonce, err := b.random(b.aead.NonceSize())
	if err != nil {
		return nil, err
	}
	return b.aead.Seal(nonce, nonce, secret, []byte(owner)), nil
}

// Open decrypts a secret sealed for the owner.
func (b *Box) Open(owner string, sealed []byte) ([]byte, error) {
	if len(sealed) < b.aead.NonceSize() {
		return nil, ErrSealed
	}
	nonce, box := sealed[:b.aead.NonceSize()], sealed[b.aead.NonceSize():]
	secret, err := b.aead.Open(nil, nonce, box, []byte(owner))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSealed, err)
	}
	return secret, nil
}
