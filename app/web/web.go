// Package web serves the pages for people. They work without JavaScript, by
// keyboard, and on a phone; no rule of the business lives here.
//
// A caller may rely on this: GET never changes anything; every POST is checked
// to come from a page of ours; every failure is a page with words on it; no page
// loads anything from elsewhere.
//
// Package page describes how a page is made. The pages are in packages by who
// reads them: signer, team/…, public, and apidoc.
package web

import (
	"embed"
	"html/template"
	"log/slog"
	"maps"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/contact"
	"paraph/app/notify"
	"paraph/app/pdf/text"
	"paraph/app/pki"
	"paraph/app/signing"
	"paraph/app/web/apidoc"
	"paraph/app/web/page"
	"paraph/app/web/public"
	"paraph/app/web/signer"
	"paraph/app/web/team/contacts"
	"paraph/app/web/team/documents"
	"paraph/app/web/team/drafts"
	"paraph/app/web/team/editor"
	"paraph/app/web/team/me"
	"paraph/app/web/team/members"
	"paraph/app/web/team/settings"
	"paraph/app/web/team/signin"
)

//go:embed static
var staticFiles embed.FS

//go:embed words
var wordFiles embed.FS

//go:embed templates
var templateFiles embed.FS

// Options are what the pages need. Log is optional.
type Options struct {
	Accounts *account.Service
	Signing  *signing.Service
	Notify   *notify.Service
	Webhooks *notify.Webhooks
	Contacts *contact.Service
	Keys     *pki.Authority
	Fonts    *text.Fonts
	Log      *slog.Logger
	Now      func() time.Time

	Secret         []byte         // signs the tokens of forms
	BaseURL        string         // of the appliance; "" takes it from the request
	TrustedProxies []string       // addresses or prefixes whose forwarded headers count
	MaxUpload      int64          // of one file, bytes
	Setup          settings.Setup // what the pages of settings say of the configuration
	// Pseudo adds a language derived from English, longer and right to left, for
	// those who ask for ar-XB: it shows what a layout can't bear.
	Pseudo bool
}

// Pages are all pages.
type Pages struct {
	site    *page.Site
	options Options
}

// New reads the templates, the texts and the static files, so that a mistake in
// any of them shows at start and not to the first reader.
func New(o Options) (*Pages, error) {
	functions := template.FuncMap{}
	for _, own := range []template.FuncMap{documents.Functions(), editor.Functions(), signin.Functions(), apidoc.Functions()} {
		maps.Copy(functions, own)
	}
	site, err := page.New(page.Options{Accounts: o.Accounts, Signing: o.Signing, Log: o.Log, Now: o.Now, Secret: o.Secret, BaseURL: o.BaseURL,
		TrustedProxies: o.TrustedProxies, Pseudo: o.Pseudo, Templates: templateFiles, Static: staticFiles, Words: wordFiles, Functions: functions})
	if err != nil {
		return nil, err
	}
	return &Pages{site, o}, nil
}

// Mount adds every route. A path that nobody else knows is answered with a page
// to whoever asks for one. The pages about the API are made of openAPI, when
// somebody first asks for one.
func (p *Pages) Mount(app *fiber.App, openAPI func() ([]byte, error)) {
	s, o := p.site, p.options
	app.Get("/static/:hash/*", s.Static)
	s.Post(app, "/language", (*page.Request).SetLanguage)
	s.Post(app, "/text-size", (*page.Request).SetTextSize)
	signers := &signer.Handlers{Site: s, Accounts: o.Accounts, Signing: o.Signing, Fonts: o.Fonts, Log: s.Log, Now: o.Now}
	signers.VisitRoutes(app)
	(&public.Handlers{Site: s, Accounts: o.Accounts, Keys: o.Keys, MaxUpload: o.MaxUpload, Signing: o.Signing}).PublicRoutes(app)
	(&apidoc.Handlers{Site: s}).DocsRoutes(app, openAPI)
	s.TeamGet(app, "/app", func(r *page.Request) error { return r.SeeOther("/app/documents") })
	entry := &signin.Handlers{Site: s, Accounts: o.Accounts, Notify: o.Notify, Signing: o.Signing}
	entry.SetupRoutes(app)
	(&drafts.Handlers{Site: s, Accounts: o.Accounts, Contacts: o.Contacts, Log: s.Log, MaxUpload: o.MaxUpload, Notify: o.Notify, Now: o.Now,
		Signing: o.Signing}).CreateRoutes(app)
	entry.SignInRoutes(app)
	(&settings.Handlers{Site: s, Accounts: o.Accounts, Keys: o.Keys, Notify: o.Notify, Now: o.Now, Setup: o.Setup, Signing: o.Signing,
		Webhooks: o.Webhooks}).SettingsRoutes(app)
	(&members.Handlers{Site: s, Accounts: o.Accounts, Signing: o.Signing}).MemberRoutes(app)
	(&contacts.Handlers{Site: s, Contacts: o.Contacts, Signing: o.Signing}).ContactRoutes(app)
	entry.LinkRoutes(app)
	own := &me.Handlers{Site: s, Accounts: o.Accounts, Fonts: o.Fonts, Notify: o.Notify, Signing: o.Signing}
	own.PasskeyRoutes(app)
	own.SessionRoutes(app)
	own.MeRoutes(app)
	pages := &documents.Handlers{Site: s, Accounts: o.Accounts, Log: s.Log, MaxUpload: o.MaxUpload, Now: o.Now, Signing: o.Signing}
	pages.DocumentRoutes(app)
	(&editor.Handlers{Site: s, Notify: o.Notify, Signing: o.Signing}).EditorRoutes(app)
	signers.PreviewRoutes(app)
	s.Lost(app)
}
