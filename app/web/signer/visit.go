package signer

import (
	"fmt"
	"html/template"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/signing"
	"paraph/app/web/page"
)

// visitor is a person who came through the link of an invitation.
type visitor struct {
	*signing.Visit
	who   account.Actor
	token string
	base  string // path of their pages
	host  string // name of the member on whose device they sign, "" for their own
}

// VisitRoutes are the pages behind the links of invitations.
func (h *Handlers) VisitRoutes(app *fiber.App) {
	const base = "/s/:token"
	h.inPersonRoutes(app)
	h.padRoutes(app)
	h.Site.Get(app, base, h.invited(h.showVisit))
	h.Site.Post(app, base, h.invited(h.answer))
	h.Site.Post(app, base+"/viewed", h.invited(h.viewed))
	h.Site.Get(app, base+"/decline", h.invited(askDecline))
	h.Site.Post(app, base+"/decline", h.invited(h.decline))
	h.Site.Get(app, base+"/delegate", h.invited(askDelegate))
	h.Site.Post(app, base+"/delegate", h.invited(h.delegate))
	h.Site.Get(app, base+"/not-me", h.invited(func(r *page.Request, v *visitor) error { return ask(r, v, "not-me") }))
	h.Site.Post(app, base+"/not-me", h.invited(h.notMe))
	h.Site.Get(app, base+"/clear", h.invited(func(r *page.Request, v *visitor) error { return ask(r, v, "clear") }))
	h.Site.Post(app, base+"/clear", h.invited(h.clear))
	h.consentRoutes(app)
	h.Site.Post(app, base+"/code", h.invited(h.requestCode))
	h.Site.Post(app, base+"/identify", h.invited(h.identify))
	h.Site.Post(app, base+"/ask", h.invited(h.askForLink))
	h.Site.Post(app, base+"/again", h.sendLink)
	h.Site.Get(app, base+"/text", h.invited(h.showText))
	h.Site.Get(app, base+"/disclosure", h.invited(showDisclosure))
	h.Site.Get(app, base+"/typed.svg", h.invited(h.typed))
	h.Site.Get(app, base+"/pages/:file/:page.png", h.invited(h.picture))
	h.Site.Get(app, base+"/files/:what", h.invited(h.download))
}

// proofCookie keeps the proof that a code was given, for the pages of one link.
const proofCookie = "paraph_proof"

// invited finds whose link it is, before the handler runs. A link that opens
// nothing is answered with the same page whatever is wrong with it.
func (h *Handlers) invited(show func(*page.Request, *visitor) error) page.Handler {
	return func(r *page.Request) error {
		r.Set("X-Robots-Tag", "noindex, nofollow")
		token := r.Params("token")
		if token == inPerson {
			return h.onDevice(r, show)
		}
		who, err := h.Signing.Signatory(r.UserContext(), token)
		if account.KindOf(err) == account.KindUnauthenticated {
			return deadLink(r, token)
		}
		if err != nil {
			return err
		}
		v := &visitor{token: token, base: "/s/" + token}
		err = h.meet(r, v, who)
		if account.KindOf(err) == account.KindNotFound {
			return deadLink(r, token)
		}
		if err != nil {
			return err
		}
		return show(r, v)
	}
}

