package web

import (
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/pki"
	"paraph/app/signing/report"
)

// publicRoutes are the pages for everybody: checking a file, and the
// certificate that its signatures lead to.
func (d *Door) publicRoutes(app *fiber.App) {
	d.get(app, "/verify", func(r *request) error { return r.showVerify(http.StatusOK, verifyPage{}, page{}) })
	d.get(app, "/verify/report", func(r *request) error { return r.redirect("/verify") })
	d.upload(app, "/verify/report", (*request).verify)
	d.get(app, "/trust", (*request).showTrust)
	d.get(app, "/logo/:company", (*request).logo)
	for name := range rootFiles {
		d.get(app, "/trust/"+name, (*request).rootFile)
	}
}

// verifyPage is the page on which files are checked.
type verifyPage struct {
	Limit   int64
	Most    int // files at a time
	Reports []reportView
	Roots   []string // that the person trusts beside ours
}

const (
	maxVerified = 20       // files of one check
	maxRootFile = 64 << 10 // bytes of a file of certificates
)

// reportView is what a file's signatures are worth, in words.
type reportView struct {
	ID                              string // of its heading
	Name, Kind, Icon, Verdict, Text string
	Pages                           int
	SHA256                          string
	Signatures                      []signatureView
	JSON                            template.URL // the same for programs; it lies in the page, as nothing is kept
	File                            string       // name to save it under
}

type signatureView struct {
	report.SignatureVerdict
	Title, Verdict, Text, Icon string
	Later                      []laterView
}

// laterView is something that was done to the file after a signature.
type laterView struct {
	Text      string
	Permitted bool
}

func (r *request) showVerify(status int, v verifyPage, p page) error {
	v.Limit, v.Most = r.door.MaxUpload, maxVerified
	p.Title, p.Data, p.Scripts = r.say("verify.title"), v, []string{"upload.js"}
	return r.render(status, "verify", p)
}

// verify reports on the files that were sent; nothing of them is kept. Of
// several, one that can't be read doesn't take the reports of the others away.
func (r *request) verify() error {
	var v verifyPage
	var roots []*x509.Certificate
	var unread error
	err := r.files(func(f *filePart) (err error) {
		switch {
		case f.Name == "":
			return nil
		case f.Field == "root":
			roots, err = readRoots(f)
			return err
		case len(v.Reports) == maxVerified:
			return account.Invalid("file", fmt.Sprintf("At most %d files can be checked at a time.", maxVerified))
		}
		got, err := r.door.Signing.VerifyUpload(r.UserContext(), f, roots...)
		if account.KindOf(err) == account.KindInvalid {
			unread = err
			v.Reports = append(v.Reports, reportView{Name: f.Name, Kind: "danger", Icon: "alert", Verdict: r.say("verify.unread"), Text: r.inWords(err)})
			return nil
		}
		if err != nil {
			return err
		}
		report, err := r.report(f.Name, got)
		v.Reports = append(v.Reports, report)
		return err
	})
	if err == nil && len(v.Reports) == 1 {
		err = unread
	}
	switch account.KindOf(err) {
	case account.KindInvalid, account.KindUnsupported, account.KindTooLarge, account.KindThrottled, account.KindMalformed, account.KindUnavailable:
		f := r.failureOf(err)
		p := page{Faults: r.translated(f.Faults)}
		if len(f.Faults) == 0 {
			p.Fault = r.translate(r.explain(f), nil)
		}
		return r.showVerify(f.Status, verifyPage{}, p)
	}
	if err != nil {
		return err
	}
	if len(v.Reports) == 0 {
		return r.showVerify(http.StatusUnprocessableEntity, v, page{Faults: map[string][]string{"file": {r.say("verify.missing")}}})
	}
	for i := range v.Reports {
		if v.Reports[i].ID = "verdict"; i > 0 {
			v.Reports[i].ID += fmt.Sprintf("-%d", i+1)
		}
	}
	for _, root := range roots {
		v.Roots = append(v.Roots, root.Subject.String())
	}
	return r.showVerify(http.StatusOK, v, page{})
}

// inWords says in the reader's language what is wrong with a file.
func (r *request) inWords(err error) string {
	f := r.failureOf(err)
	for _, messages := range r.translated(f.Faults) {
		return strings.Join(messages, " ")
	}
	return r.translate(r.explain(f), nil)
}

// readRoots takes the certificates that a person wants files held against.
func readRoots(f *filePart) ([]*x509.Certificate, error) {
	raw, err := io.ReadAll(io.LimitReader(f, maxRootFile+1))
	if err != nil {
		return nil, cut(err)
	}
	if len(raw) > maxRootFile {
		return nil, account.Invalid("root", "This file is too large to be a certificate.")
	}
	roots, err := pki.ParseCertificates(raw)
	if err != nil {
		return nil, account.Invalid("root", "This file holds no certificate. Choose a PEM or DER file.").Because(err)
	}
	return roots, nil
}

// report puts the verdicts into words.
func (r *request) report(name string, from *report.Report) (reportView, error) {
	raw, err := json.MarshalIndent(struct {
		Name string `json:"name"`
		*report.Report
	}{name, from}, "", "  ")
	if err != nil {
		return reportView{}, err
	}
	v := reportView{ID: "verdict", Name: name, Pages: from.Pages, SHA256: from.SHA256, File: strings.TrimSuffix(name, ".pdf") + " – report.json",
		JSON: template.URL("data:application/json;base64," + base64.StdEncoding.EncodeToString(raw))}
	trusted := true
	for i := range from.Signatures {
		s := r.signature(&from.Signatures[i])
		trusted = trusted && s.Trusted
		v.Signatures = append(v.Signatures, s)
	}
	changed := slices.ContainsFunc(from.Signatures, func(s report.SignatureVerdict) bool { return len(s.Changes) > 0 })
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
	return v, nil
}

func (r *request) signature(from *report.SignatureVerdict) signatureView {
	s := signatureView{SignatureVerdict: *from, Title: from.Signer}
	if s.Title == "" {
		s.Title = r.say("verify.nobody")
	}
	word := "valid"
	s.Icon = "check"
	switch {
	case !from.Intact:
		word, s.Icon = "broken", "cross"
	case slices.ContainsFunc(from.Changes, func(c report.ChangeVerdict) bool { return !c.Permitted }):
		word, s.Icon = "changed", "cross"
	case !from.Trusted:
		word, s.Icon = "stranger", "info"
	}
	s.Verdict = r.say("verify.signature." + word)
	s.Text = r.say("verify.kind." + from.Kind)
	if text, err := r.words.say("verify.revocation." + from.Revocation); err == nil {
		s.Revocation = text
	}
	s.Problems, s.Notes = r.each(from.Problems), r.each(from.Notes)
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

// changeInFull words a kind of change together with what it was done to.
func (r *request) changeInFull(what string) string {
	text := r.change(what)
	if _, detail, ok := strings.Cut(what, ": "); ok && text != what {
		text += " (" + detail + ")"
	}
	return text
}

// each gives sentences of the heart in the reader's language.
func (r *request) each(sentences []string) []string {
	out := make([]string, len(sentences))
	for i, s := range sentences {
		out[i] = r.translate(s, nil)
	}
	return out
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
