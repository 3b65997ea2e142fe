package web

import (
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/door"
)

// request is one call of a page, with the language it is answered in.
type request struct {
	*fiber.Ctx
	door  *Door
	words *words
	// chosen says that the reader chose the language, and no header of the browser.
	chosen bool
	nonce  string
	form   form
	who    member // who signed in, on the pages of the team
	shell  *shell // what stands around a page of the team
	// failed shows an error where a part of the site has its own way; nil is the
	// common page.
	failed func(r *request, err error) error
}

// serve makes a handler of the server of one of ours.
func (d *Door) serve(name string, h handler) fiber.Handler {
	return func(c *fiber.Ctx) (err error) {
		c.Locals(door.RouteKey, name)
		r := &request{Ctx: c, door: d, nonce: newNonce()}
		if r.words = d.books.tagged(c.Cookies(languageCookie)); r.words != nil {
			r.chosen = true
		} else {
			r.words = d.books.match(c.Get(fiber.HeaderAcceptLanguage))
		}
		r.secure()
		defer func() {
			if p := recover(); p != nil {
				d.Log.Error("panic", "request_id", r.id(), "panic", p, "stack", string(debug.Stack()))
				err = r.fail(fiber.ErrInternalServerError)
			}
		}()
		if err := h(r); err != nil {
			return r.fail(err)
		}
		return nil
	}
}

func (r *request) id() string { return door.RequestID(r.Ctx) }

// say is a text of the catalogue, in the request's language.
func (r *request) say(key string, pairs ...any) string { return r.words.must(key, pairs...) }

// speak sets the language of the answer; "" or a language that there is not
// leaves the reader's, and so does the reader's own choice.
func (r *request) speak(locale string) {
	if w := r.door.books.exact(locale); w != nil && !r.chosen {
		r.words = w
	}
}

// redirect sends the reader to a page of ours, after a form or from an old path.
func (r *request) redirect(to string) error { return r.Redirect(to, http.StatusSeeOther) }

// scripted says whether a script of ours asks, which wants no page.
func (r *request) scripted() bool { return r.Get("X-Requested-With") == "fetch" }

// address is where the reader is.
func (r *request) address() string { return r.door.proxies.Address(r.Ctx) }

// agent is the reader's program.
func (r *request) agent() string { return door.Agent(r.Ctx) }

// from gives an actor what the door knows of the connection.
func (r *request) from(who account.Actor) account.Actor {
	return who.From(r.address(), r.agent(), r.id())
}

// site is the address of the appliance as the reader sees it.
func (r *request) site() string { return r.door.proxies.Site(r.Ctx, r.door.BaseURL) }

// encrypted says whether the reader's connection is.
func (r *request) encrypted() bool { return strings.HasPrefix(r.site(), "https://") }

// ours says whether an Origin header names this appliance.
func (r *request) ours(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	if strings.EqualFold(u.Host, string(r.Context().Host())) {
		return true
	}
	site, err := url.Parse(r.site())
	return err == nil && strings.EqualFold(u.Host, site.Host)
}
