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

// rootFiles are the formats in which the root certificate can be downloaded.
var rootFiles = map[string]string{
	"root.pem": "application/x-pem-file", "root.cer": "application/pkix-cert", "root.p7b": "application/x-pkcs7-certificates",
}

// trustPage shows the certificate that all signatures lead to.
type trustPage struct {
	Subject      string
	From, Until  time.Time
	SHA256, SHA1 string
	Plain        string
}

// ShowTrust serves the certificate that all signatures lead to.
func (h *Handlers) ShowTrust(r *page.Request) error {
	root := h.Keys.Root()
	sum, old := sha256.Sum256(root.Raw), sha1.Sum(root.Raw)
	p := page.Page{Title: r.Say("trust.title"), Data: trustPage{Subject: root.Subject.CommonName, From: root.NotBefore, Until: root.NotAfter,
		SHA256: pairs(sum[:]), SHA1: pairs(old[:]), Plain: fmt.Sprintf("%x", sum)}}
	return r.Render(http.StatusOK, "trust", p)
}

// pairs formats bytes as a fingerprint: AB:CD:…
func pairs(b []byte) string {
	out := make([]string, len(b))
	for i, x := range b {
		out[i] = fmt.Sprintf("%02X", x)
	}
	return strings.Join(out, ":")
}

// RootFile serves the root certificate as a file.
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
