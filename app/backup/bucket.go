package backup

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"paraph/app/archive"
)

// bucketScheme begins the address of a bucket: s3://BUCKET/PREFIX.
const bucketScheme = "s3://"

// IsBucket reports whether an address is a bucket's.
func IsBucket(address string) bool { return strings.HasPrefix(address, bucketScheme) }

// Buckets describes how S3-compatible storage is reached. The zero value works for
// folders only.
type Buckets struct {
	// Environ holds the variables that AWS's own tools use: AWS_ACCESS_KEY_ID,
	// AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION and AWS_ENDPOINT_URL.
	Environ   map[string]string
	Transport http.RoundTripper
}

// defaultEndpoint is the address of AWS.
const defaultEndpoint = "https://s3.amazonaws.com"

// pieceBytes is the size of the pieces in which an archive is sent, and the memory needed for
// that. There may be ten thousand of them.
const pieceBytes = 64 << 20

// open returns the bucket of an address, and the object name if the address is that of an
// archive.
func (o Buckets) open(address string) (in location, name string, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.User != nil || o.Transport == nil {
		return nil, "", fmt.Errorf("%s is not an address such as s3://bucket/folder", address)
	}
	key, secret := o.Environ["AWS_ACCESS_KEY_ID"], o.Environ["AWS_SECRET_ACCESS_KEY"]
	if key == "" || secret == "" {
		return nil, "", errors.New("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment")
	}
	at, err := url.Parse(cmp.Or(o.Environ["AWS_ENDPOINT_URL_S3"], o.Environ["AWS_ENDPOINT_URL"], defaultEndpoint))
	if err != nil || at.Host == "" || at.Path != "" && at.Path != "/" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, "", errors.New("AWS_ENDPOINT_URL has to be an address such as https://s3.example.org")
	}
	client, err := minio.New(at.Host, &minio.Options{
		Creds:      credentials.NewStaticV4(key, secret, o.Environ["AWS_SESSION_TOKEN"]),
		Secure:     at.Scheme == "https",
		Transport:  o.Transport,
		Region:     cmp.Or(o.Environ["AWS_REGION"], o.Environ["AWS_DEFAULT_REGION"]),
		MaxRetries: 4,
	})
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", address, err)
	}
	b := &bucket{client: client, name: u.Host, prefix: strings.Trim(u.Path, "/")}
	if base := path.Base(b.prefix); strings.Contains(base, ".tar.zst") {
		name = base
		b.prefix = strings.TrimSuffix(strings.TrimSuffix(b.prefix, base), "/")
	}
	if b.prefix != "" {
		b.prefix += "/"
	}
	return b, name, nil
}

// bucket is a location in S3-compatible storage: the objects directly below a
// prefix, which ends with a slash unless it is empty.
type bucket struct {
	client       *minio.Client
	name, prefix string
	drafts       sync.Map // names of those being made
}

func (b *bucket) where(name string) string { return bucketScheme + b.name + "/" + b.prefix + name }

// explain adds the address to an error of the storage.
func (b *bucket) explain(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", b.where(name), err)
}

// each calls visit for every object directly below the prefix.
func (b *bucket) each(ctx context.Context, visit func(name string, o minio.ObjectInfo) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the listing after an error
	for o := range b.client.ListObjectsIter(ctx, b.name, minio.ListObjectsOptions{Prefix: b.prefix}) {
		if o.Err != nil {
			return b.explain("", o.Err)
		}
		if err := visit(strings.TrimPrefix(o.Key, b.prefix), o); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (b *bucket) archives(ctx context.Context) (all []Archive, err error) {
	err = b.each(ctx, func(name string, o minio.ObjectInfo) error {
		if h, ok := parseName(name); ok {
			all = append(all, Archive{h, name, o.Size, b})
		}
		return nil
	})
	return all, err
}

func (b *bucket) read(ctx context.Context, name string) (io.ReadCloser, error) {
	info, err := b.client.StatObject(ctx, b.name, b.prefix+name, minio.StatObjectOptions{})
	if err != nil {
		return nil, b.explain(name, err)
	}
	return &download{ctx: ctx, in: b, name: name, etag: info.ETag, left: info.Size}, nil
}

func (b *bucket) remove(ctx context.Context, names []string) error {
	for _, name := range names {
		if err := b.client.RemoveObject(ctx, b.name, b.prefix+name, minio.RemoveObjectOptions{}); err != nil {
			return b.explain(name, err)
		}
	}
	return nil
}

// removeStale removes drafts left by crashes. One that is being made may be as old: storage counts
// from the beginning of the upload.
func (b *bucket) removeStale(ctx context.Context, now time.Time) error {
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

func (b *bucket) note(ctx context.Context, name string) ([]byte, error) {
	o, err := b.client.GetObject(ctx, b.name, b.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, b.explain(name, err)
	}
	content, err := io.ReadAll(io.LimitReader(o, maxNote))
	if err != nil && minio.ToErrorResponse(err).StatusCode == http.StatusNotFound {
		return nil, o.Close()
	}
	return content, b.explain(name, errors.Join(err, o.Close()))
}

func (b *bucket) setNote(ctx context.Context, name string, content []byte) error {
	_, err := b.client.PutObject(ctx, b.name, b.prefix+name, bytes.NewReader(content), int64(len(content)),
		minio.PutObjectOptions{ContentType: "application/json", SendContentMd5: true, DisableContentSha256: true})
	return b.explain(name, err)
}

// markName is the object that marks a bucket's folder as followed.
const markName = "followed"

// mark marks a bucket's folder as followed.
func (b *bucket) mark(ctx context.Context) error {
	const text = "Paraph follows into this folder, and removes backups that it does not need.\n"
	_, err := b.client.PutObject(ctx, b.name, b.prefix+markName, strings.NewReader(text), int64(len(text)),
		minio.PutObjectOptions{ContentType: "text/plain", SendContentMd5: true, DisableContentSha256: true})
	return b.explain(markName, err)
}

// marked reports whether a bucket's folder is followed.
func (b *bucket) marked(ctx context.Context) (bool, error) {
	_, err := b.client.StatObject(ctx, b.name, b.prefix+markName, minio.StatObjectOptions{})
	if err != nil && minio.ToErrorResponse(err).StatusCode == http.StatusNotFound {
		return false, nil
	}
	return err == nil, b.explain(markName, err)
}