// meet finds out what a visitor may see, and speaks their language.
func (h *Handlers) meet(r *page.Request, v *visitor, who account.Actor) (err error) {
	v.who = r.From(h.proven(r, who))
	if v.Visit, err = h.Signing.Visit(r.UserContext(), v.who); err == nil {
		r.Speak(v.Invitation.Locale)
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
	Hosted string    // name of the member on whose device they sign
	Sign   *signPage // only where there is something to sign
	Files  []finished
	SHA256 string
	Masked string       // address that a code goes to
	Sent   bool         // a code is on its way
	Other  *otherReader // who is signed in, if it is somebody else
	Onward string       // where people are led after signing
	Host   string       // of Onward
	Leaves int          // seconds after which a script goes there, 0 never
}

// finished is a file that can be downloaded.
type finished struct{ Name, Href, Kind string }

func visitPageOf(r *page.Request, v *visitor) visitPage {
	p := visitPage{Visit: v.Visit, Base: v.base, Logo: v.Company.OwnLogo(), Sender: v.Document.Owner.Name, Hosted: v.host}
	if p.Sender == "" {
		p.Sender = v.Document.Owner.Email
	}
	progress := v.Document.ProgressOf()
	p.Done, p.Total = progress.Signed, progress.Total
	return p
}

// frame is a page of a link, to which the handler adds what is its own.
func frame(r *page.Request, v *visitor, title string) page.Page {
	return page.Page{Title: title, Data: visitPageOf(r, v), Zone: zoneOf(v.Company), Styles: accent(v.Company.BrandColor)}
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

// showVisit is the page that a link opens. It changes nothing: whoever fetches
// links to look for harm in them does no harm by it.
func (h *Handlers) showVisit(r *page.Request, v *visitor) error {
	switch v.Stage {
	case signing.StageSign:
		return h.showSign(r, v, http.StatusOK, page.Form{}, nil)
	case signing.StageIdentify:
		return showGate(r, v, http.StatusOK, page.Page{})
	case signing.StageConsent:
		return showConsentGate(r, v)
	}
	p := frame(r, v, r.Say("visit."+string(v.Stage)+".title", "title", v.Document.Title))
	if v.Stage == signing.StageSealing {
		p.Refresh = 5
	}
	data := p.Data.(visitPage)
	if v.Stage == signing.StageCompleted {
		data.Files, data.SHA256 = finishedOf(r, v)
	}
	if v.Stage == signing.StageCompleted || v.Stage == signing.StageSigned {
		data.leadOn(v.Document.RedirectURL, r.Query("just") == "signed")
		if data.Leaves > 0 {
			p.Scripts = []string{"leave.js"}
		}
	}
	p.Data = data
	return r.Render(http.StatusOK, "visit", p)
}

// finishedOf lists what a person can take home, and the hash of the one file if
// there is one.
func finishedOf(r *page.Request, v *visitor) (files []finished, hash string) {
	if len(v.Document.Files) == 1 {
		files = append(files, finished{r.Say("visit.completed.pdf"), v.base + "/files/document", "primary"})
		hash = v.Document.Files[0].Current()
	}
	return append(files, finished{r.Say("visit.completed.certificate"), v.base + "/files/certificate", "secondary"},
		finished{r.Say("visit.completed.zip"), v.base + "/files/all", "secondary"}), hash
}

// viewed notes that somebody looks at the document: a script says so after the
// first gesture in a visible window.
func (h *Handlers) viewed(r *page.Request, v *visitor) error {
	if v.Stage == signing.StageSign || v.Stage == signing.StageWaiting {
		if _, err := h.Signing.MarkViewed(r.UserContext(), v.who, v.who.Document, v.who.Invitation); err != nil {
			return err
		}
	}
	return r.SendStatus(http.StatusNoContent)
}

// mustSign sends somebody for whom there is nothing to do to the page that says
// why.
func mustSign(r *page.Request, v *visitor) (gone bool, err error) {
	if v.Stage == signing.StageSign || v.Stage == signing.StageConsent {
		return false, nil
	}
	return true, r.SeeOther(v.base)
}

// ask shows one of the small forms of a link.
func ask(r *page.Request, v *visitor, name string) error {
	if gone, err := mustSign(r, v); gone {
		return err
	}
	return r.Render(http.StatusOK, name, frame(r, v, r.Say(name+".title", "title", v.Document.Title)))
}

// asked is a small form that was sent and may have to be shown again.
func asked(r *page.Request, v *visitor, name string, err error) error {
	if account.KindOf(err) == account.KindConflict {
		return r.SeeOther(v.base)
	}
	return r.Again(err, name, frame(r, v, r.Say(name+".title", "title", v.Document.Title)))
}

func (h *Handlers) notMe(r *page.Request, v *visitor) error {
	note := r.Form.Value("note")
	if _, err := h.Signing.NotMe(r.UserContext(), v.who, v.who.Document, v.who.Invitation, &note); err != nil {
		return asked(r, v, "not-me", err)
	}
	return farewell(r, v, "not-me.done")
}

// clear forgets what was filled in.
func (h *Handlers) clear(r *page.Request, v *visitor) error {
	if err := h.Signing.ClearAnswers(r.UserContext(), v.who, v.who.Document, v.who.Invitation); err != nil {
		return asked(r, v, "clear", err)
	}
	r.Flash("ok", "clear.done")
	return r.SeeOther(v.base)
}

// farewell is the last page of a link: from here on it opens nothing.
func farewell(r *page.Request, v *visitor, key string, pairs ...any) error {
	p := page.Page{Title: r.Say(key + ".title"), Lead: r.Say(key+".text", pairs...), Data: visitPageOf(r, v), Styles: accent(v.Company.BrandColor)}
	return r.Render(http.StatusOK, "farewell", p)
}

// askForLink tells the sender that somebody wants to sign what has expired.
func (h *Handlers) askForLink(r *page.Request, v *visitor) error {
	err := h.Signing.AskForLink(r.UserContext(), v.who, v.who.Document, v.who.Invitation)
	if err != nil && account.KindOf(err) != account.KindConflict {
		return err
	}
	r.Flash("ok", "visit.expired.asked")
	return r.SeeOther(v.base)
}

// sendLink mails a link again; the answer is the same whatever came of it.
func (h *Handlers) sendLink(r *page.Request) error {
	token := r.Params("token")
	if err := h.Signing.SendLink(r.UserContext(), token, r.Form.Value("email"), r.From(account.Actor{})); err != nil {
		return err
	}
	return r.Render(http.StatusOK, "link", page.Page{Title: r.Say("link.title"), Data: struct{ Base string }{"/s/" + token}, Notice: r.Notice("ok", "link.sent")})
}
