package signer

import (
	"fmt"
	"html/template"
	"net/http"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/web/page"
)

// Visitor is a person who came through the link of an invitation.
type Visitor struct {
	*page.Request
	*signing.Visit
	who   account.Actor
	token string
	base  string // path of their pages
	host  string // name of the member on whose device they sign, "" for their own
}

// proofCookie keeps the proof that a code was given, for the pages of one link.
const proofCookie = "paraph_proof"

// Invited finds whose link it is, before the handler runs. A link that opens
// nothing is answered with the same page whatever is wrong with it.
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

// byLink runs a handler for whose link it is.
func (h *Handlers) byLink(r *page.Request, token string, next func(*Visitor) error) error {
	who, err := h.Signing.Signatory(r.UserContext(), token)
	if fault.KindOf(err) == fault.KindUnauthenticated {
		return deadLink(r, token)
	}
	if err != nil {
		return err
	}
	v := &Visitor{Request: r, token: token, base: "/s/" + token}
	err = h.meet(v, who)
	if fault.KindOf(err) == fault.KindNotFound {
		return deadLink(r, token)
	}
	if err != nil {
		return err
	}
	return next(v)
}

// meet finds out what a visitor may see, and speaks their language.
func (h *Handlers) meet(v *Visitor, who account.Actor) (err error) {
	v.who = v.From(h.proven(v.Request, who))
	if v.Visit, err = h.Signing.Visit(v.UserContext(), v.who); err == nil {
		v.Speak(v.Invitation.Locale)
	}
	return err
}

// proven is the same person with the proof that their browser keeps, if it does.
func (h *Handlers) proven(r *page.Request, who account.Actor) account.Actor {
	kept := r.Cookies(proofCookie)
	if kept == "" {
		return who
	}
	proof, err := h.Accounts.Authenticate(r.UserContext(), kept)
	if err != nil || !proof.IsSignatoryOf(who.Document, who.Invitation) {
		return who
	}
	proof.Host = who.Host
	return proof
}

func deadLink(r *page.Request, token string) error {
	return r.Render(http.StatusNotFound, "link", page.Page{Title: r.Say("link.title"), Data: struct{ Base string }{"/s/" + token}})
}

// visitPage is what all pages of a link have in common.
type visitPage struct {
	*signing.Visit
	Base   string
	Logo   string
	Sender string // name of who asks
	Done   int
	Total  int
	Hosted string // name of the member on whose device they sign
}

// outcomePage is the page of a link where there is nothing to do, or not yet.
type outcomePage struct {
	visitPage
	Files  []finished
	SHA256 string
	Onward string // where people are led after signing
	Host   string // of Onward
	Leaves int    // seconds after which a script goes there, 0 never
}

// finished is a file that can be downloaded.
type finished struct{ Name, Href, Kind string }

func visitPageOf(v *Visitor) visitPage {
	p := visitPage{Visit: v.Visit, Base: v.base, Logo: v.Company.OwnLogo(), Sender: v.Document.Owner.Name, Hosted: v.host}
	if p.Sender == "" {
		p.Sender = v.Document.Owner.Email
	}
	progress := v.Document.ProgressOf()
	p.Done, p.Total = progress.Signed, progress.Total
	return p
}

// frame is a page of a link without its data.
func frame(v *Visitor, title string) page.Page {
	return page.Page{Title: title, Zone: zoneOf(v.Company), Styles: accent(v.Company.BrandColor)}
}

// plainPage is a page of a link that shows only what all of them have in common.
func plainPage(v *Visitor, title string) page.Page {
	p := frame(v, title)
	p.Data = visitPageOf(v)
	return p
}

func zoneOf(c account.Company) *time.Location {
	if zone, err := time.LoadLocation(c.Timezone); err == nil {
		return zone
	}
	return time.UTC
}

// accent puts a company's colour in the place of ours where it can be read on
// white (WCAG 2, 1.4.3). On dark ground ours stays.
func accent(color string) template.CSS {
	if !account.Readable(color) {
		return ""
	}
	return template.CSS(fmt.Sprintf("@media (prefers-color-scheme:light){:root{--accent:%[1]s;--accent-hover:color-mix(in srgb,%[1]s 80%%,#000)}}", color))
}

