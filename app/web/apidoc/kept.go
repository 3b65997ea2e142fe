package apidoc

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/httpkit"
	"paraph/app/web/page"
)

type keptPage struct {
	etag  string
	small []byte // compressed
}

// keptBytes bounds the cache: addresses come from requests, so their number is
// unlimited.
const keptBytes = 16 << 20

// send responds with a cached page.
func (x *Handlers) send(r *page.Request, t page.Template[docsPage], title string, data docsPage) error {
	p := publicPage(title, data)
	k, err := x.keep(strings.Join([]string{string(t), data.Here, data.Language.ID, data.Base, r.Words.Tag(), r.Theme()}, " "), func() ([]byte, error) {
		return t.Compose(r, p)
	})
	if err != nil {
		return err
	}
	r.Set(fiber.HeaderCacheControl, "no-cache")
	r.Set(fiber.HeaderETag, k.etag)
	r.Set(fiber.HeaderVary, "Accept-Encoding, Accept-Language, Cookie")
	if httpkit.MatchesETag(r.Get(fiber.HeaderIfNoneMatch), k.etag) {
		return r.Status(http.StatusNotModified).Send(nil)
	}
	r.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	r.Set(fiber.HeaderContentLanguage, r.Words.Tag())
	if page.AcceptsGzip(r.Ctx) {
		r.Set(fiber.HeaderContentEncoding, "gzip")
		return r.Send(k.small)
	}
	z, err := gzip.NewReader(bytes.NewReader(k.small))
	if err != nil {
		return err
	}
	b, err := io.ReadAll(z)
	if err != nil {
		return err
	}
	return r.Send(b)
}

// keep returns a cached page, building it if necessary.
func (x *Handlers) keep(key string, build func() ([]byte, error)) (keptPage, error) {
	x.mu.Lock()
	k, ok := x.kept[key]
	x.mu.Unlock()
	if ok {
		return k, nil
	}
	html, err := build()
	if err != nil {
		return k, err
	}
	sum := sha256.Sum256(html)
	k.etag = `"` + hex.EncodeToString(sum[:12]) + `"`
	if k.small, err = page.Compress(html); err != nil {
		return k, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.size += len(k.small); x.size > keptBytes {
		clear(x.kept)
		x.size = len(k.small)
	}
	x.kept[key] = k
	return k, nil
}
