package page

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/fault"
)

// Form is what a form of ours sent.
type Form struct {
	Values url.Values
	Files  map[string]sent
}

// sent is a small file that came with a form, such as a picture of a signature.
type sent struct {
	Name string
	Data []byte
}

func (f Form) Value(name string) string { return f.Values.Get(name) }

func (f Form) Has(name string) bool { return f.Values.Has(name) }

// Bounds of a form, without the files that are streamed.
const (
	maxForm  = 8 << 20
	MaxParts = 20_000
	// idle is how long a body may stand still while it is read.
	idle = 30 * time.Second
)

// bodyReader gives the body as it comes. The connection's deadline moves on
// while bytes arrive, so that a slow line is not cut off and a dead one is.
type bodyReader struct {
	r    io.Reader
	conn func(time.Time) error
}

func (b bodyReader) Read(p []byte) (int, error) {
	if err := b.conn(time.Now().Add(idle)); err != nil {
		return 0, err
	}
	return b.r.Read(p)
}

func (r *Request) BodyStream() io.Reader {
	if s := r.Context().RequestBodyStream(); s != nil {
		// What is not read of it can't be skipped cheaply.
		r.Context().SetConnectionClose()
		return bodyReader{s, r.Context().Conn().SetReadDeadline}
	}
	return bytes.NewReader(r.Request().Body())
}

// readForm reads a form whole, its small files included, and refuses one that
// is not ours.
func (r *Request) readForm() error {
	return r.Files(func(f *FilePart) error {
		b, err := io.ReadAll(io.LimitReader(f, maxForm+1))
		if err != nil {
			return Cut(err)
		}
		if len(b) > maxForm {
			return tooLarge()
		}
		if f.Name != "" || len(b) > 0 {
			r.Form.Files[f.Field] = sent{f.Name, b}
		}
		return nil
	})
}

// FilePart is one file on its way in; it ends with the call it is given to.
type FilePart struct {
	io.Reader
	Field, Name, ContentType string
}

// Files reads a form and gives its files one after the other, as they come. The
// fields before a file are in r.form when it is given; the token must be among
// them.
func (r *Request) Files(take func(*FilePart) error) error {
	r.Form = Form{Values: url.Values{}, Files: map[string]sent{}}
	if err := r.CheckOrigin(); err != nil {
		return err
	}
	media, params, err := mime.ParseMediaType(r.Get(fiber.HeaderContentType))
	switch {
	case err == nil && media == "multipart/form-data" && params["boundary"] != "":
		err = r.readParts(params["boundary"], take)
	case err == nil && media == "application/x-www-form-urlencoded":
		err = r.readPairs()
	default:
		err = fault.Unsupported("content_type_not_accepted.form")
	}
	if err != nil {
		return err
	}
	return r.CheckToken(r.Form.Value(formField))
}

func (r *Request) readPairs() error {
	b, err := io.ReadAll(io.LimitReader(r.BodyStream(), maxForm+1))
	if err != nil {
		return Cut(err)
	}
	if len(b) > maxForm {
		return tooLarge()
	}
	values, err := url.ParseQuery(string(b))
	if err != nil {
		return fault.Malformed("form_unreadable").Because(err)
	}
	r.Form.Values = values
	return nil
}

func (r *Request) readParts(boundary string, take func(*FilePart) error) error {
	m := multipart.NewReader(bufio.NewReaderSize(r.BodyStream(), 64<<10), boundary)
	left := int64(maxForm)
	for range MaxParts {
		part, err := m.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return Cut(err)
		}
		if _, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition")); err == nil {
			if file, ok := params["filename"]; ok {
				if err := r.CheckToken(r.Form.Value(formField)); err != nil {
					return err
				}
				if err := take(&FilePart{part, part.FormName(), file, part.Header.Get("Content-Type")}); err != nil {
					return err
				}
				continue
			}
		}
		b, err := io.ReadAll(io.LimitReader(part, left+1))
		if err != nil {
			return Cut(err)
		}
		if left -= int64(len(b)); left < 0 {
			return tooLarge()
		}
		r.Form.Values.Add(part.FormName(), string(b))
	}
	return tooLarge()
}

// Cut says that the connection ended before the form did.
func Cut(err error) error {
	return fault.Malformed("form_cut_short").Because(err)
}

func tooLarge() error {
	return fault.TooLarge("form_too_large", fault.Number("limit", maxForm>>20))
}
