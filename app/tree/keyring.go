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
	"strings"
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

// WriteFile writes a file so that after a crash it is there whole, or as it was.
func WriteFile(path string, b []byte, mode fs.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(b)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes a rename durable, where folders can be synced.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	if err := d.Sync(); err != nil && !errors.Is(err, fs.ErrInvalid) && !errors.Is(err, fs.ErrPermission) {
		return errors.Join(err, d.Close())
	}
	return d.Close()
}
