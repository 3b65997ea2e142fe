package httpkit

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// prefixOf returns the path of a base address, without a slash at the end.
func prefixOf(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	return strings.TrimRight(u.Path, "/")
}

// Prefix returns the path under which the appliance is served, such as "/sign", or ""
// at the root of its host. Routes, handlers and templates don't contain it:
// [Kit.Under] removes it from requests, and [Kit.Outside] adds it to addresses.
func (k *Kit) Prefix() string { return k.prefix }

// Outside returns the path that a browser requests for one of our paths.
func (k *Kit) Outside(path string) string {
	if path == "/" && k.prefix != "" {
		return k.prefix
	}
	return k.prefix + path
}

// Inside removes the prefix from a path requested by a browser. Paths without the
// prefix are returned unchanged.
func (k *Kit) Inside(path string) string {
	rest, ok := strings.CutPrefix(path, k.prefix)
	switch {
	case !ok || rest != "" && !strings.ContainsAny(rest[:1], "/?#"):
		return path
	case strings.HasPrefix(rest, "/"):
		return rest
	}
	return "/" + rest
}

// Under returns a handler that also accepts paths with the prefix, so that a proxy may
// remove it or not.
func (k *Kit) Under(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	if k.prefix == "" {
		return next
	}
	return func(c *fasthttp.RequestCtx) {
		if at := c.RequestURI(); bytes.HasPrefix(at, []byte(k.prefix)) {
			c.Request.SetRequestURI(k.Inside(string(at)))
		}
		next(c)
	}
}

// CheckPrefix returns an error if the prefix makes a path ambiguous. Call it after
// adding all routes.
func (k *Kit) CheckPrefix() error {
	parts := strings.Split(strings.TrimPrefix(k.prefix, "/"), "/")
	for _, r := range k.Routes() {
		first, _, _ := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
		for _, part := range parts {
			if k.prefix != "" && part == first {
				return fmt.Errorf("server.base_url: %q cannot be part of its path, because pages of Paraph begin with it", "/"+part)
			}
		}
	}
	return nil
}

// pathAttributes are the HTML attributes that contain paths in our templates.
var pathAttributes = []string{
	"href", "src", "srcset", "action", "formaction", "data-base", "data-contacts", "data-copy-from", "data-pad", "data-passkey", "data-root",
}

// OutsideHTML adds the prefix to the addresses in HTML written by html/template, which
// quotes attributes with " and escapes that character elsewhere.
func (k *Kit) OutsideHTML(html []byte) []byte {
	if k.prefix == "" {
		return html
	}
	const mark = `="/`
	out := make([]byte, 0, len(html)+len(html)/16)
	for {
		i := bytes.Index(html, []byte(mark))
		if i < 0 {
			return append(out, html...)
		}
		name := html[bytes.LastIndexAny(html[:i], " \n\t<")+1 : i]
		value := html[i+len(mark)-1:]
		out = append(out, html[:i+len(mark)-1]...)
		if isPathAttribute(name) && !bytes.HasPrefix(value, []byte("//")) {
			out = append(out, k.prefix...)
		}
		out = append(out, '/')
		html = value[1:]
		if end := bytes.IndexByte(html, '"'); string(name) == "srcset" && end >= 0 {
			// The addresses of the other sizes of a picture.
			out = append(out, bytes.ReplaceAll(html[:end], []byte(", /"), []byte(", "+k.prefix+"/"))...)
			html = html[end:]
		}
	}
}

func isPathAttribute(name []byte) bool {
	for _, a := range pathAttributes {
		if string(name) == a {
			return true
		}
	}
	return false
}

// ForSignatories returns the rule of a route that the listener for signatories serves
// too, see [ListenForSignatories].
func (r Rule) ForSignatories() Rule {
	r.Signatories = true
	return r
}

// OnlySignatories reports whether a request arrived on the listener for signatories.
func OnlySignatories(c *fiber.Ctx) bool {
	_, only := c.Context().LocalAddr().(signatoriesAddr)
	return only
}
