package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"

	"paraph/app/archive"
	"paraph/app/bucket"
)

// IsBucket reports whether an address is a bucket's.
func IsBucket(address string) bool { return bucket.Is(address) }

// Buckets describes how S3-compatible storage is reached. The zero value works for
// folders only.
type Buckets bucket.Access

// pieceBytes is the size of the pieces in which an archive is sent, and the memory needed for
// that. There may be ten thousand of them.
const pieceBytes = 64 << 20

// open returns the storage at an address, and the object name if the address is that of an
// archive.
func (o Buckets) open(address string) (in location, name string, err error) {
	if base := path.Base(address); strings.Contains(base, ".tar.zst") {
		name, address = base, strings.TrimSuffix(address, base)
	}
	if o.Transport == nil {
		return nil, "", fmt.Errorf("%s is not an address such as s3://bucket/folder", address)
	}
	at, err := bucket.Access(o).Open(address)
	if err != nil {
		return nil, "", err
	}
	return &objects{Place: at}, name, nil
}

// objects is a location in S3-compatible storage: the objects directly below a prefix.
type objects struct {
	bucket.Place
	drafts sync.Map // names of those being made
}

func (b *objects) where(name string) string { return b.Address(name) }

// each calls visit for every object directly below the prefix.
func (b *objects) each(ctx context.Context, visit func(name string, o minio.ObjectInfo) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the listing after an error
	for o := range b.Client.ListObjectsIter(ctx, b.Name, minio.ListObjectsOptions{Prefix: b.Prefix}) {
		if o.Err != nil {
			return b.Explain("", o.Err)
		}
		if err := visit(strings.TrimPrefix(o.Key, b.Prefix), o); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (b *objects) archives(ctx context.Context) (all []Archive, err error) {
	err = b.each(ctx, func(name string, o minio.ObjectInfo) error {
		if h, ok := parseName(name); ok {
			all = append(all, Archive{h, name, o.Size, b})
		}
		return nil
	})
	return all, err
}

func (b *objects) read(ctx context.Context, name string) (io.ReadCloser, error) {
	info, err := b.Client.StatObject(ctx, b.Name, b.Prefix+name, minio.StatObjectOptions{})
	if err != nil {
		return nil, b.Explain(name, err)
	}
	return &download{ctx: ctx, in: b, name: name, etag: info.ETag, left: info.Size}, nil
}

func (b *objects) remove(ctx context.Context, names []string) error {
	for _, name := range names {
		if err := b.Client.RemoveObject(ctx, b.Name, b.Prefix+name, minio.RemoveObjectOptions{}); err != nil {
			return b.Explain(name, err)
		}
	}
	return nil
}

// removeStale removes drafts left by crashes. One that is being made may be as old: storage counts
// from the beginning of the upload.
func (b *objects) removeStale(ctx context.Context, now time.Time) error {
	var stale []string
	err := b.each(ctx, func(name string, o minio.ObjectInfo) error {
		_, own := b.drafts.Load(name)
		if !own && strings.HasSuffix(name, archive.Partial) && now.Sub(o.LastModified) > staleDraft {
			stale = append(stale, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return b.remove(ctx, stale)
}

// maxNote is how much of a small object is read, in bytes.
const maxNote = 64 << 10

func (b *objects) note(ctx context.Context, name string) ([]byte, error) {
	o, err := b.Client.GetObject(ctx, b.Name, b.Prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, b.Explain(name, err)
	}
	content, err := io.ReadAll(io.LimitReader(o, maxNote))
	if bucket.Missing(err) {
		return nil, o.Close()
	}
	return content, b.Explain(name, errors.Join(err, o.Close()))
}

func (b *objects) setNote(ctx context.Context, name string, content []byte) error {
	_, err := b.Client.PutObject(ctx, b.Name, b.Prefix+name, bytes.NewReader(content), int64(len(content)),
		minio.PutObjectOptions{ContentType: "application/json", SendContentMd5: true, DisableContentSha256: true})
	return b.Explain(name, err)
}

// markName is the object that marks a bucket's folder as followed.
const markName = "followed"

// mark marks a bucket's folder as followed.
func (b *objects) mark(ctx context.Context) error {
	const text = "Paraph follows into this folder, and removes backups that it does not need.\n"
	_, err := b.Client.PutObject(ctx, b.Name, b.Prefix+markName, strings.NewReader(text), int64(len(text)),
		minio.PutObjectOptions{ContentType: "text/plain", SendContentMd5: true, DisableContentSha256: true})
	return b.Explain(markName, err)
}

// marked reports whether a bucket's folder is followed.
func (b *objects) marked(ctx context.Context) (bool, error) {
	_, err := b.Client.StatObject(ctx, b.Name, b.Prefix+markName, minio.StatObjectOptions{})
	if bucket.Missing(err) {
		return false, nil
	}
	return err == nil, b.Explain(markName, err)
}
