package cold

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"filippo.io/age"
	"github.com/minio/minio-go/v7"

	"paraph/app/blob"
	"paraph/app/bucket"
)

// filesPrefix begins the names of encrypted files, below the place.
const filesPrefix = "files/"

// objectName returns the name of a file's object.
func objectName(key *age.X25519Identity, hash string) string {
	h := hmac.New(sha256.New, []byte(key.String()))
	io.WriteString(h, hash)
	return filesPrefix + hex.EncodeToString(h.Sum(nil))
}

// chunk is how many bytes age encrypts at a time, and overhead what each adds (age v1, "STREAM").
const (
	chunk    = 64 << 10
	overhead = 16
)

// encryption tells the sizes of encrypted files.
type encryption struct{ before int64 } // what precedes the chunks, which has the same size for every file

func encryptionFor(to age.Recipient) (encryption, error) {
	var empty counter
	w, err := age.Encrypt(&empty, to)
	if err != nil {
		return encryption{}, err
	}
	err = w.Close()
	return encryption{int64(empty) - overhead}, err
}

// size returns the size of a file of n bytes once it is encrypted.
func (e encryption) size(n int64) int64 {
	chunks := max(1, (n+chunk-1)/chunk)
	return e.before + n + chunks*overhead
}

type counter int64

// Write counts.
func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// put stores a file encrypted, and reads it back.
func (s *Store) put(ctx context.Context, key *age.X25519Identity, m Moved, f io.Reader) error {
	ctx, cancel := context.WithTimeout(ctx, transferTime)
	defer cancel()
	e, err := encryptionFor(key.Recipient())
	if err != nil {
		return err
	}
	from, to := io.Pipe()
	written := make(chan struct{})
	go func() {
		defer close(written) // the caller closes the file
		w, err := age.Encrypt(to, key.Recipient())
		if err == nil {
			_, err = io.Copy(w, f)
			err = errors.Join(err, w.Close())
		}
		to.CloseWithError(err)
	}()
	p := s.o.Place
	_, err = p.Client.PutObject(ctx, p.Name, p.Prefix+m.Object, from, e.size(m.Size), minio.PutObjectOptions{
		ContentType: "application/octet-stream", NumThreads: 1, DisableContentSha256: true})
	err = errors.Join(p.Explain(m.Object, err), from.Close())
	<-written
	if err != nil {
		return err
	}
	return s.readBack(ctx, m)
}

// readBack reads a stored file, and compares it with its hash.
func (s *Store) readBack(ctx context.Context, m Moved) error {
	r, err := s.open(ctx, m)
	if err != nil {
		return err
	}
	h := sha256.New()
	_, err = io.Copy(h, r)
	if err := errors.Join(err, r.Close()); err != nil {
		return err
	}
	if hex.EncodeToString(h.Sum(nil)) != m.Hash {
		return fmt.Errorf("%s: %w", s.o.Place.Address(m.Object), blob.ErrCorrupt)
	}
	return nil
}

// open returns the decrypted content of an object.
func (s *Store) open(ctx context.Context, m Moved) (io.ReadCloser, error) {
	key, err := s.o.Key()
	if err != nil {
		return nil, err
	}
	p := s.o.Place
	o, err := p.Client.GetObject(ctx, p.Name, p.Prefix+m.Object, minio.GetObjectOptions{})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, p.Explain(m.Object, err))
	}
	r := &object{Object: o, where: p.Address(m.Object)}
	if r.plain, err = age.Decrypt(sent{r}, key); err != nil {
		return nil, errors.Join(r.explain(err), o.Close())
	}
	return r, nil
}

// object is an object being read and decrypted.
type object struct {
	*minio.Object
	where  string
	plain  io.Reader
	broken error // what kept the object from being read
}

// sent is the object as the storage sends it.
type sent struct{ *object }

// Read notes what goes wrong before the content is decrypted.
func (s sent) Read(p []byte) (int, error) {
	n, err := s.Object.Read(p)
	if err != nil && err != io.EOF {
		s.broken = err
	}
	return n, err
}

// Read reads the decrypted content.
func (o *object) Read(p []byte) (int, error) {
	n, err := o.plain.Read(p)
	if err == nil || err == io.EOF {
		return n, err
	}
	return n, o.explain(err)
}

// explain tells a storage that can't be reached, which may pass, from an object that is gone or damaged.
func (o *object) explain(err error) error {
	why := blob.ErrCorrupt
	if o.broken != nil && !bucket.Missing(o.broken) {
		why = ErrUnreachable
	}
	return fmt.Errorf("%w: %s: %w", why, o.where, err)
}

func (s *Store) remove(ctx context.Context, object string) error {
	p := s.o.Place
	return p.Explain(object, p.Client.RemoveObject(ctx, p.Name, p.Prefix+object, minio.RemoveObjectOptions{}))
}
