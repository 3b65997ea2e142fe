package web

import (
	"fmt"
	"html/template"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/signing"
)

// visitor is a person who came through the link of an invitation.
type visitor struct {
	*signing.Visit
	who   account.Actor
	token string
	base  string // path of their pages
	host  string // name of the member on whose device they sign, "" for their own
}

// visitRoutes are the pages behind the links of invitations.
func (d *Door) visitRoutes(app *fiber.App) {
	const base = "/s/:token"
	d.inPersonRoutes(app)
	d.padRoutes(app)
	d.get(app, base, d.invited((*request).showVisit))
	d.post(app, base, d.invited((*request).answer))
	d.post(app, base+"/viewed", d.invited((*request).viewed))
	d.get(app, base+"/decline", d.invited((*request).askDecline))
	d.post(app, base+"/decline", d.invited((*request).decline))
	d.get(app, base+"/delegate", d.invited((*request).askDelegate))
	d.post(app, base+"/delegate", d.invited((*request).delegate))
	d.get(app, base+"/not-me", d.invited(func(r *request, v *visitor) error { return r.ask(v, "not-me") }))
	d.post(app, base+"/not-me", d.invited((*request).notMe))
	d.get(app, base+"/clear", d.invited(func(r *request, v *visitor) error { return r.ask(v, "clear") }))
	d.post(app, base+"/clear", d.invited((*request).clear))
	d.consentRoutes(app)
	d.post(app, base+"/code", d.invited((*request).requestCode))
	d.post(app, base+"/identify", d.invited((*request).identify))
	d.post(app, base+"/ask", d.invited((*request).askForLink))
	d.post(app, base+"/again", (*request).sendLink)
	d.get(app, base+"/text", d.invited((*request).showText))
	d.get(app, base+"/disclosure", d.invited((*request).showDisclosure))
	d.get(app, base+"/typed.svg", d.invited((*request).typed))
	d.get(app, base+"/pages/:file/:page.png", d.invited((*request).picture))
	d.get(app, base+"/files/:what", d.invited((*request).download))
}

// proofCookie keeps the proof that a code was given, for the pages of one link.
const proofCookie = "paraph_proof"

// invited finds whose link it is, before the handler runs. A link that opens
// nothing is answered with the same page whatever is wrong with it.
func (d *Door) invited(show func(*request, *visitor) error) handler {
	return func(r *request) error {
		r.Set("X-Robots-Tag", "noindex, nofollow")
		token := r.Params("token")
		if token == inPerson {
			return r.onDevice(show)
		}
		who, err := d.Signing.Signatory(r.UserContext(), token)
		if account.KindOf(err) == account.KindUnauthenticated {
			return r.deadLink(token)
		}
		if err != nil {
			return err
		}
		v := &visitor{token: token, base: "/s/" + token}
		err = r.meet(v, who)
		if account.KindOf(err) == account.KindNotFound {
			return r.deadLink(token)
		}
		if err != nil {
			return err
		}
		return show(r, v)
	}
}

// meet finds out what a visitor may see, and speaks their language.
func (r *request) meet(v *visitor, who account.Actor) (err error) {
	v.who = r.from(r.proven(who))
	if v.Visit, err = r.door.Signing.Visit(r.UserContext(), v.who); err == nil {
		r.speak(v.Invitation.Locale)
	}
	return err
}

// proven is the same person with the proof that their browser keeps, if it does.
func (r *request) proven(who account.Actor) account.Actor {
	kept := r.Cookies(proofCookie)
	if kept == "" {
		return who
	}
	proof, err := r.door.Accounts.Authenticate(r.UserContext(), kept)
	if err != nil || !proof.IsSignatoryOf(who.Document, who.Invitation) {
		return who
	}
	proof.Host = who.Host
	return proof
}

