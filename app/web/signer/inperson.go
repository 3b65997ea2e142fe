package signer

import (
	"net/http"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/web/page"
)

// Signing in person: a member hands their device to somebody, who signs on it. The
// member's session on it ends, and what opens the pages is in a cookie and not in an
// address, so that nothing stays in the history of the browser.

// inPerson stands in the address where the token of a link does.
const inPerson = "in-person"

// deviceCookie keeps the code of a device that was handed over, for its pages only.
const deviceCookie = "paraph_in_person"

// AskHandOver says what handing over does, before it is done.
func (h *Handlers) AskHandOver(r *page.Request) error {
	d, err := h.Signing.Get(r.UserContext(), r.Who.Actor, r.Params("id"))
	if err != nil {
		return err
	}
	if err := r.Who.Actor.Require(account.ScopeWrite); err != nil {
		return err
	}
	inv := d.Invitation(r.Params("invitation"))
	if inv == nil {
		return fault.NotFound("invitation")
	}
	if !d.MayHost(r.Who.Actor, inv, h.Now()) {
		return r.SeeOther("/app/documents/" + d.ID)
	}
	data := struct{ ID, Invitation, Name string }{d.ID, inv.ID, inv.Name}
	return r.Render(http.StatusOK, "host", page.Page{Title: r.Say("act.host.title", "name", inv.Name), Data: data})
}

// HandOver signs the member out and shows the pages of the person.
func (h *Handlers) HandOver(r *page.Request) error {
	code, err := h.Signing.HandDevice(r.UserContext(), r.Who.Actor, r.Params("id"), r.Params("invitation"))
	if err != nil {
		return err
	}
	if err := r.Leave(); err != nil {
		return err
	}
	r.Keep(deviceCookie, code, "/s/"+inPerson, 0)
	return r.SeeOther("/s/" + inPerson)
}

// onDevice runs a handler for who signs on a device that was handed over, once they
// have said who they are, and as long as there is something to sign.
func (h *Handlers) onDevice(r *page.Request, show func(*Visitor) error) error {
	p, err := h.Signing.OnDevice(r.UserContext(), r.Cookies(deviceCookie))
	if fault.KindOf(err) == fault.KindUnauthenticated {
		return showHandBack(r, nil)
	}
	if err != nil {
		return err
	}
	v := &Visitor{Request: r, token: inPerson, base: "/s/" + inPerson, host: p.Host}
	if err := h.meet(v, p.Who); err != nil {
		return err
	}
	toSign := v.Stage == signing.StageSign || v.Stage == signing.StageConsent || v.Stage == signing.StageIdentify
	if p.Ended || !toSign {
		return showHandBack(r, v)
	}
	if !p.Confirmed {
		confirm := plainPage(v, r.Say("host.title", "name", v.Invitation.Name))
		return r.Render(http.StatusOK, "in-person", confirm)
	}
	return show(v)
}

// ConfirmPerson begins the visit, once the person has said that they are the one invited.
func (h *Handlers) ConfirmPerson(r *page.Request) error {
	return changed(r, h.Signing.ConfirmPerson(r.UserContext(), r.Cookies(deviceCookie)))
}

// HandBack ends what the device was handed over for.
func (h *Handlers) HandBack(r *page.Request) error {
	return changed(r, h.Signing.HandBack(r.UserContext(), r.Cookies(deviceCookie)))
}

// changed leads back to the pages of the device. What is over is said there.
func changed(r *page.Request, err error) error {
	if err != nil && fault.KindOf(err) != fault.KindUnauthenticated {
		return err
	}
	return r.SeeOther("/s/" + inPerson)
}

// handBackPage is the last page on a device.
type handBackPage struct {
	Name, Host string
	Signed     bool
}

// showHandBack asks for the device back. Nothing of the document is on the page; v is
// nil where it is not known any more who signed.
func showHandBack(r *page.Request, v *Visitor) error {
	if r.Scripted() {
		return fault.Conflict("not_to_sign")
	}
	data := handBackPage{}
	if v != nil {
		data = handBackPage{Name: v.Invitation.Name, Host: v.host, Signed: v.Invitation.Status == signing.Signed}
	}
	return r.Render(http.StatusOK, "hand-back", page.Page{Title: r.Say("host.done"), Data: data})
}
