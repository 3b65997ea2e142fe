package backup

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
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

// download reads an object, and resumes where a connection was cut.
type download struct {
	ctx      context.Context
	in       *bucket
	name     string
	etag     string // the object must not be replaced meanwhile
	at, left int64
	from     *minio.Object // nil: not requested
	cut      int           // consecutive connections that returned nothing
}

// maxCuts is how many consecutive connections may return nothing.
const maxCuts = 4

func (d *download) Read(p []byte) (int, error) {
	for {
		if d.left == 0 {
			return 0, io.EOF
		}
		err := d.open()
		n := 0
		if err == nil {
			n, err = d.from.Read(p)
		}
		d.at, d.left = d.at+int64(n), d.left-int64(n)
		if n > 0 {
			d.cut = 0
			return n, nil
		}
		if d.cut++; d.cut > maxCuts || d.ctx.Err() != nil {
			return 0, d.in.explain(d.name, cmp.Or(err, io.ErrNoProgress))
		}
		// The error of the cut connection is already known.
		_ = d.Close()
	}
}

func (d *download) open() (err error) {
	if d.from != nil {
		return nil
	}
	o := minio.GetObjectOptions{}
	if err := errors.Join(o.SetMatchETag(d.etag), o.SetRange(d.at, d.at+d.left-1)); err != nil {
		return err
	}
	d.from, err = d.in.client.GetObject(d.ctx, d.in.name, d.in.prefix+d.name, o)
	return err
}

// Close ends the connection.
func (d *download) Close() error {
	if d.from == nil {
		return nil
	}
	err := d.from.Close()
	d.from = nil
	return err
}

func (b *bucket) remove(ctx context.Context, names []string) error {
	for _, name := range names {
		if err := b.client.RemoveObject(ctx, b.name, b.prefix+name, minio.RemoveObjectOptions{}); err != nil {
			return b.explain(name, err)
		}
	}
	return nil
}

// removeStale removes drafts left by crashes.
func (b *bucket) removeStale(ctx context.Context, now time.Time) error {
	var stale []string
	err := b.each(ctx, func(name string, o minio.ObjectInfo) error {
		if strings.HasSuffix(name, archive.Partial) && now.Sub(o.LastModified) > staleDraft {
			stale = append(stale, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return b.remove(ctx, stale)
}

func (b *bucket) draft(ctx context.Context) (draft, error) {
	if err := b.removeStale(ctx, time.Now()); err != nil {
		return nil, err
	}
	from, to := io.Pipe()
	d := &objectDraft{PipeWriter: to, in: b, name: "paraph-" + rand.Text() + archive.Partial, stored: make(chan error, 1)}
	go func() {
		_, err := b.client.PutObject(ctx, b.name, b.prefix+d.name, from, -1, minio.PutObjectOptions{
			ContentType: "application/octet-stream", PartSize: pieceBytes, NumThreads: 1, SendContentMd5: true, DisableContentSha256: true})
		err = b.explain(d.name, err)
		from.CloseWithError(cmp.Or(err, io.ErrClosedPipe))
		d.stored <- err
	}()
	return d, nil
}

// objectDraft is an object under a temporary name. It exists once it has been sent completely.
type objectDraft struct {
	*io.PipeWriter
	in     *bucket
	name   string
	stored chan error
	ended  bool
	size   int64
}

func (d *objectDraft) Write(p []byte) (int, error) {
	n, err := d.PipeWriter.Write(p)
	d.size += int64(n)
	return n, err
}

func (d *objectDraft) end(why error) error {
	if d.ended {
		return nil
	}
	d.ended = true
	return errors.Join(d.CloseWithError(why), <-d.stored)
}

func (d *objectDraft) finish(context.Context) error { return d.end(nil) }

func (d *objectDraft) read(ctx context.Context) (io.ReadCloser, error) {
	return d.in.read(ctx, d.name)
}

// keep copies the object within the storage: objects can't be renamed.
func (d *objectDraft) keep(ctx context.Context, name string) error {
	b := d.in
	if _, err := b.client.StatObject(ctx, b.name, b.prefix+name, minio.StatObjectOptions{}); err == nil {
		return errTaken(b.where(name))
	} else if minio.ToErrorResponse(err).StatusCode != http.StatusNotFound {
		return b.explain(name, err)
	}
	if err := d.copyTo(ctx, name); err != nil {
		return b.explain(name, err)
	}
	return b.remove(ctx, []string{d.name})
}

// maxCopied is the maximum size that storage copies in one operation.
const maxCopied = 5 << 30

func (d *objectDraft) copyTo(ctx context.Context, name string) (err error) {
	to := minio.CopyDestOptions{Bucket: d.in.name, Object: d.in.prefix + name}
	from := minio.CopySrcOptions{Bucket: d.in.name, Object: d.in.prefix + d.name}
	if d.size <= maxCopied {
		_, err = d.in.client.CopyObject(ctx, to, from)
	} else {
		_, err = d.in.client.ComposeObject(ctx, to, from) // in pieces
	}
	return err
}

// discardTime is the timeout for removing a draft after a failure.
const discardTime = 30 * time.Second

func (d *objectDraft) discard() error {
	// The original failure is reported; a draft that cannot be removed now is removed later.
	_ = d.end(errors.New("discarded"))
	ctx, cancel := context.WithTimeout(context.Background(), discardTime)
	defer cancel()
	_ = d.in.remove(ctx, []string{d.name})
	return nil
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
