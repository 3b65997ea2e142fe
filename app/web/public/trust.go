package public

import (
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/httpkit"
	"paraph/app/pki"
	"paraph/app/web/page"
)

// rootFiles holds the downloads of the root certificate with their media types.
var rootFiles = map[string]string{
	"root.pem": "application/x-pem-file", "root.cer": "application/pkix-cert", "root.p7b": "application/x-pkcs7-certificates",
}

// trustPage shows the root certificate of all signatures.
type trustPage struct {
	Subject      string
	From, Until  time.Time
	SHA256, SHA1 string
	Plain        string
}

// ShowTrust serves the page about the root certificate of all signatures.
func (h *Handlers) ShowTrust(r *page.Request) error {
	root := h.Keys.Root()
	sum, old := sha256.Sum256(root.Raw), sha1.Sum(root.Raw)
	data := trustPage{
		Subject: root.Subject.CommonName,
		From:    root.NotBefore,
		Until:   root.NotAfter,
		SHA256:  fingerprint(sum[:]),
		SHA1:    fingerprint(old[:]),
		Plain:   fmt.Sprintf("%x", sum),
	}
	return trustTemplate.Render(r, http.StatusOK, page.With(page.Page{Title: r.Say("trust.title")}, data))
}

// fingerprint formats a hash as AB:CD:…
func fingerprint(b []byte) string {
	out := make([]string, len(b))
	for i, x := range b {
		out[i] = fmt.Sprintf("%02X", x)
	}
	return strings.Join(out, ":")
}

// RootFile serves the root certificate in one of its formats.
func (h *Handlers) RootFile(r *page.Request) error {
	_, name, _ := strings.Cut(r.Path(), "/trust/")
	var body []byte
	var err error
	switch name {
	case "root.pem":
		body = h.Keys.RootPEM()
	case "root.cer":
		body = h.Keys.Root().Raw
	default:
		body, err = pki.EncodeP7B(h.Keys.Root())
	}
	if err != nil {
		return err
	}
	r.Set(fiber.HeaderContentType, rootFiles[name])
	r.Set(fiber.HeaderContentDisposition, httpkit.Disposition(name))
	return r.Send(body)
}
