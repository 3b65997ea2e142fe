package backup

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/minio/minio-go/v7"
)

// download reads an object, and resumes where a connection was cut.
type download struct {
	ctx      context.Context
	in       *objects
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
			return 0, d.in.Explain(d.name, cmp.Or(err, io.ErrNoProgress))
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
	d.from, err = d.in.Client.GetObject(d.ctx, d.in.Name, d.in.Prefix+d.name, o)
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
