package public

import (
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"strings"

	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/pki"
	"paraph/app/signing/verify"
	"paraph/app/web/page"
)

// verifyPage is the page for verifying files.
type verifyPage struct {
	Limit   int64
	Most    int // maximum number of files
	Reports []ReportView
	Roots   []string // root certificates that the visitor trusts besides ours

	Password, PasswordHelp string // label of the input, and its help
}

const (
	maxVerified = 20       // files at a time
	maxRootFile = 64 << 10 // bytes of a file with certificates

	// MaxFiles bounds the files of a form: one over the limit, which is refused with a
	// message of its own, and the certificates.
	MaxFiles = maxVerified + 2
)

func (h *Handlers) showVerify(r *page.Request, status int, v verifyPage, p page.Page) error {
	v.Limit, v.Most = h.MaxUpload, maxVerified
	v.Password, v.PasswordHelp = r.Words.Say("verdict.password"), r.Words.Say("verdict.password.help")
	p.Title, p.Scripts = r.Say("verify.title"), []string{"upload.js"}
	return verifyTemplate.Render(r, status, page.With(p, v))
}

// Verify reports on the uploaded files and stores nothing. An unreadable file doesn't
// affect the reports on the others.
func (h *Handlers) Verify(r *page.Request) error {
	var v verifyPage
	var roots []*x509.Certificate
	var unreadable error
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
		got, err := h.Verifier.Upload(r.UserContext(), f, verify.Input{
			By:       httpkit.CallerOf(r.Who.Call, r.ClientIP()),
			Roots:    roots,
			Password: r.Form.Value("password"),
			Pictures: true,
		})
		if fault.KindOf(err) == fault.KindInvalid {
			unreadable = err
			v.Reports = append(v.Reports, ReportView{
				Name:    f.File,
				Kind:    "danger",
				Icon:    "alert",
				Verdict: r.Say("verify.unread"),
				Text:    reasonOf(r, err),
			})
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
		err = unreadable
	}
	switch fault.KindOf(err) {
	case fault.KindInvalid, fault.KindUnsupported, fault.KindTooLarge,
		fault.KindThrottled, fault.KindMalformed, fault.KindUnavailable:
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
		p := page.Page{Faults: map[string][]string{"file": {r.Say("verify.missing")}}}
		return h.showVerify(r, http.StatusUnprocessableEntity, v, p)
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

// reasonOf describes in the reader's language why a file can't be verified.
func reasonOf(r *page.Request, err error) string {
	f := r.FailureOf(err)
	for _, messages := range f.Faults {
		return strings.Join(messages, " ")
	}
	return r.Explain(f)
}

// readRoots reads the root certificates that the visitor trusts.
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

// ShowVerify serves the page for verifying files.
func (h *Handlers) ShowVerify(r *page.Request) error {
	return h.showVerify(r, http.StatusOK, verifyPage{}, page.Page{})
}
