package web

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
)

// form is what a form of ours sent.
type form struct {
	values url.Values
	files  map[string]sent
}

// sent is a small file that came with a form, such as a picture of a signature.
type sent struct {
	Name string
	Data []byte
}

func (f form) value(name string) string { return f.values.Get(name) }

// Value is value for a template.
func (f form) Value(name string) string { return f.value(name) }

func (f form) has(name string) bool { return f.values.Has(name) }

// Bounds of a form, without the files that are streamed.
const (
	maxForm  = 8 << 20
	maxParts = 20_000
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

func (r *request) body() io.Reader {
	if s := r.Context().RequestBodyStream(); s != nil {
		// What is not read of it can't be skipped cheaply.
		r.Context().SetConnectionClose()
		return bodyReader{s, r.Context().Conn().SetReadDeadline}
	}
	return bytes.NewReader(r.Request().Body())
}

// readForm reads a form whole, its small files included, and refuses one that
// is not ours.
func (r *request) readForm() error {
	return r.files(func(f *filePart) error {
		b, err := io.ReadAll(io.LimitReader(f, maxForm+1))
		if err != nil {
			return cut(err)
		}
		if len(b) > maxForm {
			return tooLarge()
		}
		if f.Name != "" || len(b) > 0 {
			r.form.files[f.Field] = sent{f.Name, b}
		}
		return nil
	})
}

// filePart is one file on its way in; it ends with the call it is given to.
type filePart struct {
	io.Reader
	Field, Name, ContentType string
}

// files reads a form and gives its files one after the other, as they come. The
// fields before a file are in r.form when it is given; the token must be among
// them.
func (r *request) files(take func(*filePart) error) error {
	r.form = form{values: url.Values{}, files: map[string]sent{}}
	if err := r.checkOrigin(); err != nil {
		return err
	}
	media, params, err := mime.ParseMediaType(r.Get(fiber.HeaderContentType))
	switch {
	case err == nil && media == "multipart/form-data" && params["boundary"] != "":
		err = r.readParts(params["boundary"], take)
	case err == nil && media == "application/x-www-form-urlencoded":
		err = r.readPairs()
	default:
		err = account.Unsupported("content_type_not_accepted", "This is not what a form sends.")
	}
	if err != nil {
		return err
	}
	return r.checkToken(r.form.value(formField))
}

func (r *request) readPairs() error {
	b, err := io.ReadAll(io.LimitReader(r.body(), maxForm+1))
	if err != nil {
		return cut(err)
	}
	if len(b) > maxForm {
		return tooLarge()
	}
	values, err := url.ParseQuery(string(b))
	if err != nil {
		return account.Malformed("The form could not be read.").Because(err)
	}
	r.form.values = values
	return nil
}

func (r *request) readParts(boundary string, take func(*filePart) error) error {
	m := multipart.NewReader(bufio.NewReaderSize(r.body(), 64<<10), boundary)
	left := int64(maxForm)
	for range maxParts {
		part, err := m.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return cut(err)
		}
		if _, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition")); err == nil {
			if file, ok := params["filename"]; ok {
				if err := r.checkToken(r.form.value(formField)); err != nil {
					return err
				}
				if err := take(&filePart{part, part.FormName(), file, part.Header.Get("Content-Type")}); err != nil {
					return err
				}
				continue
			}
		}
		b, err := io.ReadAll(io.LimitReader(part, left+1))
		if err != nil {
			return cut(err)
		}
		if left -= int64(len(b)); left < 0 {
			return tooLarge()
		}
		r.form.values.Add(part.FormName(), string(b))
	}
	return tooLarge()
}

// cut says that the connection ended before the form did.
func cut(err error) error {
	return account.Malformed("The form did not arrive whole.").Because(err)
}

func tooLarge() error {
	return account.TooLarge("form_too_large", fmt.Sprintf("The form is larger than the limit of %d MB.", maxForm>>20))
}
