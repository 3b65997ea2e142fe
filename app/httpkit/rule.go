package httpkit

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/fault"
)

// Audience is the kind of caller that a route is for.
type Audience uint8

// Audiences of routes. The zero value admits nobody, so that a route without a rule is
// noticed at once.
const (
	Nobody    Audience = iota
	Everyone           // including unauthenticated callers
	Invited            // only holders of an invitation's link
	Members            // people and programs of a company
	Parties            // members, and signatories for their own document
	Operators          // administrators of the installation; for others the route doesn't exist
)

// Sizes of bodies.
const (
	KB = 1 << 10
	MB = 1 << 20

	// Small is for a small form filled in by hand, or for the equivalent JSON.
	Small = 16 * KB
)

// Rule specifies who may call a route and how much they may send. With zero sizes any
// body is refused.
type Rule struct {
	For   Audience
	Scope account.Scope // scope that a member must have, "" for none

	Body  int64 // bytes of JSON, of a form, or of a form's parts other than files
	Files int64 // bytes of all files together, which are streamed; 0 refuses files
	Count int   // maximum number of files

	// Queued means that the handler does its own queueing, or waits for other people's
	// actions, so its callers don't wait in [Kit.Turn] as well.
	Queued bool

	// Slow means that calls take long, for example because they hash a password. Their
	// callers have a queue of their own in [Kit.Turn], so that pages don't wait for them.
	Slow bool

	// Stops means that a call stops when its client disconnects, because it changes
	// something only as its last step. Calls that only read, and slow ones, always stop.
	Stops bool

	// Signatories means that the listener for signatories serves the route too.
	Signatories bool
}

// Hashing returns the rule of a handler that hashes passwords.
func (r Rule) Hashing() Rule {
	r.Slow = true
	return r
}

// Waiting returns the rule of a handler that does its own queueing.
func (r Rule) Waiting() Rule {
	r.Queued = true
	return r
}

// Interruptible returns the rule of a handler that may stop when its client disconnects.
func (r Rule) Interruptible() Rule {
	r.Stops = true
	return r
}

// interruptible reports whether calls of a route stop when their client disconnects.
func (r Rule) interruptible(method string) bool {
	return r.Stops || r.Slow || method == fiber.MethodGet || method == fiber.MethodHead
}

// shared reports whether the callers of a route share the capacity for unauthenticated ones.
func (r Rule) shared(method string) bool {
	read := method == fiber.MethodGet || method == fiber.MethodHead
	return !r.Queued && r.Files == 0 && (r.For == Everyone || r.For == Invited && read)
}

// With returns the rule with another body size.
func (r Rule) With(body int64) Rule {
	r.Body = body
	return r
}

// Uploading returns the rule with one file up to a size.
func (r Rule) Uploading(file int64) Rule { return r.UploadingMany(1, file) }

// UploadingMany returns the rule with a number of files up to a total size.
func (r Rule) UploadingMany(count int, files int64) Rule {
	r.Count, r.Files = count, files
	return r
}

// Size returns the maximum size of a body, including the framing of its parts.
func (r Rule) Size() int64 {
	if r.Files == 0 {
		return r.Body
	}
	return r.Body + r.Files + framing
}

// Admit returns an error unless the rule admits the caller.
func (r Rule) Admit(who account.Call) error {
	switch {
	case r.For == Everyone:
		return nil
	case r.For == Operators && who.RunsInstallation():
		return nil
	case r.For == Operators:
		return fault.NotFound("page")
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

// Add adds a route to the router and to the table.
func (k *Kit) Add(app *fiber.App, method, path string, rule Rule, h fiber.Handler) {
	if rule.For == Nobody {
		panic("httpkit: the route " + method + " " + path + " has no audience")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.routes = append(k.routes, Route{method, path, rule})
	h = hideFromSignatories(rule, interruptible(method, rule, h))
	app.Add(method, path, h)
	if method == fiber.MethodGet {
		app.Add(fiber.MethodHead, path, h)
	}
}

// hideFromSignatories hides a route from the listener for signatories, unless its rule allows it.
func hideFromSignatories(rule Rule, h fiber.Handler) fiber.Handler {
	if rule.Signatories {
		return h
	}
	return func(c *fiber.Ctx) error {
		if OnlySignatories(c) {
			return c.Next()
		}
		return h(c)
	}
}

// Routes returns the table of all routes.
func (k *Kit) Routes() []Route {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.routes)
}
