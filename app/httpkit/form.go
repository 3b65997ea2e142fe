package httpkit

import (
	"bytes"
	"context"
	"mime"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"paraph/app/fault"
)

// Form reads a submitted form. It adds fields to values as they arrive, and calls file
// for each file while it arrives.
func (b *Body) Form(ctx context.Context, values url.Values, file func(*Part) error) error {
	media, params, err := mime.ParseMediaType(b.c.Get(fiber.HeaderContentType))
	switch {
	case err == nil && media == fiber.MIMEMultipartForm && params["boundary"] != "":
		return b.Parts(ctx, params["boundary"], func(p *Part) error {
			if p.IsFile {
				return file(p)
			}
			text, err := p.Gather(ctx)
			values.Add(p.Field, string(text))
			return err
		})
	case err == nil && media == fiber.MIMEApplicationForm:
		return b.pairs(ctx, values)
	}
	return fault.Unsupported("content_type_not_accepted.form")
}

// pairs reads a form without files.
func (b *Body) pairs(ctx context.Context, values url.Values) error {
	text, err := b.Whole(ctx)
	if err != nil {
		return err
	}
	if bytes.Count(text, []byte("&")) >= maxParts {
		return tooManyParts()
	}
	read, err := url.ParseQuery(string(text))
	if err != nil {
		return fault.Malformed("form_unreadable").Because(err)
	}
	for name, all := range read {
		values[name] = append(values[name], all...)
	}
	return nil
}
