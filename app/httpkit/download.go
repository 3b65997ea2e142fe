package httpkit

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// Download is a file sent to the caller.
type Download struct {
	Name        string
	ContentType string
	Size        int64 // -1 if not known in advance
	ETag        string
	Open        func() (io.ReadSeekCloser, error) // nil when only Write can make it
	Write       func(w io.Writer) error           // for content generated while it is sent, such as a ZIP
}

// Send streams a download: all of it, the requested range (RFC 9110 §14), or 304
// if the caller already has it.
func (d *Download) Send(c *fiber.Ctx) error {
	tag := `"` + d.ETag + `"`
	if d.ETag != "" {
		c.Set(fiber.HeaderETag, tag)
	}
	c.Set(fiber.HeaderContentDisposition, Disposition(d.Name))
	c.Set(fiber.HeaderContentType, d.ContentType)
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'; sandbox")
	// Not to be reused without revalidation, but a download that broke off can be resumed.
	c.Set(fiber.HeaderCacheControl, "private, no-cache")
	if d.ETag != "" && MatchesETag(c.Get(fiber.HeaderIfNoneMatch), tag) {
		return c.Status(http.StatusNotModified).Send(nil)
	}
	if d.Open == nil {
		Made(c, d.Write)
		return nil
	}
	return d.sendRange(c, tag)
}

func (d *Download) sendRange(c *fiber.Ctx, tag string) error {
	c.Set(fiber.HeaderAcceptRanges, "bytes")
	from, length, state := parseRange(c.Get(fiber.HeaderRange), d.Size)
	if ifRange := c.Get("If-Range"); ifRange != "" && ifRange != tag {
		from, length, state = 0, d.Size, whole
	}
	if state == unsatisfiable {
		c.Set(fiber.HeaderContentRange, fmt.Sprintf("bytes */%d", d.Size))
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
		c.Status(http.StatusPartialContent)
		c.Set(fiber.HeaderContentRange, fmt.Sprintf("bytes %d-%d/%d", from, from+length-1, d.Size))
	}
	c.Context().SetBodyStream(limited{io.LimitReader(file, length), file}, int(length))
	return nil
}

type limited struct {
	io.Reader
	io.Closer
}

// Made streams content while it is generated. If generating it fails, the
// connection is broken, so that half a file is never mistaken for a whole one.
func Made(c *fiber.Ctx, write func(io.Writer) error) {
	out, in := io.Pipe()
	go func() { in.CloseWithError(write(in)) }()
	c.Context().SetBodyStream(out, -1)
}

const (
	whole = iota
	partial
	unsatisfiable
)

// parseRange parses a Range header with one range. For anything else it returns the whole.
func parseRange(header string, size int64) (from, length int64, state int) {
	spec, ok := strings.CutPrefix(header, "bytes=")
	first, last, dash := strings.Cut(strings.TrimSpace(spec), "-")
	if !ok || !dash || strings.Contains(spec, ",") {
		return 0, size, whole
	}
	if first == "" {
		return suffix(last, size)
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

// suffix returns the range of the last bytes.
func suffix(last string, size int64) (from, length int64, state int) {
	n, err := strconv.ParseInt(last, 10, 64)
	if err != nil {
		return 0, size, whole
	}
	if n = min(n, size); n <= 0 {
		return 0, 0, unsatisfiable
	}
	return size - n, n, partial
}

// Disposition names a file for the browser (RFC 6266): in UTF-8 and, for programs
// that support nothing else, in ASCII with other characters replaced.
func Disposition(name string) string {
	ascii := strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' || c == '"' || c == '\\' || c == '%' {
			return '_'
		}
		return c
	}, name)
	return `attachment; filename="` + ascii + `"; filename*=UTF-8''` + extended(name)
}

// extended returns a value in the encoding of RFC 8187. Characters that
// url.PathEscape leaves and the RFC does not allow are escaped too.
func extended(name string) string {
	return strings.NewReplacer("'", "%27", "(", "%28", ")", "%29", "*", "%2A", ",", "%2C", ":", "%3A", ";", "%3B",
		"=", "%3D", "@", "%40").Replace(url.PathEscape(name))
}

// MatchesETag reports whether a header such as If-None-Match names a tag.
func MatchesETag(header, tag string) bool {
	for t := range strings.SplitSeq(header, ",") {
		if t = strings.TrimSpace(t); t == "*" || strings.TrimPrefix(t, "W/") == tag {
			return true
		}
	}
	return false
}
