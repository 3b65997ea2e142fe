package page

import (
	"net/http"

	"paraph/app/account"
	"paraph/app/httpkit"
)

// Access is a handler with its access rule and size limits. A form is read only
// after its caller has been admitted.
type Access struct {
	Rule httpkit.Rule
	// run admits the caller, reads the form, and calls the handler.
	run func(r *Request, read Handler) error
}

// Size limits of forms, not counting streamed files.
const (
	ordinary = 256 * httpkit.KB
	// Large is for forms with pictures, or with all fields or recipients of a document.
	Large = 8 * httpkit.MB
)

// With returns the same access with another limit on the size of the form.
func (a Access) With(body int64) Access {
	a.Rule.Body = body
	return a
}

// Uploading returns the same access for one file of up to that many bytes.
func (a Access) Uploading(file int64) Access { return a.UploadingMany(1, file) }

// UploadingMany returns the same access for a number of files of up to that many bytes in total.
func (a Access) UploadingMany(count int, files int64) Access {
	a.Rule = a.Rule.UploadingMany(count, files)
	return a
}

// Everybody admits anonymous callers too.
func Everybody(h Handler) Access {
	return Access{httpkit.Rule{For: httpkit.Everyone, Body: httpkit.Small}, func(r *Request, read Handler) error {
		if err := read(r); err != nil {
			return err
		}
		if r.Method() == http.MethodPost {
			return r.inTurn(func() error { return h(r) })
		}
		return h(r)
	}}
}

// Waiting returns the same access for a handler that queues on its own, see
// [httpkit.Rule].
func (a Access) Waiting() Access {
	a.Rule = a.Rule.Waiting()
	return a
}

// Hashing returns the same access for a handler that hashes passwords.
func (a Access) Hashing() Access {
	a.Rule = a.Rule.Hashing()
	return a
}

// Interruptible returns the same access for a handler that may stop when its client
// disconnects.
func (a Access) Interruptible() Access {
	a.Rule = a.Rule.Interruptible()
	return a
}

// Invited is for pages behind a link: admit identifies its holder, and calls next
// if they have access.
func Invited(admit func(r *Request, next Handler) error) Access {
	return Access{httpkit.Rule{For: httpkit.Invited, Body: 4 * httpkit.Small}, admit}
}

// Members admits signed-in members. When the handler runs, Request.Who is the
// reader.
func Members(h Handler) Access {
	return signedIn(httpkit.Rule{For: httpkit.Members, Body: httpkit.Small}, "", h)
}

// Allowed admits members whose role includes the scope.
func Allowed(scope account.Scope, h Handler) Access { return restricted("", scope, h) }

// Administrators admits administrators of the company. Other members see the text
// under key, which says whom to ask.
func Administrators(key string, h Handler) Access { return restricted(key, account.ScopeAdmin, h) }

// Operators admits administrators of the installation. For everybody else the page
// doesn't exist.
func Operators(h Handler) Access {
	return signedIn(httpkit.Rule{For: httpkit.Operators, Body: ordinary}, "", h)
}

// Writers admits members who may change the company's records. Other members see
// the text under key, which says whom to ask.
func Writers(key string, h Handler) Access { return restricted(key, account.ScopeWrite, h) }

func restricted(key string, scope account.Scope, h Handler) Access {
	return signedIn(httpkit.Rule{For: httpkit.Members, Scope: scope, Body: ordinary}, key, h)
}

// signedIn admits members who satisfy a rule. Other members see the text under key,
// which says whom to ask, or the plain refusal if key is empty.
func signedIn(rule httpkit.Rule, key string, h Handler) Access {
	return Access{rule, func(r *Request, read Handler) error {
		return r.admit(func(r *Request) error {
			err := rule.Admit(r.Who.Call)
			switch {
			case err != nil && (key == "" || r.Scripted()):
				return err
			case err != nil:
				return r.Forbid(r.Say(key))
			}
			defer r.site.Kit.Serve(r.Who.Call, rule)()
			if err := read(r); err != nil {
				return err
			}
			return r.inTurn(func() error { return h(r) })
		})
	}}
}