func (r *request) deadLink(token string) error {
	return r.render(http.StatusNotFound, "link", page{Title: r.say("link.title"), Data: struct{ Base string }{"/s/" + token}})
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

func (r *request) visitPage(v *visitor) visitPage {
	p := visitPage{Visit: v.Visit, Base: v.base, Logo: v.Company.OwnLogo(), Sender: v.Document.Owner.Name, Hosted: v.host}
	if p.Sender == "" {
		p.Sender = v.Document.Owner.Email
	}
	progress := v.Document.ProgressOf()
	p.Done, p.Total = progress.Signed, progress.Total
	return p
}

// frame is a page of a link, to which the handler adds what is its own.
func (r *request) frame(v *visitor, title string) page {
	return page{Title: title, Data: r.visitPage(v), Zone: zoneOf(v.Company), Styles: accent(v.Company.BrandColor)}
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
func (r *request) showVisit(v *visitor) error {
	switch v.Stage {
	case signing.StageSign:
		return r.showSign(v, http.StatusOK, form{}, nil)
	case signing.StageIdentify:
		return r.showGate(v, http.StatusOK, page{})
	case signing.StageConsent:
		return r.showConsentGate(v)
	}
	p := r.frame(v, r.say("visit."+string(v.Stage)+".title", "title", v.Document.Title))
	if v.Stage == signing.StageSealing {
		p.Refresh = 5
	}
	data := p.Data.(visitPage)
	if v.Stage == signing.StageCompleted {
		data.Files, data.SHA256 = r.finished(v)
	}
	if v.Stage == signing.StageCompleted || v.Stage == signing.StageSigned {
		data.leadOn(v.Document.RedirectURL, r.Query("just") == "signed")
		if data.Leaves > 0 {
			p.Scripts = []string{"leave.js"}
		}
	}
	p.Data = data
	return r.render(http.StatusOK, "visit", p)
}

// finished lists what a person can take home, and the hash of the one file if
// there is one.
func (r *request) finished(v *visitor) (files []finished, hash string) {
	if len(v.Document.Files) == 1 {
		files = append(files, finished{r.say("visit.completed.pdf"), v.base + "/files/document", "primary"})
		hash = v.Document.Files[0].Current()
	}
	return append(files, finished{r.say("visit.completed.certificate"), v.base + "/files/certificate", "secondary"},
		finished{r.say("visit.completed.zip"), v.base + "/files/all", "secondary"}), hash
}

// viewed notes that somebody looks at the document: a script says so after the
// first gesture in a visible window.
func (r *request) viewed(v *visitor) error {
	if v.Stage == signing.StageSign || v.Stage == signing.StageWaiting {
		if _, err := r.door.Signing.MarkViewed(r.UserContext(), v.who, v.who.Document, v.who.Invitation); err != nil {
			return err
		}
	}
	return r.SendStatus(http.StatusNoContent)
}

// mustSign sends somebody for whom there is nothing to do to the page that says
// why.
func (r *request) mustSign(v *visitor) (gone bool, err error) {
	if v.Stage == signing.StageSign || v.Stage == signing.StageConsent {
		return false, nil
	}
	return true, r.redirect(v.base)
}

// ask shows one of the small forms of a link.
func (r *request) ask(v *visitor, name string) error {
	if gone, err := r.mustSign(v); gone {
		return err
	}
	return r.render(http.StatusOK, name, r.frame(v, r.say(name+".title", "title", v.Document.Title)))
}

// asked is a small form that was sent and may have to be shown again.
func (r *request) asked(v *visitor, name string, err error) error {
	if account.KindOf(err) == account.KindConflict {
		return r.redirect(v.base)
	}
	return r.again(err, name, r.frame(v, r.say(name+".title", "title", v.Document.Title)))
}

func (r *request) notMe(v *visitor) error {
	note := r.form.value("note")
	if _, err := r.door.Signing.NotMe(r.UserContext(), v.who, v.who.Document, v.who.Invitation, &note); err != nil {
		return r.asked(v, "not-me", err)
	}
	return r.farewell(v, "not-me.done")
}

// clear forgets what was filled in.
func (r *request) clear(v *visitor) error {
	if err := r.door.Signing.ClearAnswers(r.UserContext(), v.who, v.who.Document, v.who.Invitation); err != nil {
		return r.asked(v, "clear", err)
	}
	r.flash("ok", "clear.done")
	return r.redirect(v.base)
}

// farewell is the last page of a link: from here on it opens nothing.
func (r *request) farewell(v *visitor, key string, pairs ...any) error {
	p := page{Title: r.say(key + ".title"), Lead: r.say(key+".text", pairs...), Data: r.visitPage(v), Styles: accent(v.Company.BrandColor)}
	return r.render(http.StatusOK, "farewell", p)
}

// askForLink tells the sender that somebody wants to sign what has expired.
func (r *request) askForLink(v *visitor) error {
	err := r.door.Signing.AskForLink(r.UserContext(), v.who, v.who.Document, v.who.Invitation)
	if err != nil && account.KindOf(err) != account.KindConflict {
		return err
	}
	r.flash("ok", "visit.expired.asked")
	return r.redirect(v.base)
}

// sendLink mails a link again; the answer is the same whatever came of it.
func (r *request) sendLink() error {
	token := r.Params("token")
	if err := r.door.Signing.SendLink(r.UserContext(), token, r.form.value("email"), r.from(account.Actor{})); err != nil {
		return err
	}
	return r.render(http.StatusOK, "link", page{Title: r.say("link.title"), Data: struct{ Base string }{"/s/" + token}, Notice: r.notice("ok", "link.sent")})
}
