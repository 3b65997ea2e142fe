package web

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/asn1"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/signing"
)

// publicRoutes are the pages for everybody: checking a file, and the
// certificate that its signatures lead to.
func (d *Door) publicRoutes(app *fiber.App) {
	d.get(app, "/verify", func(r *request) error { return r.showVerify(http.StatusOK, nil, page{}) })
	d.get(app, "/verify/report", func(r *request) error { return r.redirect("/verify") })
	d.upload(app, "/verify/report", (*request).verify)
	d.get(app, "/trust", (*request).showTrust)
	for name := range rootFiles {
		d.get(app, "/trust/"+name, (*request).rootFile)
	}
}

// verifyPage is the page on which a file is checked.
type verifyPage struct {
	Limit  int64
	Report *reportView
}

// reportView is what a file's signatures are worth, in words.
type reportView struct {
	Name, Kind, Icon, Verdict, Text string
	Pages                           int
	Signatures                      []signatureView
}

type signatureView struct {
	signing.SignatureVerdict
	Title, Verdict, Text, Icon string
	Later                      []laterView
}

// laterView is something that was done to the file after a signature.
type laterView struct {
	Text      string
	Permitted bool
}

func (r *request) showVerify(status int, report *reportView, p page) error {
	p.Title, p.Data, p.Scripts = r.say("verify.title"), verifyPage{r.door.MaxUpload, report}, []string{"upload.js"}
	return r.render(status, "verify", p)
}

// verify reports on the first file that was sent; nothing of it is kept.
func (r *request) verify() error {
	var report *reportView
	err := r.files(func(f *filePart) error {
		if f.Name == "" || report != nil {
			return nil
		}
		got, err := r.door.Signing.VerifyUpload(r.UserContext(), f)
		if err != nil {
			return err
		}
		report = r.report(f.Name, got)
		return nil
	})
	switch account.KindOf(err) {
	case account.KindInvalid, account.KindUnsupported, account.KindTooLarge, account.KindThrottled, account.KindMalformed, account.KindUnavailable:
		f := r.failureOf(err)
		return r.showVerify(f.Status, nil, page{Fault: r.explain(f), Faults: f.Faults})
	}
	if err != nil {
		return err
	}
	if report == nil {
		return r.showVerify(http.StatusUnprocessableEntity, nil, page{Faults: map[string][]string{"file": {r.say("verify.missing")}}})
	}
	return r.showVerify(http.StatusOK, report, page{})
}

// report puts the verdicts into words.
func (r *request) report(name string, from *signing.Report) *reportView {
	v := &reportView{Name: name, Pages: from.Pages}
	trusted := true
	for i := range from.Signatures {
		s := r.signature(&from.Signatures[i])
		trusted = trusted && s.Trusted
		v.Signatures = append(v.Signatures, s)
	}
	changed := slices.ContainsFunc(from.Signatures, func(s signing.SignatureVerdict) bool { return len(s.Changes) > 0 })
	word := "problem"
	v.Kind, v.Icon = "danger", "alert"
	switch {
	case len(from.Signatures) == 0:
		word, v.Kind, v.Icon = "none", "info", "info"
	case from.Sound && !trusted:
		word, v.Kind, v.Icon = "unknown", "warn", "shield"
	case from.Sound && changed:
		word, v.Kind, v.Icon = "added", "ok", "shield-ok"
	case from.Sound:
		word, v.Kind, v.Icon = "valid", "ok", "shield-ok"
	}
	v.Verdict, v.Text = r.say("verify."+word), r.say("verify."+word+".text")
	return v
}

func (r *request) signature(from *signing.SignatureVerdict) signatureView {
	s := signatureView{SignatureVerdict: *from, Title: from.Signer}
	if s.Title == "" {
		s.Title = r.say("verify.nobody")
	}
	word := "valid"
	s.Icon = "check"
	switch {
	case !from.Intact:
		word, s.Icon = "broken", "cross"
	case slices.ContainsFunc(from.Changes, func(c signing.ChangeVerdict) bool { return !c.Permitted }):
		word, s.Icon = "changed", "cross"
	case !from.Trusted:
		word, s.Icon = "stranger", "info"
	}
	s.Verdict = r.say("verify.signature." + word)
	s.Text = r.say("verify.kind." + from.Kind)
	for _, c := range from.Changes {
		later := laterView{r.change(c.What), c.Permitted}
		if !slices.Contains(s.Later, later) {
			s.Later = append(s.Later, later)
		}
	}
	return s
}

// change words a kind of change; one that has no words is shown as it is.
func (r *request) change(what string) string {
	kind, _, _ := strings.Cut(what, ":")
	if text, err := r.words.say("verify.change." + kind); err == nil {
		return text
	}
	return what
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

func (r *request) showTrust() error {
	root := r.door.Keys.Root()
	sum, old := sha256.Sum256(root.Raw), sha1.Sum(root.Raw)
	p := page{Title: r.say("trust.title"), Data: trustPage{Subject: root.Subject.CommonName, From: root.NotBefore, Until: root.NotAfter,
		SHA256: pairs(sum[:]), SHA1: pairs(old[:]), Plain: fmt.Sprintf("%x", sum)}}
	return r.render(http.StatusOK, "trust", p)
}

// pairs writes bytes as programs show fingerprints: AB:CD:…
func pairs(b []byte) string {
	out := make([]string, len(b))
	for i, x := range b {
		out[i] = fmt.Sprintf("%02X", x)
	}
	return strings.Join(out, ":")
}

func (r *request) rootFile() error {
	_, name, _ := strings.Cut(r.Path(), "/trust/")
	var body []byte
	var err error
	switch name {
	case "root.pem":
		body = r.door.Keys.RootPEM()
	case "root.cer":
		body = r.door.Keys.Root().Raw
	default:
		body, err = bundle(r.door.Keys.Root().Raw)
	}
	if err != nil {
		return err
	}
	r.Set(fiber.HeaderContentType, rootFiles[name])
	r.Set(fiber.HeaderContentDisposition, `attachment; filename="`+name+`"`)
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
