package tree

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

func publicOf(key ed25519.PrivateKey) ed25519.PublicKey {
	return ed25519.PublicKey(key[ed25519.SeedSize:])
}

// VerifierOf returns the verifier of a company's checkpoints for a public key.
func VerifierOf(company string, public []byte) (note.Verifier, error) {
	return verifierNamed(Origin(company), public)
}

func verifierNamed(name string, public []byte) (note.Verifier, error) {
	key, err := note.NewEd25519VerifierKey(name, public)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	return note.NewVerifier(key)
}

// publicKeyOf returns the public key of a verifier key in its text form.
func publicKeyOf(key string) ([]byte, error) {
	if _, err := note.NewVerifier(key); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	b, err := base64.StdEncoding.DecodeString(key[lastPlus(key)+1:])
	if err != nil || len(b) != 1+ed25519.PublicKeySize {
		return nil, fmt.Errorf("%w: %q is not an Ed25519 key", ErrCheckpoint, key)
	}
	return b[1:], nil
}

// KeyID returns the eight hexadecimal digits by which signatures name a verifier
// key.
func KeyID(key string) (string, error) {
	v, err := note.NewVerifier(key)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	return fmt.Sprintf("%08x", v.KeyHash()), nil
}

// lastPlus returns the index of the second plus sign, which begins the key data:
// that data may hold more of them.
func lastPlus(key string) int {
	first := strings.IndexByte(key, '+')
	return first + 1 + strings.IndexByte(key[first+1:], '+')
}

// Trusted returns the verifiers of a company's checkpoints that follow from one
// key: of that key, and of those that it hands over to, step by step.
func Trusted(company, key string, handovers []string) ([]note.Verifier, error) {
	public, err := publicKeyOf(key)
	if err != nil {
		return nil, err
	}
	first, err := VerifierOf(company, public)
	if err != nil {
		return nil, err
	}
	trusted := []note.Verifier{first}
	for range handovers { // each at most once, in whatever order they are
		next := successor(public, handovers)
		if next == nil {
			break
		}
		v, err := VerifierOf(company, next)
		if err != nil {
			return nil, err
		}
		public, trusted = next, append(trusted, v)
	}
	return trusted, nil
}

// successor returns the public key that a key hands over to, nil if there is none.
func successor(public []byte, handovers []string) []byte {
	old, err := verifierNamed(handoverName, public)
	if err != nil {
		return nil
	}
	for _, h := range handovers {
		n, err := note.Open([]byte(h), note.VerifierList(old))
		if err != nil {
			continue
		}
		lines := strings.Split(n.Text, "\n")
		if len(lines) < 3 || lines[0] != handoverTitle {
			continue
		}
		next, err := base64.StdEncoding.DecodeString(lines[1])
		if err != nil || len(next) != ed25519.PublicKeySize {
			continue
		}
		// Its successor has signed as well, so that nobody claims another's key.
		if v, err := verifierNamed(handoverName, next); err == nil && !slices.Equal(next, public) {
			if _, err := note.Open([]byte(h), note.VerifierList(v)); err == nil {
				return next
			}
		}
	}
	return nil
}
