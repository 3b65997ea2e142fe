package web

import (
	"embed"
	"html/template"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/bulk"
	"paraph/app/contact"
	"paraph/app/httpkit"
	"paraph/app/machine"
	"paraph/app/mailserver"
	"paraph/app/notify"
	"paraph/app/pdf/text"
	"paraph/app/pki"
	"paraph/app/publiclink"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/web/apidoc"
	"paraph/app/web/page"
	"paraph/app/web/public"
	"paraph/app/web/team/documents"
	"paraph/app/web/team/editor"
	"paraph/app/web/team/settings"
	"paraph/app/web/team/signin"
	"paraph/app/words"
)

//go:embed static
var staticFiles embed.FS

//go:embed templates
var templateFiles embed.FS

// Options configures the pages. Log is optional.
type Options struct {
	Accounts    *account.Services
	Signing     *signing.Services
	Limits      record.Limits
	Mails       func() bool // whether e-mails reach their recipients
	Consent     string      // the consent text of companies without their own
	Notify      *notify.Service
	Webhooks    *notify.Webhooks
	Contacts    *contact.Service
	Bulk        *bulk.Service
	PublicLinks *publiclink.Service
	Machine     *machine.Service
	MailServer  *mailserver.Service
	Keys        *pki.Authority
	Words       *words.Catalogue
	Fonts       *text.Fonts
	Log         *slog.Logger
	Now         func(company string) time.Time

	Secret    []byte // signs the tokens of forms
	Kit       *httpkit.Kit
	MaxUpload int64          // of one file, bytes
	MaxFiles  int64          // of all files of one form, bytes
	Setup     settings.Setup // configuration shown on the settings pages
	Backups   settings.Backups
	// Develop adds what only developers need: a page of all components, and a pseudo-locale for requests in ar-XB,
	// English made longer and right to left, to show where a layout breaks.
	Develop bool
}

// Pages holds the handlers of all pages.
type Pages struct {
	site    *page.Site
	options Options
}

// parts reads the embedded files, once per process: minifying and parsing them takes longer than
// everything else that opens a test's appliance.
var parts = sync.OnceValues(func() (*page.Parts, error) {
	functions := template.FuncMap{}
	for _, own := range []template.FuncMap{
		documents.Functions(), editor.Functions(), signin.Functions(), apidoc.Functions(), public.Functions(),
	} {
		maps.Copy(functions, own)
	}
	return page.Load(templateFiles, staticFiles, functions)
})

// New reads the templates and the static files, so that a missing one is an error at startup rather
// than on the first request.
func New(o Options) (*Pages, error) {
	parts, err := parts()
	if err != nil {
		return nil, err
	}
	var warnings func(account.Call) ([]machine.Warning, error)
	if o.Machine != nil {
		warnings = o.Machine.Warnings
	}
	site := page.New(page.Options{
		Accounts: o.Accounts,
		Lists:    o.Signing.Lists,
		Log:      o.Log,
		Now:      func() time.Time { return o.Now("") },
		Warnings: warnings,
		Secret:   o.Secret,
		Kit:      o.Kit,
		Pseudo:   o.Develop,
		Words:    o.Words,
		Parts:    parts,
	})
	o.Log = site.Log
	return &Pages{site, o}, nil
}

// Mount adds all routes. Unmatched paths get an error page if the client accepts
// HTML. openAPI is called when a page about the API is first requested.
func (p *Pages) Mount(app *fiber.App, openAPI func() ([]byte, error)) {
	p.options.Kit.Add(app, http.MethodGet, "/worker.js", httpkit.Rule{For: httpkit.Everyone}, p.site.Worker)
	p.options.Kit.Add(app, http.MethodGet, "/static/:hash/*", httpkit.Rule{For: httpkit.Everyone}.ForSignatories(), p.site.Static)
	for _, area := range [][]route{
		common(), p.public(), docs(openAPI, p.options.Words.English()), p.signatories(), p.access(), p.own(), p.documents(), p.drafts(),
		p.templates(), p.bulk(), p.contacts(), p.members(), p.settings(), p.admin(), p.installation(), p.develop(),
	} {
		for _, r := range area {
			if forSignatories(r.path) {
				r.access.Rule = r.access.Rule.ForSignatories()
			}
			p.site.Route(app, r.method, r.path, r.access)
		}
	}
	p.site.NotFoundPage(app)
}

// forSignatories reports whether signatories need a path: the pages behind their
// links, and the pages that those link to.
func forSignatories(path string) bool {
	switch first, rest, _ := strings.Cut(path[1:], "/"); first {
	case "s", "p", "verify", "trust", "logo":
		return true
	case "language", "text-size":
		return rest == ""
	}
	return false
}
