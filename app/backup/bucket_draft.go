package backup

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"time"

	"github.com/minio/minio-go/v7"

	"paraph/app/archive"
	"paraph/app/bucket"
)

func (b *objects) draft(ctx context.Context) (draft, error) {
	if err := b.removeStale(ctx, time.Now()); err != nil {
		return nil, err
	}
	from, to := io.Pipe()
	d := &objectDraft{PipeWriter: to, in: b, name: "paraph-" + rand.Text() + archive.Partial, stored: make(chan error, 1)}
	b.drafts.Store(d.name, true)
	go func() {
		_, err := b.Client.PutObject(ctx, b.Name, b.Prefix+d.name, from, -1, minio.PutObjectOptions{
			ContentType: "application/octet-stream", PartSize: pieceBytes, NumThreads: 1, SendContentMd5: true, DisableContentSha256: true})
		err = b.Explain(d.name, err)
		from.CloseWithError(cmp.Or(err, io.ErrClosedPipe))
		d.stored <- err
	}()
	return d, nil
}

// objectDraft is an object under a temporary name. It exists once it has been sent completely.
type objectDraft struct {
	*io.PipeWriter
	in     *objects
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
	if _, err := b.Client.StatObject(ctx, b.Name, b.Prefix+name, minio.StatObjectOptions{}); err == nil {
		return errTaken(b.where(name))
	} else if !bucket.Missing(err) {
		return b.Explain(name, err)
	}
	if err := d.copyTo(ctx, name); err != nil {
		return b.Explain(name, err)
	}
	err := b.remove(ctx, []string{d.name})
	if err == nil {
		b.drafts.Delete(d.name)
	}
	return err
}

// maxCopied is the maximum size that storage copies in one operation.
const maxCopied = 5 << 30

func (d *objectDraft) copyTo(ctx context.Context, name string) (err error) {
	to := minio.CopyDestOptions{Bucket: d.in.Name, Object: d.in.Prefix + name}
	from := minio.CopySrcOptions{Bucket: d.in.Name, Object: d.in.Prefix + d.name}
	if d.size <= maxCopied {
		_, err = d.in.Client.CopyObject(ctx, to, from)
	} else {
		_, err = d.in.Client.ComposeObject(ctx, to, from) // in pieces
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
	d.in.drafts.Delete(d.name)
	return nil
}
