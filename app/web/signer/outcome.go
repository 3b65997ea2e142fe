package signer

import (
	"net/http"
	"net/url"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// deadPage is the page of a link that doesn't work.
type deadPage struct {
	Base  string
	Mails bool // a new link can be sent by e-mail
}

func (h *Handlers) deadLink(r *page.Request, token string) error {
	return linkTemplate.Render(r, http.StatusNotFound, h.deadPage(r, token))
}

func (h *Handlers) deadPage(r *page.Request, token string) page.View[deadPage] {
	return page.With(page.Page{Title: r.Say("link.title")}, deadPage{"/s/" + token, h.Mails()})
}

// outcomePage is the page of a visitor who has nothing to do, or nothing yet.
type outcomePage struct {
	visitPage
	Files  []finished
	Signed []Sheet // pages that show what was signed
	SHA256 string
	onward
	WhyDeclined string // why this person declined
	WhyVoided   string // why the document was voided
	Stopped     bool   // somebody declining voided it, not its owner
}

// finished is a file that can be downloaded.
type finished struct{ Name, Href, Kind string }

// ShowVisit serves the page behind a link. It has no side effects, so link scanners
// do no harm.
func (h *Handlers) ShowVisit(v *Visitor) error {
	switch v.Stage {
	case record.StageSign:
		return h.showSign(v, http.StatusOK, page.Form{}, nil)
	case record.StageIdentify:
		return showGate(v, http.StatusOK, page.Page{})
	case record.StageConsent:
		return showConsentGate(v, http.StatusOK, nil)
	}
	title := v.Say("visit."+string(v.Stage)+".title", "title", v.Document.Title)
	if by := v.Invitation.RecordedBy; by != nil && (v.Stage == record.StageSigned || v.Stage == record.StageDeclined) {
		title = v.Say("certificate.recorded_by", "by", by.Name, "name", v.Invitation.Name)
	}
	p := frame(v, title)
	if v.Stage == record.StageSealing {
		p.Refresh = 5
	}
	data := outcomePage{visitPage: visitPageOf(v), WhyDeclined: v.Invitation.WhyDeclined().Sentence(v.Words.SayOf),
		WhyVoided: v.Document.WhyVoided().Sentence(v.Words.SayOf), Stopped: v.Document.VoidedCode == record.ReasonDeclined}
	if v.Stage == record.StageCompleted {
		data.Files, data.SHA256 = finishedOf(v)
	}
	if v.Stage == record.StageSigned && !v.Closed {
		data.Files = signedFilesOf(v)
	}
	if v.Stage == record.StageCompleted || v.Stage == record.StageSigned {
		data.Signed = signedOf(v)
		data.onward = onwardOf(v, leftSigned)
	}
	if v.Stage == record.StageDeclined {
		data.onward = onwardOf(v, leftDeclined)
	}
	if data.RedirectAfter > 0 {
		p.Scripts = []string{"leave.js"}
	}
	return visitTemplate.Render(v.Request, http.StatusOK, page.With(p, data))
}

// maxShown is the maximum number of pages shown to somebody who has signed.
const maxShown = 3

// signedOf returns the pages that show what was signed: those with a signature of this person, or else the first one.
func signedOf(v *Visitor) []Sheet {
	type sheet struct {
		file string
		page int
	}
	own := map[sheet]bool{}
	for _, x := range v.Document.UnsortedFieldsOf(v.Invitation.ID) {
		if x.Type == pdf.FieldSignature {
			own[sheet{x.File, x.Page}] = true
		}
	}
	all := sheetsOf(v)
	var theirs []Sheet
	for _, s := range all {
		if own[sheet{s.File, s.Number}] {
			theirs = append(theirs, s)
		}
	}
	if len(theirs) == 0 {
		theirs = all[:min(len(all), 1)]
	}
	return theirs[:min(len(theirs), maxShown)]
}

// finishedOf lists the files to download once everybody has signed, the most wanted one first, and the hash if there is
// only one.
func finishedOf(v *Visitor) (files []finished, hash string) {
	all := finished{v.Say("visit.completed.zip"), v.base + "/files/all", "primary"}
	certificate := finished{v.Say("visit.completed.certificate"), v.base + "/files/certificate", "secondary"}
	if len(v.Document.Files) == 1 {
		all.Kind = "secondary"
		one := finished{v.Say("visit.completed.pdf"), v.base + "/files/document", "primary"}
		return []finished{one, certificate, all}, v.Document.Files[0].Current()
	}
	return append(append([]finished{all}, eachFile(v)...), certificate), ""
}

// eachFile lists the files of the document as they are now.
func eachFile(v *Visitor) (files []finished) {
	for i := range v.Document.Files {
		f := &v.Document.Files[i]
		files = append(files, finished{f.Name, v.base + "/files/document/" + f.ID, "secondary"})
	}
	return files
}

// signedFilesOf lists what a person can download who has signed while others still have to.
func signedFilesOf(v *Visitor) []finished {
	if len(v.Document.Files) > 1 {
		return eachFile(v)
	}
	return []finished{{v.Say("visit.current"), v.base + "/files/current", "secondary"}}
}

// Viewed records that the document was viewed. A script reports it on the first
// gesture in a visible window.
func (h *Handlers) Viewed(v *Visitor) error {
	if v.Stage == record.StageSign || v.Stage == record.StageWaiting {
		if _, err := h.Signing.MarkViewed(v.who, v.who.Document, v.who.Invitation); err != nil {
			return err
		}
	}
	return v.SendStatus(http.StatusNoContent)
}

// farewell is the last page of a link, which no longer works afterwards.
func farewell(v *Visitor, key string, pairs ...any) error {
	return farewellTemplate.Render(v.Request, http.StatusOK, farewellPage(v, key, pairs...))
}

func farewellPage(v *Visitor, key string, pairs ...any) page.View[visitPage] {
	return page.With(page.Page{
		Title:  v.Say(key + ".title"),
		Lead:   v.Say(key+".text", pairs...),
		Styles: accent(v.Company.BrandColor),
	}, visitPageOf(v))
}

// AskForLink asks the sender to renew an expired invitation.
func (h *Handlers) AskForLink(v *Visitor) error {
	err := h.Signing.AskForLink(v.who, v.who.Document, v.who.Invitation)
	if err != nil && fault.KindOf(err) != fault.KindConflict {
		return err
	}
	v.Flash("ok", "visit.expired.asked")
	return v.SeeOther(v.base)
}

// SendLink sends a new link by e-mail. The response doesn't reveal whether it was sent.
func (h *Handlers) SendLink(r *page.Request) error {
	token := r.Params("token")
	if !h.Mails() {
		return h.deadLink(r, token)
	}
	if err := h.Signing.SendLink(token, r.Form.Value("email"), r.Call(account.Actor{})); err != nil {
		return err
	}
	p := h.deadPage(r, token)
	p.Notice = r.Notice("ok", "link.sent")
	return linkTemplate.Render(r, http.StatusOK, p)
}

// redirectDelay is the delay before the automatic redirect, in seconds.
const redirectDelay = 10

// What somebody did last before they are redirected, as the sender's page and the query "just" name it.
const (
	leftSigned   = "signed" // or approved, read, filled in
	leftDeclined = "declined"
	leftSaved    = "saved" // to go on later
)

// onward is the way to the page of the sender's that a document names.
type onward struct {
	Redirect      string // address, "" for none
	Host          string // of Redirect
	RedirectAfter int    // seconds after which a script redirects; 0 means never
}

// onwardOf returns the redirect after an event, which the address says. It is automatic only right after it.
func onwardOf(v *Visitor, event string) onward {
	u, err := url.Parse(v.Document.RedirectURL)
	if err != nil || u.Host == "" {
		return onward{}
	}
	q := u.Query()
	q.Set("event", event)
	q.Set("document", v.Document.ID)
	q.Set("invitation", v.Invitation.ID)
	u.RawQuery = q.Encode()
	o := onward{Redirect: u.String(), Host: u.Hostname()}
	if event != leftSaved && v.Query("just") == event {
		o.RedirectAfter = redirectDelay
	}
	return o
}