// ShowVisit is the page that a link opens. It changes nothing: whoever fetches
// links to look for harm in them does no harm by it.
func (h *Handlers) ShowVisit(v *Visitor) error {
	switch v.Stage {
	case signing.StageSign:
		return h.showSign(v, http.StatusOK, page.Form{}, nil)
	case signing.StageIdentify:
		return showGate(v, http.StatusOK, page.Page{})
	case signing.StageConsent:
		return showConsentGate(v)
	}
	p := frame(v, v.Say("visit."+string(v.Stage)+".title", "title", v.Document.Title))
	if v.Stage == signing.StageSealing {
		p.Refresh = 5
	}
	data := outcomePage{visitPage: visitPageOf(v)}
	if v.Stage == signing.StageCompleted {
		data.Files, data.SHA256 = finishedOf(v)
	}
	if v.Stage == signing.StageCompleted || v.Stage == signing.StageSigned {
		data.leadOn(v.Document.RedirectURL, v.Query("just") == "signed")
		if data.Leaves > 0 {
			p.Scripts = []string{"leave.js"}
		}
	}
	p.Data = data
	return v.Render(http.StatusOK, "visit", p)
}

// finishedOf lists what a person can take home, and the hash of the one file if
// there is one.
func finishedOf(v *Visitor) (files []finished, hash string) {
	if len(v.Document.Files) == 1 {
		files = append(files, finished{v.Say("visit.completed.pdf"), v.base + "/files/document", "primary"})
		hash = v.Document.Files[0].Current()
	}
	return append(files, finished{v.Say("visit.completed.certificate"), v.base + "/files/certificate", "secondary"},
		finished{v.Say("visit.completed.zip"), v.base + "/files/all", "secondary"}), hash
}

// Viewed notes that somebody looks at the document: a script says so after the
// first gesture in a visible window.
func (h *Handlers) Viewed(v *Visitor) error {
	if v.Stage == signing.StageSign || v.Stage == signing.StageWaiting {
		if _, err := h.Signing.MarkViewed(v.UserContext(), v.who, v.who.Document, v.who.Invitation); err != nil {
			return err
		}
	}
	return v.SendStatus(http.StatusNoContent)
}

// mustSign sends somebody for whom there is nothing to do to the page that says
// why.
func mustSign(v *Visitor) (gone bool, err error) {
	if v.Stage == signing.StageSign || v.Stage == signing.StageConsent {
		return false, nil
	}
	return true, v.SeeOther(v.base)
}

// ask shows one of the small forms of a link.
func ask(v *Visitor, name string) error {
	if gone, err := mustSign(v); gone {
		return err
	}
	return v.Render(http.StatusOK, name, plainPage(v, v.Say(name+".title", "title", v.Document.Title)))
}

// asked is a small form that was sent and may have to be shown again.
func asked(v *Visitor, name string, err error) error {
	if fault.KindOf(err) == fault.KindConflict {
		return v.SeeOther(v.base)
	}
	return v.Again(err, name, plainPage(v, v.Say(name+".title", "title", v.Document.Title)))
}

// NotMe tells the sender that the wrong person was invited.
func (h *Handlers) NotMe(v *Visitor) error {
	note := v.Form.Value("note")
	if _, err := h.Signing.NotMe(v.UserContext(), v.who, v.who.Document, v.who.Invitation, &note); err != nil {
		return asked(v, "not-me", err)
	}
	return farewell(v, "not-me.done")
}

// Clear forgets what was filled in.
func (h *Handlers) Clear(v *Visitor) error {
	if err := h.Signing.ClearAnswers(v.UserContext(), v.who, v.who.Document, v.who.Invitation); err != nil {
		return asked(v, "clear", err)
	}
	v.Flash("ok", "clear.done")
	return v.SeeOther(v.base)
}

// farewell is the last page of a link: from here on it opens nothing.
func farewell(v *Visitor, key string, pairs ...any) error {
	p := page.Page{Title: v.Say(key + ".title"), Lead: v.Say(key+".text", pairs...), Data: visitPageOf(v), Styles: accent(v.Company.BrandColor)}
	return v.Render(http.StatusOK, "farewell", p)
}

// AskForLink tells the sender that somebody wants to sign what has expired.
func (h *Handlers) AskForLink(v *Visitor) error {
	err := h.Signing.AskForLink(v.UserContext(), v.who, v.who.Document, v.who.Invitation)
	if err != nil && fault.KindOf(err) != fault.KindConflict {
		return err
	}
	v.Flash("ok", "visit.expired.asked")
	return v.SeeOther(v.base)
}

// SendLink mails a link again; the answer is the same whatever came of it.
func (h *Handlers) SendLink(r *page.Request) error {
	token := r.Params("token")
	if err := h.Signing.SendLink(r.UserContext(), token, r.Form.Value("email"), r.From(account.Actor{})); err != nil {
		return err
	}
	return r.Render(http.StatusOK, "link", page.Page{Title: r.Say("link.title"), Data: struct{ Base string }{"/s/" + token}, Notice: r.Notice("ok", "link.sent")})
}

// AskNotMe asks whether the wrong person was invited.
func AskNotMe(v *Visitor) error { return ask(v, "not-me") }

// AskClear asks whether what was filled in is to be forgotten.
func AskClear(v *Visitor) error { return ask(v, "clear") }
