package web

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
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

// routeKey is where the log looks for the name of a route: a path may hold a
// token, the name does not.
const routeKey = "route"

// requestIDKey is where the identifier of a request is kept for all doors.
const requestIDKey = "request_id"

// serve makes a handler of the server of one of ours.
func (d *Door) serve(name string, h handler) fiber.Handler {
	return func(c *fiber.Ctx) (err error) {
		c.Locals(routeKey, name)
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

func (r *request) id() string {
	id, _ := r.Locals(requestIDKey).(string)
	return id
}

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

func parseProxies(all []string) ([]netip.Prefix, error) {
	out := make([]netip.Prefix, 0, len(all))
	for _, s := range all {
		if a, err := netip.ParseAddr(s); err == nil {
			out = append(out, netip.PrefixFrom(a, a.BitLen()))
			continue
		}
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return nil, fmt.Errorf("server.trusted_proxies: %q is neither an address nor a prefix", s)
		}
		out = append(out, p)
	}
	return out, nil
}

func (d *Door) trusted(a netip.Addr) bool {
	for _, p := range d.proxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

func (r *request) peer() netip.Addr {
	a, ok := netip.AddrFromSlice(r.Context().RemoteIP())
	if !ok {
		return netip.Addr{}
	}
	return a.Unmap()
}

// address is where the reader is. Forwarded headers count only when a trusted
// proxy sent them, and only the last hop that is not one of ours.
func (r *request) address() string {
	at := r.peer()
	if !r.door.trusted(at) {
		return at.String()
	}
	hops := strings.Split(r.Get(fiber.HeaderXForwardedFor), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		a, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		if at = a.Unmap(); !r.door.trusted(at) {
			break
		}
	}
	return at.String()
}

// agent is the reader's program, cut to what evidence needs.
func (r *request) agent() string {
	s := r.Get(fiber.HeaderUserAgent)
	return strings.ToValidUTF8(s[:min(len(s), 400)], "")
}

// from gives an actor what the door knows of the connection.
func (r *request) from(who account.Actor) account.Actor {
	return who.From(r.address(), r.agent(), r.id())
}

// site is the address of the appliance as the reader sees it.
func (r *request) site() string {
	if r.door.BaseURL != "" {
		return strings.TrimSuffix(r.door.BaseURL, "/")
	}
	scheme, host := "http", string(r.Context().Host())
	if r.Context().IsTLS() {
		scheme = "https"
	}
	if r.door.trusted(r.peer()) {
		if v := r.Get(fiber.HeaderXForwardedProto); v == "http" || v == "https" {
			scheme = v
		}
		if v := r.Get(fiber.HeaderXForwardedHost); v != "" {
			host = strings.TrimSpace(strings.Split(v, ",")[0])
		}
	}
	return scheme + "://" + host
}

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
