package page

import (
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/httpkit"
	"paraph/app/signing"
	"paraph/app/words"
)

// Request is one request for a page, with the language of the response.
type Request struct {
	*fiber.Ctx
	site  *Site
	rule  httpkit.Rule // of the route
	Words *words.Language
	// chosen means that the reader chose the language explicitly.
	chosen bool
	nonce  string
	Form   Form
	Who    Member // the signed-in member, on team pages
	Shell  *shell // frame of a team page
	// failed shows an error on a page of its own; nil means the common error page.
	failed func(r *Request, err error) error
	// lastPage is where to go instead of a page after the last of a list; "" means nowhere.
	lastPage string
}

// serve adapts a Handler to fiber.
func (d *Site) serve(name string, rule httpkit.Rule, h Handler) fiber.Handler {
	return func(c *fiber.Ctx) (err error) {
		c.Locals(httpkit.RouteKey, name)
		r := &Request{Ctx: c, site: d, rule: rule, nonce: newNonce()}
		if r.Words = d.Words.Tagged(c.Cookies(languageCookie)); r.Words != nil {
			r.chosen = true
		} else {
			r.Words = d.Words.Match(c.Get(fiber.HeaderAcceptLanguage))
		}
		r.secure()
		defer func() {
			if p := recover(); p != nil {
				d.Log.Error("panic", "request_id", r.RequestID(), "panic", p, "stack", string(debug.Stack()))
				err = r.fail(fiber.ErrInternalServerError)
			}
		}()
		if err := h(r); err != nil {
			return r.fail(err)
		}
		return nil
	}
}

// inTurn runs h when it is the caller's turn, see [httpkit.Kit.Turn].
func (r *Request) inTurn(h func() error) error {
	leave, err := r.site.Kit.Turn(r.Ctx, r.rule, r.Who.Call)
	if err != nil {
		return err
	}
	defer leave()
	return h()
}

// RequestID returns the ID of the request, as in the log.
func (r *Request) RequestID() string { return httpkit.RequestID(r.Ctx) }

// Say returns a text from the catalogue in the request's language.
func (r *Request) Say(key string, pairs ...any) string { return r.Words.Say(key, pairs...) }

// MessageKind returns the name of a kind of message, or the kind itself if it has none: another
// version may have stored it.
func MessageKind(r *Request, kind string) string { return r.Words.SayOr("texts.kind."+kind, kind) }

// UseLocale sets the language of the response, unless the reader chose one: the first known
// of some locales.
func (r *Request) UseLocale(locales ...string) {
	for _, locale := range locales {
		if w := r.site.Words.Exact(locale); w != nil && !r.chosen {
			r.Words = w
			return
		}
	}
}

// DefaultLocale is UseLocale for readers whose browser asks for no language that is known.
func (r *Request) DefaultLocale(locale string) {
	if r.site.Words.Asked(r.Get(fiber.HeaderAcceptLanguage)) == nil {
		r.UseLocale(locale)
	}
}

// WordsIn returns the words of a language, such as that of a document.
func WordsIn(r *Request, locale string) *words.Language { return r.site.Words.Match(locale) }

// SeeOther redirects to a path on this site, after a form or from an outdated path.
func (r *Request) SeeOther(to string) error { return r.redirect(to, http.StatusSeeOther) }

// redirect sends the browser to an address, or to a path on this site.
func (r *Request) redirect(to string, status int) error {
	if strings.HasPrefix(to, "/") {
		to = r.Address(to)
	}
	return r.Redirect(to, status)
}

// Address adds the site's prefix to a path, for scripts, cookies and headers. In
// HTML, Render adds it.
func (r *Request) Address(path string) string { return r.site.Kit.Outside(path) }

// Download sends a file.
func (r *Request) Download(d *signing.Download) error { return (*httpkit.Download)(d).Send(r.Ctx) }

// Scripted reports whether the request comes from one of our scripts, which expect
// data rather than a page.
func (r *Request) Scripted() bool { return r.Get("X-Requested-With") == "fetch" }

// ClientIP returns the reader's address.
func (r *Request) ClientIP() string { return r.site.Kit.Address(r.Ctx) }

// Agent returns the reader's user agent.
func (r *Request) Agent() string { return httpkit.Agent(r.Ctx) }

// Call returns a call by an actor over this connection.
func (r *Request) Call(who account.Actor) account.Call {
	return who.Call(account.From{IP: r.ClientIP(), UserAgent: r.Agent()})
}

// BaseURL returns the appliance's address as the reader sees it.
func (r *Request) BaseURL() string { return r.site.Kit.Site(r.Ctx) }

// MailURL returns the appliance's address for links in mails.
func (r *Request) MailURL() string { return r.site.Kit.MailSite(r.Ctx) }

// encrypted reports whether the reader's connection uses TLS.
func (r *Request) encrypted() bool { return strings.HasPrefix(r.BaseURL(), "https://") }

// ours reports whether an Origin header names this appliance.
func (r *Request) ours(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	if strings.EqualFold(u.Host, string(r.Context().Host())) {
		return true
	}
	site, err := url.Parse(r.BaseURL())
	return err == nil && strings.EqualFold(u.Host, site.Host)
}
