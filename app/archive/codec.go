package archive

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"
)

// Keys are the recipients that archives are encrypted for and the identities
// that decrypt them.
type Keys struct {
	Recipients []age.Recipient
	Identities []age.Identity
}

// Encrypts reports whether archives are encrypted.
func (k Keys) Encrypts() bool { return len(k.Recipients) > 0 }

// ParseKeys parses recipients (age1…), identity files, and a passphrase file; each is optional.
func ParseKeys(recipients, identityFiles []string, passphraseFile string) (k Keys, err error) {
	if len(recipients) > 0 {
		if k.Recipients, err = age.ParseRecipients(strings.NewReader(strings.Join(recipients, "\n"))); err != nil {
			return Keys{}, fmt.Errorf("--recipient takes an age public key, such as age1…: %w", err)
		}
	}
	for _, path := range identityFiles {
		if err := k.addIdentities(path); err != nil {
			return Keys{}, err
		}
	}
	if passphraseFile != "" {
		err = k.addPassphrase(passphraseFile)
	}
	return k, err
}

func (k *Keys) addIdentities(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot read the identity: %w", err)
	}
	ids, err := age.ParseIdentities(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%s holds no age identity: %w", path, err)
	}
	k.Identities = append(k.Identities, ids...)
	return nil
}

func (k *Keys) addPassphrase(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("cannot read the passphrase: %w", err)
	}
	phrase, _, _ := strings.Cut(string(b), "\n")
	if phrase = strings.TrimSuffix(phrase, "\r"); phrase == "" {
		return fmt.Errorf("%s is empty; the passphrase is its first line", path)
	}
	if len(k.Recipients) > 0 {
		return errors.New("an archive is encrypted either for recipients or with a passphrase, not both")
	}
	recipient, err := age.NewScryptRecipient(phrase)
	if err != nil {
		return err
	}
	identity, err := age.NewScryptIdentity(phrase)
	if err != nil {
		return err
	}
	k.Recipients, k.Identities = []age.Recipient{recipient}, append(k.Identities, identity)
	return nil
}

// encoder compresses and encrypts; closing it completes the archive but leaves w open.
type encoder struct {
	zstd   *zstd.Encoder
	crypt  io.WriteCloser // nil without encryption
	closed bool
}

// Encode returns a writer that compresses its input, and encrypts it if there are recipients.
// Closing it does not close w.
func (k Keys) Encode(w io.Writer) (io.WriteCloser, error) {
	e := &encoder{}
	if k.Encrypts() {
		var err error
		if e.crypt, err = age.Encrypt(w, k.Recipients...); err != nil {
			return nil, fmt.Errorf("archive: %w", err)
		}
		w = e.crypt
	}
	var err error
	e.zstd, err = zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, err
	}
	return e, nil
}

func (e *encoder) Write(p []byte) (int, error) { return e.zstd.Write(p) }

// Close may be called twice.
func (e *encoder) Close() error {
	if e.closed {
		return nil
	}
	e.closed = true
	err := e.zstd.Close()
	if e.crypt != nil {
		err = errors.Join(err, e.crypt.Close())
	}
	return err
}

// ageMagic is the beginning of every age file.
const ageMagic = "age-encryption.org/"

// Decode decrypts if necessary, and decompresses.
func (k Keys) Decode(r io.Reader) (io.ReadCloser, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	head, err := b.Peek(len(ageMagic))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, unexpected(err))
	}
	r = b
	if string(head) == ageMagic {
		if r, err = k.decrypt(b); err != nil {
			return nil, err
		}
	}
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return z.IOReadCloser(), nil
}

func (k Keys) decrypt(r io.Reader) (io.Reader, error) {
	if len(k.Identities) == 0 {
		return nil, fmt.Errorf("%w: it is encrypted; give --identity FILE or --passphrase-file FILE", ErrNoKey)
	}
	plain, err := age.Decrypt(r, k.Identities...)
	if _, wrong := errors.AsType[*age.NoIdentityMatchError](err); wrong {
		return nil, fmt.Errorf("%w: wrong identity or passphrase", ErrNoKey)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return plain, nil
}
