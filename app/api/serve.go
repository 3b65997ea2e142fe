package api

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/signing"
)

// serve streams a download: the whole, the range asked for (RFC 9110 §14), or
// word that the caller has it already.
func (r *request) serve(d *signing.Download) error {
	tag := `"` + d.ETag + `"`
	r.Set(fiber.HeaderETag, tag)
	r.Set(fiber.HeaderContentDisposition, disposition(d.Name))
	r.Set(fiber.HeaderContentType, d.ContentType)
	r.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	if matchesETag(r.Get(fiber.HeaderIfNoneMatch), tag) {
		return r.Status(http.StatusNotModified).Send(nil)
	}
	if d.Open == nil {
		return r.made(d.Write)
	}
	r.Set(fiber.HeaderAcceptRanges, "bytes")
	from, length, state := parseRange(r.Get(fiber.HeaderRange), d.Size)
	if ifRange := r.Get("If-Range"); ifRange != "" && ifRange != tag {
		from, length, state = 0, d.Size, whole
	}
	if state == unsatisfiable {
		r.Set(fiber.HeaderContentRange, fmt.Sprintf("bytes */%d", d.Size))
		return fiber.NewError(http.StatusRequestedRangeNotSatisfiable)
	}
	file, err := d.Open()
	if err != nil {
		return err
	}
	if _, err := file.Seek(from, io.SeekStart); err != nil {
		return errors.Join(err, file.Close())
	}
	if state == partial {
		r.Status(http.StatusPartialContent)
		r.Set(fiber.HeaderContentRange, fmt.Sprintf("bytes %d-%d/%d", from, from+length-1, d.Size))
	}
	r.Context().SetBodyStream(limited{io.LimitReader(file, length), file}, int(length))
	return nil
}

type limited struct {
	io.Reader
	io.Closer
}

// made streams what is made on the way. When making it fails the connection
// breaks, so that half a file is never taken for a whole one.
func (r *request) made(write func(io.Writer) error) error {
	out, in := io.Pipe()
	go func() { in.CloseWithError(write(in)) }()
	r.Context().SetBodyStream(out, -1)
	return nil
}

const (
	whole = iota
	partial
	unsatisfiable
)

// parseRange reads a Range header of one range. Anything else is the whole.
func parseRange(header string, size int64) (from, length int64, state int) {
	spec, ok := strings.CutPrefix(header, "bytes=")
	first, last, dash := strings.Cut(strings.TrimSpace(spec), "-")
	if !ok || !dash || strings.Contains(spec, ",") {
		return 0, size, whole
	}
	if first == "" {
		n, err := strconv.ParseInt(last, 10, 64)
		if err != nil {
			return 0, size, whole
		}
		n = min(n, size)
		if n <= 0 {
			return 0, 0, unsatisfiable
		}
		return size - n, n, partial
	}
	from, err := strconv.ParseInt(first, 10, 64)
	if err != nil || from < 0 {
		return 0, size, whole
	}
	to := size - 1
	if last != "" {
		n, err := strconv.ParseInt(last, 10, 64)
		if err != nil || n < from {
			return 0, size, whole
		}
		to = min(n, to)
	}
	if from >= size {
		return 0, 0, unsatisfiable
	}
	return from, to - from + 1, partial
}
