package tree

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// Keyring holds the Ed25519 key that signs an installation's checkpoints, and the
// public parts of those it has replaced. The key signs for every company under the
// name of that company's origin.
type Keyring struct {
	path string // "" keeps nothing

	mu      sync.RWMutex
	current ed25519.PrivateKey
	past    []pastKey
}

// pastKey is a key that was replaced. Handover is a note, signed by it and by its
// successor, that names the successor.
type pastKey struct {
	Public   []byte    `json:"public"`
	Until    time.Time `json:"until"`
	Handover string    `json:"handover"`
}

// keyFile is the content of the file of a keyring.
type keyFile struct {
	Seed   []byte    `json:"seed"`
	Public []byte    `json:"public,omitempty"` // reveals damage of the seed; older versions left it out
	Past   []pastKey `json:"past,omitempty"`
}

// ErrKeyFile says that the file of the checkpoint key is damaged.
var ErrKeyFile = errors.New("the checkpoint key is damaged; restore it from a backup")

// OpenKeyring reads the keyring in a file, or makes one there. An empty path makes
// one that lives in memory only.
func OpenKeyring(path string) (*Keyring, error) {
	k := &Keyring{path: path}
	if path != "" {
		b, err := os.ReadFile(path)
		if err == nil {
			return k, k.parse(b)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("checkpoint key: %w", err)
		}
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	k.current = key
	return k, k.save(key, nil)
}

func (k *Keyring) parse(b []byte) error {
	var f keyFile
	if err := json.Unmarshal(b, &f); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrKeyFile, k.path, err)
	}
	short := func(p pastKey) bool { return len(p.Public) != ed25519.PublicKeySize }
	if len(f.Seed) != ed25519.SeedSize || slices.ContainsFunc(f.Past, short) {
		return fmt.Errorf("%w: %s", ErrKeyFile, k.path)
	}
	k.current, k.past = ed25519.NewKeyFromSeed(f.Seed), f.Past
	if f.Public == nil {
		return k.save(k.current, k.past)
	}
	if !bytes.Equal(f.Public, publicOf(k.current)) {
		return fmt.Errorf("%w: %s", ErrKeyFile, k.path)
	}
	return nil
}

// save writes the file so that after a crash it is either the old or the new one.
func (k *Keyring) save(key ed25519.PrivateKey, past []pastKey) error {
	if k.path == "" {
		return nil
	}
	b, err := json.MarshalIndent(keyFile{key.Seed(), publicOf(key), past}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(k.path), 0o700); err != nil {
		return fmt.Errorf("checkpoint key: %w", err)
	}
	if err := WriteFile(k.path, b, 0o600); err != nil {
		return fmt.Errorf("checkpoint key: %w", err)
	}
	return nil
}

// handoverName is the name that keys have when they sign a handover.
const handoverName = "paraph/checkpoint-key"

const handoverTitle = "paraph checkpoint key handover"

// Rotate replaces the key. The old one signs for the new one, and is forgotten but
// for its public part.
func (k *Keyring) Rotate(now time.Time) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s\n%s\n%s\n", handoverTitle, base64.StdEncoding.EncodeToString(public), now.UTC().Format(timeLayout))
	signed, err := signText(text, handoverName, k.current, key)
	if err != nil {
		return err
	}
	past := append(slices.Clone(k.past), pastKey{publicOf(k.current), now.UTC(), signed})
	if err := k.save(key, past); err != nil {
		return err
	}
	k.current, k.past = key, past
	return nil
}

// Sign returns a head as a signed checkpoint.
func (k *Keyring) Sign(h Head) (string, error) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return signText(h.Text(), Origin(h.Company), k.current)
}

// Key returns the current key in the form that verifies a company's checkpoints.
func (k *Keyring) Key(company string) (string, error) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return note.NewEd25519VerifierKey(Origin(company), publicOf(k.current))
}

// Public returns the public parts of all keys so far, the current one last.
func (k *Keyring) Public() [][]byte {
	k.mu.RLock()
	defer k.mu.RUnlock()
	var all [][]byte
	for _, p := range k.past {
		all = append(all, p.Public)
	}
	return append(all, publicOf(k.current))
}

// Handovers returns the notes in which each key names its successor.
func (k *Keyring) Handovers() (all []string) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	for _, p := range k.past {
		all = append(all, p.Handover)
	}
	return all
}

// signText signs a text with keys of one name.
func signText(text, name string, keys ...ed25519.PrivateKey) (string, error) {
	var signers []note.Signer
	for _, key := range keys {
		v, err := verifierNamed(name, publicOf(key))
		if err != nil {
			return "", err
		}
		signers = append(signers, signer{v, key})
	}
	b, err := note.Sign(&note.Note{Text: text}, signers...)
	return string(b), err
}

// signer signs as the owner of a verifier's key.
type signer struct {
	note.Verifier
	key ed25519.PrivateKey
}

func (s signer) Sign(msg []byte) ([]byte, error) { return ed25519.Sign(s.key, msg), nil }
