package signer

import (
	"cmp"
	"fmt"
	"html/template"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// Visitor is a person who followed the link of an invitation.
type Visitor struct {
	*page.Request
	*signing.Visit
	who   account.Call
	token string
	base  string // path of their pages
	host  string // name of the member whose device they sign on, "" for their own device
	mails bool   // messages go out by e-mail
}

// proofCookie holds the proof that a code was entered, for the pages of one link.
const proofCookie = "paraph_proof"

// Invited identifies the visitor by their link before the handler runs. All invalid
// links get the same page.
func (h *Handlers) Invited(show func(*Visitor) error) page.Access {
	return page.Invited(func(r *page.Request, read page.Handler) error {
		r.Set("X-Robots-Tag", "noindex, nofollow")
		token := r.Params("token")
		next := func(v *Visitor) error {
			if err := read(r); err != nil {
				return err
			}
			return show(v)
		}
		if token == inPerson {
			return h.onDevice(r, next)
		}
		return h.byLink(r, token, next)
	})
}

// byLink runs a handler for the holder of a link.
func (h *Handlers) byLink(r *page.Request, token string, next func(*Visitor) error) error {
	who, err := h.Sending.Signatory(token)
	if fault.KindOf(err) == fault.KindUnauthenticated {
		return h.deadLink(r, token)
	}
	if err != nil {
		return err
	}
	v := &Visitor{Request: r, token: token, base: "/s/" + token}
	err = h.load(v, who)
	if fault.KindOf(err) == fault.KindNotFound {
		return h.deadLink(r, token)
	}
	if err != nil {
		return err
	}
	return next(v)
}

// load loads the visitor's view and switches to their language.
func (h *Handlers) load(v *Visitor, who account.Actor) (err error) {
	v.who, v.mails = v.Call(h.proven(v.Request, who)), h.Mails()
	if v.Visit, err = h.Signing.Open(v.who); err == nil {
		v.useLanguage()
	}
	return err
}

// useLanguage switches to the recipient's language: that of the invitation, or of the document
// if their browser asks for none that is known. A document has the company's, unless it has one of its own.
func (v *Visitor) useLanguage() {
	v.DefaultLocale(cmp.Or(v.Document.Locale, v.Company.Locale))
	v.UseLocale(v.Invitation.Locale)
}

// proven returns the actor with the proof from the browser's cookie, if it is
// valid.
func (h *Handlers) proven(r *page.Request, who account.Actor) account.Actor {
	kept := r.Cookies(proofCookie)
	if kept == "" {
		return who
	}
	proof, err := h.Accounts.Authentication.Authenticate(kept)
	if err != nil || !proof.IsSignatoryOf(who.Document, who.Invitation) {
		return who
	}
	proof.Host, proof.HostDoubt = who.Host, who.HostDoubt
	return proof
}

// visitPage is the data common to all pages of a link.
type visitPage struct {
	*signing.Visit
	Base   string
	Logo   string
	Sender string // name of the sender
	Done   int
	Total  int
	Hosted string     // name of the member whose device they sign on
	Mails  bool       // messages go out by e-mail
	Until  *time.Time // deadline, as long as they can still act
}

func visitPageOf(v *Visitor) visitPage {
	progress := v.Document.Progress()
	return visitPage{
		Visit:  v.Visit,
		Base:   v.base,
		Logo:   v.Company.OwnLogo(),
		Sender: cmp.Or(v.Document.Owner.Name, v.Document.Owner.Email),
		Done:   progress.Signed,
		Total:  progress.Total,
		Hosted: v.host,
		Mails:  v.mails,
		Until:  until(v),
	}
}

// until returns the deadline while the person can still act before it, else nil.
func until(v *Visitor) *time.Time {
	switch v.Stage {
	case record.StageIdentify, record.StageConsent, record.StageSign, record.StageWaiting:
		return v.Document.ExpiresAt
	}
	return nil
}

// frame returns a visitor's page without its data.
func frame(v *Visitor, title string) page.Page {
	return page.Page{Title: title, Zone: v.Company.Zone(), Styles: accent(v.Company.BrandColor)}
}

// plainPage returns a visitor's page with only the common data.
func plainPage(v *Visitor, title string) page.View[visitPage] {
	return page.With(frame(v, title), visitPageOf(v))
}

// accent replaces our accent color with the company's, if that is readable on white
// (WCAG 2, 1.4.3). The dark theme keeps ours.
func accent(color string) template.CSS {
	if !account.Readable(color) {
		return ""
	}
	return template.CSS(fmt.Sprintf("@media (prefers-color-scheme:light){"+
		":root{--accent:%[1]s;--accent-hover:color-mix(in srgb,%[1]s 80%%,#000)}}", color))
}
