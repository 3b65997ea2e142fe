package public

import (
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/pki"
	"paraph/app/signing"
	"paraph/app/web/page"
)

// verifyPage is the page on which files are checked.
type verifyPage struct {
	Limit   int64
	Most    int // files at a time
	Reports []ReportView
	Roots   []string // that the person trusts beside ours

	Password, PasswordHelp string // what the field is called
}

const (
	maxVerified = 20       // files of one check
	maxRootFile = 64 << 10 // bytes of a file of certificates
)

func (h *Handlers) showVerify(r *page.Request, status int, v verifyPage, p page.Page) error {
	v.Limit, v.Most = h.MaxUpload, maxVerified
	v.Password, v.PasswordHelp = r.Language().Say("verdict.password"), r.Language().Say("verdict.password.help")
	p.Title, p.Data, p.Scripts = r.Say("verify.title"), v, []string{"upload.js"}
	return r.Render(status, "verify", p)
}

// Verify reports on the files that were sent; nothing of them is kept. Of
// several, one that can't be read doesn't take the reports of the others away.
func (h *Handlers) Verify(r *page.Request) error {
	var v verifyPage
	var roots []*x509.Certificate
	var unread error
	err := r.Files(func(f *httpkit.Part) (err error) {
		switch {
		case f.File == "":
			return nil
		case f.Field == "root":
			roots, err = readRoots(f)
			return err
		case len(v.Reports) == maxVerified:
			return fault.Invalid("file", "too_many_to_verify", fault.Number("limit", maxVerified))
		}
		got, err := h.Signing.VerifyUpload(r.UserContext(), f, signing.VerifyInput{Roots: roots, Password: r.Form.Value("password"), Pictures: true})
		if fault.KindOf(err) == fault.KindInvalid {
			unread = err
			v.Reports = append(v.Reports, ReportView{Name: f.File, Kind: "danger", Icon: "alert", Verdict: r.Say("verify.unread"), Text: inWords(r, err)})
			return nil
		}
		if err != nil {
			return err
		}
		report, err := Report(r, f.File, got)
		v.Reports = append(v.Reports, report)
		return err
	})
	if err == nil && len(v.Reports) == 1 {
		err = unread
	}
	switch fault.KindOf(err) {
	case fault.KindInvalid, fault.KindUnsupported, fault.KindTooLarge, fault.KindThrottled, fault.KindMalformed, fault.KindUnavailable:
		f := r.FailureOf(err)
		p := page.Page{Faults: f.Faults}
		if len(f.Faults) == 0 {
			p.Fault = r.Explain(f)
		}
		return h.showVerify(r, f.Status, verifyPage{}, p)
	}
	if err != nil {
		return err
	}
	if len(v.Reports) == 0 {
		return h.showVerify(r, http.StatusUnprocessableEntity, v, page.Page{Faults: map[string][]string{"file": {r.Say("verify.missing")}}})
	}
	for i := range v.Reports {
		if v.Reports[i].ID = "verdict"; i > 0 {
			v.Reports[i].ID += fmt.Sprintf("-%d", i+1)
		}
	}
	for _, root := range roots {
		v.Roots = append(v.Roots, root.Subject.String())
	}
	return h.showVerify(r, http.StatusOK, v, page.Page{})
}

// inWords says in the reader's language what is wrong with a file.
func inWords(r *page.Request, err error) string {
	f := r.FailureOf(err)
	for _, messages := range f.Faults {
		return strings.Join(messages, " ")
	}
	return r.Explain(f)
}

// readRoots takes the certificates that a person wants files held against.
func readRoots(f *httpkit.Part) ([]*x509.Certificate, error) {
	raw, err := io.ReadAll(io.LimitReader(f, maxRootFile+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > maxRootFile {
		return nil, fault.Invalid("root", "not_a_certificate.large")
	}
	roots, err := pki.ParseCertificates(raw)
	if err != nil {
		return nil, fault.Invalid("root", "not_a_certificate").Because(err)
	}
	return roots, nil
}

// rootFiles are the forms in which the root certificate is given away.
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

// pairs writes bytes as programs show fingerprints: AB:CD:…
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
		body, err = bundle(h.Keys.Root().Raw)
	}
	if err != nil {
		return err
	}
	r.Set(fiber.HeaderContentType, rootFiles[name])
	r.Set(fiber.HeaderContentDisposition, httpkit.Disposition(name))
	return r.Send(body)
}

// bundle wraps a certificate as Acrobat and Windows import it: CMS without any
// signature (RFC 5652 §5.1).
func bundle(certificate []byte) ([]byte, error) {
	data, signed := asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1}, asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}
	type inner struct{ Type asn1.ObjectIdentifier }
	empty := asn1.RawValue{Class: asn1.ClassUniversal, Tag: asn1.TagSet, IsCompound: true}
	content, err := asn1.Marshal(struct {
		Version      int
		Digests      asn1.RawValue
		Content      inner
		Certificates asn1.RawValue
		Signers      asn1.RawValue
	}{1, empty, inner{data}, asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 0, IsCompound: true, Bytes: certificate}, empty})
	if err != nil {
		return nil, err
	}
	return asn1.Marshal(struct {
		Type    asn1.ObjectIdentifier
		Content asn1.RawValue
	}{signed, asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 0, IsCompound: true, Bytes: content}})
}

// ShowVerify serves the page on which files are checked.
func (h *Handlers) ShowVerify(r *page.Request) error {
	return h.showVerify(r, http.StatusOK, verifyPage{}, page.Page{})
}
