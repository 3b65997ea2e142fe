// Package seal encrypts stored secrets. A sealed secret opens only with the installation's key, which is stored
// beside the database rather than in it, and only for the record it was sealed for.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
)

// ErrSealed means that something was sealed with another key or for another
// record, or has been altered.
var ErrSealed = errors.New("seal: what was sealed cannot be opened")

// Box seals and opens secrets. Its methods may be called from several goroutines if random may.
type Box struct {
	aead   cipher.AEAD
	random func(n int) ([]byte, error)
}

// New makes a box for one purpose from the installation's key. Boxes for different purposes can't open each other's
// secrets.
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

// Derive derives an independent 32-byte key for one purpose (RFC 5869), so that no key serves two purposes.
func Derive(key []byte, purpose string) ([]byte, error) {
	derived, err := hkdf.Key(sha256.New, key, nil, "paraph "+purpose, 32)
	if err != nil {
		return nil, fmt.Errorf("seal: derive key: %w", err)
	}
	return derived, nil
}

// Seal encrypts a secret (AES-256-GCM) so that it can be opened only for its owner, a user or a record.
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
