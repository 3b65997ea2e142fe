package httpkit

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"sync"

	"paraph/app/fault"
)

const (
	// maxParts is the maximum number of parts of a multipart body, and of fields of a form.
	maxParts = 20_000
	// framing is the maximum size of all boundaries and headers together.
	framing = 4 * MB
	// maxBetweenParts is the maximum number of bytes between two parts' contents,
	// including read-ahead.
	maxBetweenParts = buffer + Small
	buffer          = 64 * KB
)

// readAhead holds buffers for reading ahead in multipart bodies, for reuse.
var readAhead = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, buffer) }}

// Part is one part of a multipart body. Its content is available only during the
// call that it is passed to.
type Part struct {
	io.Reader
	Field       string
	File        string // the name as sent, with any path, so that it can be refused
	IsFile      bool
	ContentType string

	body  *Body
	limit int64
}

// Gather reads the whole part, and charges for the memory.
func (p *Part) Gather(ctx context.Context) ([]byte, error) { return p.body.Gather(ctx, p, p.limit) }

// Parts calls take for each part of a multipart body in turn. The route's rule limits
// the total size of the files, and that of the other parts.
func (b *Body) Parts(ctx context.Context, boundary string, take func(*Part) error) error {
	if boundary == "" {
		return fault.Malformed("multipart_without_boundary")
	}
	if err := b.hold.Take(ctx, 2*buffer); err != nil {
		return err
	}
	frame := &frameReader{r: b}
	ahead := readAhead.Get().(*bufio.Reader)
	ahead.Reset(frame)
	defer func() {
		ahead.Reset(nil)
		readAhead.Put(ahead)
	}()
	m := multipart.NewReader(ahead, boundary)
	texts, files := b.rule.Body, b.rule.Files
	for range maxParts {
		frame.expect()
		raw, err := m.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return b.broken(err)
		}
		frame.content()
		part := newPart(raw)
		part.body, part.limit = b, b.rule.Body
		left := &texts
		if part.IsFile {
			if err := b.CountFile(); err != nil {
				return err
			}
			left, part.limit = &files, b.rule.Files
		}
		if err := b.pass(part, left, take); err != nil {
			return err
		}
	}
	return tooManyParts()
}

// CountFile counts a file of the body before it is stored. It fails if the route's rule
// allows fewer.
func (b *Body) CountFile() error {
	if b.files++; b.files <= b.rule.Count || b.rule.Files == 0 {
		return nil
	}
	var f fault.Fields
	f.TooMany("files", b.rule.Count)
	return f.Err()
}

func tooManyParts() error {
	return fault.TooLarge("too_many_parts", fault.Number("limit", maxParts))
}

// pass passes one part to take, and skips what take leaves unread.
func (b *Body) pass(part *Part, left *int64, take func(*Part) error) error {
	bounded := &boundedReader{r: part.Reader, left: *left, limit: part.limit}
	part.Reader = bounded
	err := take(part)
	if err == nil {
		_, err = io.Copy(io.Discard, bounded)
	}
	*left = bounded.left
	if b.err != nil {
		return b.err
	}
	return cmp.Or(bounded.err, err)
}

// broken returns the error for a body that can't be split into parts.
func (b *Body) broken(err error) error {
	if b.err != nil {
		return b.err
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	return readError(err)
}

func newPart(p *multipart.Part) *Part {
	out := &Part{Reader: p, ContentType: p.Header.Get("Content-Type")}
	_, params, err := mime.ParseMediaType(p.Header.Get("Content-Disposition"))
	if err == nil {
		out.Field = params["name"]
		out.File, out.IsFile = params["filename"]
		out.File = strings.ReplaceAll(out.File, "%22", `"`) // as browsers write it (HTML §4.10.21.8)
	}
	return out
}

// boundedReader fails if there is more to read than the limit allows.
type boundedReader struct {
	r     io.Reader
	left  int64
	limit int64
	err   error
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		b.left, b.err = 0, partsTooLarge(b.limit)
		return 0, b.err
	}
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = readError(err)
		return n, b.err
	}
	return n, err
}

func partsTooLarge(limit int64) error {
	return fault.TooLarge("body_too_large.parts", fault.Number("limit", limit))
}

// frameReader limits the size of a part's headers. The library would buffer ten
// megabytes of them.
type frameReader struct {
	r     io.Reader
	left  int
	bound bool
}

func (f *frameReader) expect()  { f.left, f.bound = maxBetweenParts, true }
func (f *frameReader) content() { f.bound = false }

func (f *frameReader) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if !f.bound {
		return n, err
	}
	if f.left -= n; f.left < 0 {
		return 0, fault.TooLarge("body_too_large.header")
	}
	return n, err
}
