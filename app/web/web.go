// Package web is the door for people: pages that work without JavaScript, by
// keyboard, and on a phone. It asks the heart and shows the answer; no rule of
// the business lives here.
//
// A caller may rely on this: GET never changes anything; every POST is checked
// to come from a page of ours; every failure is a page with words on it; no page
// loads anything from elsewhere.
//
// # How a page is made
//
// A page is three things: a template templates/pages/NAME.html that defines
// "main" (and "header" where it is not the plain one), texts in
// words/LANGUAGE/AREA.json, and a handler:
//
//	d.get(app, "/colours", func(r *request) error {
//		return r.render(http.StatusOK, "colours", page{Title: r.say("colours.title"), Data: colours{...}})
//	})
//	d.post(app, "/colours", func(r *request) error {
//		if err := d.Signing.Paint(r.UserContext(), who, r.form.value("colour")); err != nil {
//			return r.again(err, "colours", page{...}) // 422: the same page with values and errors
//		}
//		r.flash("ok", "colours.painted")
//		return r.redirect("/colours")
//	})
//
// A template says {{t "key" "name" value}} for a text, {{when $ .At}} for a time,
// {{asset "ui.css"}} for the address of a static file, {{icon "check"}} for a
// symbol, and takes the components of templates/parts: {{template "field"
// (field "email" "type" "email" "label" (t "…") "page" $)}} and so on, each
// described in its file. Every form begins with {{template "csrf" .}}. A handler
// returns any error as it is; the door shows it as a page.
//
// A file that is uploaded is streamed: such a route is made with d.upload, and its
// handler takes the files with r.files.
package web

import (
	"embed"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/contact"
	"paraph/app/door"
	"paraph/app/notify"
	"paraph/app/pdf/text"
	"paraph/app/pki"
	"paraph/app/signing"
)

//go:embed static
var staticFiles embed.FS

//go:embed words
var wordFiles embed.FS

//go:embed templates
var templateFiles embed.FS

// Options are what the door needs. Log is optional.
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

	Secret         []byte   // what the tokens of forms are made with
	BaseURL        string   // of the appliance; "" takes it from the request
	TrustedProxies []string // addresses or prefixes whose forwarded headers count
	MaxUpload      int64    // of one file, bytes
	Setup          Setup    // what the pages of settings say of the configuration
	// Pseudo adds a language made of the English one, longer and from right to
	// left, for those who ask for ar-XB: it shows what a layout can't bear.
	Pseudo bool
}

// Door is all pages.
type Door struct {
	Options
	proxies door.Proxies
	assets  *assets
	books   *books
	pages   *pages
}

// New reads the templates, the texts and the static files. What is wrong with
// any of them is found here and not by the first reader.
func New(o Options) (*Door, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	d := &Door{Options: o}
	var err error
	if d.proxies, err = door.ParseProxies(o.TrustedProxies); err != nil {
		return nil, err
	}
	if d.assets, err = loadAssets(staticFiles); err != nil {
		return nil, err
	}
	if d.books, err = loadBooks(wordFiles, o.Pseudo); err != nil {
		return nil, err
	}
	d.pages, err = loadPages(templateFiles, d.books, d.assets, nil)
	return d, err
}

// Mount adds every route. A path that nobody else knows is answered with a page
// to whoever asks for one. The pages about the API are made of openAPI, when
// somebody first asks for one.
func (d *Door) Mount(app *fiber.App, openAPI func() ([]byte, error)) {
	app.Get("/static/:hash/*", d.static)
	d.post(app, "/language", (*request).setLanguage)
	d.post(app, "/text-size", (*request).setTextSize)
	d.visitRoutes(app)
	d.publicRoutes(app)
	d.docsRoutes(app, openAPI)
	d.teamRoutes(app)
	d.lost(app)
}

// handler answers one request.
type handler func(r *request) error

// get adds a page. The request is answered without any effect.
func (d *Door) get(app *fiber.App, path string, h handler) {
	app.Get(path, d.serve("GET "+path, h))
}

// post adds a form's target. When the handler runs, r.form is read, and the form
// is known to come from a page of ours.
func (d *Door) post(app *fiber.App, path string, h handler) {
	app.Post(path, d.serve("POST "+path, func(r *request) error {
		if err := r.readForm(); err != nil {
			return err
		}
		return h(r)
	}))
}

// upload adds the target of a form that carries files. The handler takes them
// with r.files, which reads the form.
func (d *Door) upload(app *fiber.App, path string, h handler) {
	app.Post(path, d.serve("POST "+path, h))
}
