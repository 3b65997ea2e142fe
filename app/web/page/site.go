// Package page holds what all pages share: the request and its language, forms and
// their protection against forgery, sessions, notices, templates, and error pages.
//
// # Adding a page
//
// A page consists of a template templates/pages/NAME.html that defines "main" (and
// "header" if the page has its own), texts in app/words/LANGUAGE/AREA.json, the type of
// its data, and a handler:
//
//	const colorsTemplate page.Template[colors] = "colors"
//
//	func (h *Handlers) showColors(r *page.Request) error {
//		return colorsTemplate.Render(r, http.StatusOK, page.With(page.Page{Title: r.Say("colors.title")}, colors{...}))
//	}
//
//	func (h *Handlers) paint(r *page.Request) error {
//		if err := h.Colors.Paint(r.UserContext(), r.Who.Call, r.Form.Value("color")); err != nil {
//			return colorsTemplate.Again(r, err, page.With(...)) // 422: the same page with values and errors
//		}
//		r.Flash("ok", "colors.painted")
//		return r.SeeOther("/colors")
//	}
//
// A template uses {{t "key" "name" value}} for a text, {{when $ .At}} for a time,
// {{asset "ui.css"}} for the address of a static file, {{icon "check"}} for an icon,
// and the components of templates/parts: {{template "field" (field "email" "type"
// "email" "label" (t "…") | required | filled $)}} and so on, each described in its
// file. Every form begins with {{template "csrf" .}}. A handler returns errors
// unchanged; they are shown as pages.
//
// Uploads are streamed: their routes have the method Upload, and their handlers read
// the files with Request.Files.
package page

import (
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/httpkit"
	"paraph/app/machine"
	"paraph/app/signing/lists"
	"paraph/app/words"
)

// Options configures the pages. Log is optional.
type Options struct {
	Accounts *account.Services
	Lists    *lists.Lists
	Log      *slog.Logger
	Now      func() time.Time
	// Warnings returns the warnings shown to a reader on all team pages. It may be nil.
	Warnings func(account.Call) ([]machine.Warning, error)

	Secret []byte // signs the tokens of forms
	Kit    *httpkit.Kit
	// Pseudo adds a pseudo-locale for requests in ar-XB: English, made longer and
	// right to left, to show where a layout breaks.
	Pseudo bool

	Words *words.Catalogue
	Parts *Parts
}

// Parts holds everything that pages are made from. They hold nothing of one installation, so that all
// appliances of a process can share them.
type Parts struct {
	assets *assets
	pages  *pages
}

// Load reads the folder static, and the folder templates when the first page is asked for. The
// functions are template functions of the packages that have pages.
func Load(templates, static fs.FS, functions template.FuncMap) (*Parts, error) {
	assets, err := loadAssets(static)
	if err != nil {
		return nil, err
	}
	return &Parts{assets, loadPages(templates, assets, functions)}, nil
}

// Site holds what all pages share.
type Site struct{ Options }

// New returns a site.
func New(o Options) *Site {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Pseudo {
		o.Words = o.Words.WithPseudo()
	}
	return &Site{o}
}

// Handler handles one request.
type Handler func(r *Request) error

// Method is the kind of request that a route accepts.
type Method int

// Methods of routes.
const (
	// Get is for pages. Handlers have no side effects.
	Get Method = iota
	// Post is for forms. When the handler runs, Request.Form has been read, and the
	// form is known to come from one of our pages.
	Post
	// Upload is for forms with large files. The handler reads the form with
	// Request.Files.
	Upload
)

// Route mounts one handler.
func (d *Site) Route(app *fiber.App, method Method, path string, a Access) {
	verb, read := http.MethodPost, func(*Request) error { return nil }
	run := func(r *Request) error { return a.run(r, read) }
	switch method {
	case Get:
		// Requests for pages have no body.
		verb, a.Rule.Body, a.Rule.Files = http.MethodGet, 0, 0
		run = func(r *Request) error { return r.inTurn(func() error { return a.run(r, read) }) }
	case Post:
		read = (*Request).ReadForm
	}
	d.Kit.Add(app, verb, path, a.Rule, d.serve(verb+" "+path, a.Rule, run))
}
