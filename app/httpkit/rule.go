package httpkit

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/fault"
)

// Audience is the kind of caller that a route is for.
type Audience uint8

// Who may call a route. The zero value lets nobody in, so that a route without a
// rule is noticed at once.
const (
	Nobody   Audience = iota
	Everyone          // strangers too
	Invited           // whoever has the link of an invitation, and nobody else
	Members           // people and programs of a company
	Parties           // members, and signatories for what is theirs
)

// Sizes of bodies.
const (
	KB = 1 << 10
	MB = 1 << 20

	// Small is for what a person types into a small form, and for the JSON that
	// says the same.
	Small = 16 * KB
)

// Rule says who may call a route and how much they may send. The zero sizes allow
// no body at all: what comes is refused.
type Rule struct {
	For   Audience
	Scope account.Scope // what a member must be allowed to do; "" is anything

	Body  int64 // bytes of JSON, of a form, or of the parts of one that are no files
	Files int64 // bytes of all files together, which are streamed; 0 takes none

	// Queued says that the handler waits for a turn of its own, or for others: who
	// calls it waits for no other, see [Kit.Turn].
	Queued bool
}

// Waiting is the rule of a handler that waits by itself.
func (r Rule) Waiting() Rule {
	r.Queued = true
	return r
}

// shared says whether the callers of a route share what is left to strangers.
func (r Rule) shared(method string) bool {
	read := method == fiber.MethodGet || method == fiber.MethodHead
	return !r.Queued && r.Files == 0 && (r.For == Everyone || r.For == Invited && read)
}

// With is the rule with another size of body.
func (r Rule) With(body int64) Rule {
	r.Body = body
	return r
}

// Uploading is the rule with files.
func (r Rule) Uploading(files int64) Rule {
	r.Files = files
	return r
}

// Size is the most that a body may have, the frame of its parts included.
func (r Rule) Size() int64 {
	if r.Files == 0 {
		return r.Body
	}
	return r.Body + r.Files + framing
}

// Admit is nil if the rule lets the caller in, else the refusal.
func (r Rule) Admit(who account.Actor) error {
	switch {
	case r.For == Everyone:
		return nil
	case who.IsSignatory():
		if r.For == Members {
			return fault.Forbidden("signatory_not_allowed")
		}
		return nil
	case r.For == Invited || r.For == Nobody:
		return fault.Unauthenticated()
	case r.Scope == "":
		return nil
	}
	return who.Require(r.Scope)
}

// Route is one entry of the table of routes.
type Route struct {
	Method, Path string
	Rule         Rule
}

// Add puts a route on the router and into the table.
func (k *Kit) Add(app *fiber.App, method, path string, rule Rule, h fiber.Handler) {
	if rule.For == Nobody {
		panic("httpkit: the route " + method + " " + path + " does not say whom it is for")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.routes = append(k.routes, Route{method, path, rule})
	app.Add(method, path, h)
	if method == fiber.MethodGet {
		app.Add(fiber.MethodHead, path, h)
	}
}

// Routes is the table of all routes.
func (k *Kit) Routes() []Route {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.routes)
}
