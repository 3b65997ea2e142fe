// Package seal keeps secrets unreadable where they are stored. What is sealed opens only
// with the key of the installation, which lies beside the store and not in it, and only for
// the record it was sealed for.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
)

// ErrSealed says that something was sealed with another key, for another record, or was
// changed since.
var ErrSealed = errors.New("seal: what was sealed cannot be opened")

// Box seals and opens. Its methods may be called from several goroutines if random may.
type Box struct {
	aead   cipher.AEAD
	random func(n int) ([]byte, error)
}

// New makes a box for one purpose out of the key of the installation. Boxes of different
// purposes don't open what the other has sealed.
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

// Derive makes an independent 32-byte key for one purpose (RFC 5869), so that no key is used
// for two.
func Derive(key []byte, purpose string) ([]byte, error) {
	derived, err := hkdf.Key(sha256.New, key, nil, "paraph "+purpose, 32)
	if err != nil {
		return nil, fmt.Errorf("seal: derive key: %w", err)
	}
	return derived, nil
}

// Seal encrypts a secret (AES-256-GCM) so that it opens for its owner, a user or a record,
// only.
func (b *Box) Seal(owner string, secret []byte) ([]byte, error) {
	nonce, err := b.random(b.aead.NonceSize())
	if err != nil {
		return nil, err
	}
	return b.aead.Seal(nonce, nonce, secret, []byte(owner)), nil
}

// Open decrypts what was sealed for the owner.
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
