package page

import (
	"net/http"

	"paraph/app/account"
	"paraph/app/httpkit"
)

// Access is a handler together with whom it is for and how much they may send. A
// form is read only after its caller was let in.
type Access struct {
	Rule httpkit.Rule
	// run lets the caller in, has the form read, and answers.
	run func(r *Request, read Handler) error
}

// Sizes of forms, without the files that are streamed.
const (
	ordinary = 256 * httpkit.KB
	// Large is for forms that carry pictures, or all fields or people of a document.
	Large = 8 * httpkit.MB
)

// With is the same with another size of form.
func (a Access) With(body int64) Access {
	a.Rule.Body = body
	return a
}

// Uploading is the same with files, of so many bytes together.
func (a Access) Uploading(files int64) Access {
	a.Rule.Files = files
	return a
}

// Everybody lets in strangers too.
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

// Waiting is the same for a handler that waits by itself, see [httpkit.Rule].
func (a Access) Waiting() Access {
	a.Rule = a.Rule.Waiting()
	return a
}

// Invited is for pages behind a link: admit finds out whose it is, and calls next
// for those who may go on.
func Invited(admit func(r *Request, next Handler) error) Access {
	return Access{httpkit.Rule{For: httpkit.Invited, Body: 4 * httpkit.Small}, admit}
}

// Members lets in those who are signed in. When the handler runs, Request.Who is
// the reader.
func Members(h Handler) Access {
	return signedIn(httpkit.Rule{For: httpkit.Members, Body: httpkit.Small}, "", h)
}

// Allowed lets in members whose role allows what the scope names.
func Allowed(scope account.Scope, h Handler) Access { return restricted("", scope, h) }

// Administrators lets in those who run the company, and tells others with the
// text of a key whom to ask.
func Administrators(key string, h Handler) Access { return restricted(key, account.ScopeAdmin, h) }

// Writers lets in those who may change what the company has, and tells others
// with the text of a key whom to ask.
func Writers(key string, h Handler) Access { return restricted(key, account.ScopeWrite, h) }

func restricted(key string, scope account.Scope, h Handler) Access {
	return signedIn(httpkit.Rule{For: httpkit.Members, Scope: scope, Body: ordinary}, key, h)
}

// signedIn lets in members whom a rule admits. Others are told with the text of a
// key whom to ask, if there is one.
func signedIn(rule httpkit.Rule, key string, h Handler) Access {
	return Access{rule, func(r *Request, read Handler) error {
		return r.admit(func(r *Request) error {
			err := rule.Admit(r.Who.Actor)
			switch {
			case err != nil && (key == "" || r.Scripted()):
				return err
			case err != nil:
				return r.Forbid(r.Say(key))
			}
			if err := read(r); err != nil {
				return err
			}
			return h(r)
		})
	}}
}
