package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"path"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/js"

	"paraph/app/fault"
	"paraph/app/httpkit"
)

// assets holds the static files. Their addresses contain a hash of all of them, so
// that browsers cache them forever and scripts can import each other.
type assets struct {
	hash  string
	files map[string]asset
}

type asset struct {
	kind string
	// packed returns the file as it is sent. It is made on the first request, because that takes
	// longer than everything else at startup.
	packed func() (packed, error)
}

type packed struct{ raw, small []byte } // small is raw compressed with gzip

func loadAssets(files fs.FS) (*assets, error) {
	a := &assets{files: map[string]asset{}}
	sum, smaller := sha256.New(), newMinifier()
	err := fs.WalkDir(files, "static", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s %d\n", name, len(raw))
		sum.Write(raw)
		a.files[strings.TrimPrefix(name, "static/")] = asset{kindOf(name), sync.OnceValues(func() (packed, error) {
			return smaller.pack(files, name)
		})}
		return nil
	})
	a.hash = hex.EncodeToString(sum.Sum(nil)[:6])
	return a, err
}

// minifier shrinks scripts and styles.
type minifier struct{ *minify.M }

func newMinifier() minifier {
	m := minify.New()
	m.AddFunc(".js", js.Minify)
	m.AddFunc(".css", css.Minify)
	return minifier{m}
}

func (m minifier) pack(files fs.FS, name string) (packed, error) {
	raw, err := fs.ReadFile(files, name)
	if err != nil {
		return packed{}, err
	}
	if kind := path.Ext(name); kind == ".js" || kind == ".css" {
		if raw, err = m.Bytes(kind, raw); err != nil {
			return packed{}, fmt.Errorf("web: %s: %w", name, err)
		}
	}
	small, err := Compress(raw)
	return packed{raw, small}, err
}

// Compress compresses data with gzip as far as possible, for files compressed once
// and sent often.
func Compress(raw []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(raw); err != nil {
		return nil, err
	}
	err = z.Close()
	return out.Bytes(), err
}

// AcceptsGzip reports whether a client accepts gzip. Without the header any
// encoding is allowed (RFC 9110 §12.5.3), but many clients can't decode it.
func AcceptsGzip(c *fiber.Ctx) bool {
	return c.Get(fiber.HeaderAcceptEncoding) != "" && c.AcceptsEncodings("gzip") == "gzip"
}

// kindOf returns the media type of a file, regardless of the system's MIME table.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return mime.TypeByExtension(path.Ext(name))
}

// address returns the path of a static file.
func (a *assets) address(name string) (string, error) {
	if _, ok := a.files[name]; !ok {
		return "", fmt.Errorf("web: unknown static file %q", name)
	}
	return "/static/" + a.hash + "/" + name, nil
}

// Worker serves the service worker, whose path is above those of the pages it is for.
func (d *Site) Worker(c *fiber.Ctx) error {
	f := d.Parts.assets.files["worker.js"]
	data, err := f.packed()
	if err != nil {
		return err
	}
	c.Locals(httpkit.RouteKey, "GET /worker.js")
	c.Set(fiber.HeaderContentType, f.kind)
	c.Set(fiber.HeaderCacheControl, "no-cache")
	c.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'; connect-src 'self'")
	c.Set("Cross-Origin-Resource-Policy", "same-origin")
	return c.Send(data.raw)
}

// Static serves a static file. Addresses with an outdated hash still work, for pages
// opened before an update, but aren't cached.
func (d *Site) Static(c *fiber.Ctx) error {
	c.Locals(httpkit.RouteKey, "GET /static")
	f, ok := d.Parts.assets.files[c.Params("*")]
	if !ok {
		return fault.NotFound("file")
	}
	data, err := f.packed()
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, f.kind)
	c.Set("Cross-Origin-Resource-Policy", "same-origin")
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	c.Set(fiber.HeaderCacheControl, "no-cache")
	if c.Params("hash") == d.Parts.assets.hash {
		c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	}
	if AcceptsGzip(c) {
		c.Set(fiber.HeaderContentEncoding, "gzip")
		return c.Send(data.small)
	}
	return c.Send(data.raw)
}
