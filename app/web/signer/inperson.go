package signer

import (
	"net/http"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// Signing in person: a member hands their device to a signatory. The member's
// session ends, and a cookie gives access to the pages instead of a link, so that
// no link remains in the browser's history.

// inPerson replaces the token in addresses.
const inPerson = "in-person"

// deviceCookie holds the code of a device used for signing in person.
const deviceCookie = "paraph_in_person"

// handOverPage asks a member to hand the device over to a person.
type handOverPage struct{ ID, Invitation, Name string }

// Device hands a member's device to a signatory.
type Device struct {
	Signing *signing.Signing

	Now func(company string) time.Time
}

// Ask explains what handing over the device does.
func (h *Device) Ask(r *page.Request) error {
	d, err := h.Signing.Get(r.Who.Call, r.Params("id"))
	if err != nil {
		return err
	}
	if err := r.Who.Call.Require(account.ScopeWrite); err != nil {
		return err
	}
	inv := d.Invitation(r.Params("invitation"))
	if inv == nil {
		return fault.NotFound("invitation")
	}
	if !d.MayHost(r.Who.Call.Actor, inv, h.Now(r.Who.Company.ID)) {
		return r.SeeOther("/app/documents/" + d.ID)
	}
	return hostTemplate.Render(r, http.StatusOK, page.With(page.Page{Title: r.Say("act.host.title", "name", inv.Name)},
		handOverPage{d.ID, inv.ID, inv.Name}))
}

// Start signs the member out and starts the signatory's visit.
func (h *Device) Start(r *page.Request) error {
	code, err := h.Signing.HandDevice(r.Who.Call, r.Params("id"), r.Params("invitation"))
	if err != nil {
		return err
	}
	if err := r.Leave(); err != nil {
		return err
	}
	r.SetCookie(deviceCookie, code, "/s/"+inPerson, 0)
	return r.SeeOther("/s/" + inPerson)
}

// onDevice runs a handler for a signatory on a member's device, provided that they
// have confirmed who they are and there is something to sign.
func (h *Handlers) onDevice(r *page.Request, show func(*Visitor) error) error {
	p, err := h.Signing.OnDevice(r.Cookies(deviceCookie))
	if fault.KindOf(err) == fault.KindUnauthenticated {
		return showDeviceReturn(r, nil)
	}
	if err != nil {
		return err
	}
	v := &Visitor{Request: r, token: inPerson, base: "/s/" + inPerson, host: p.Host}
	if err := h.load(v, p.Who); err != nil {
		return err
	}
	toSign := v.Stage == record.StageSign || v.Stage == record.StageConsent || v.Stage == record.StageIdentify
	if p.Ended || !toSign {
		return showDeviceReturn(r, v)
	}
	if !p.Confirmed {
		confirm := plainPage(v, r.Say("host.title", "name", v.Invitation.Name))
		return inPersonTemplate.Render(r, http.StatusOK, confirm)
	}
	return show(v)
}

// Confirm starts the visit once the signatory has confirmed who they are.
func (h *Device) Confirm(r *page.Request) error {
	return changed(r, h.Signing.ConfirmPerson(r.Cookies(deviceCookie)))
}

// End ends signing in person.
func (h *Device) End(r *page.Request) error {
	return changed(r, h.Signing.EndInPerson(r.Cookies(deviceCookie)))
}

// changed redirects to the visit's pages on the device, which also say when it is over.
func changed(r *page.Request, err error) error {
	if err != nil && fault.KindOf(err) != fault.KindUnauthenticated {
		return err
	}
	return r.SeeOther("/s/" + inPerson)
}

// deviceReturnPage is the last page on a device.
type deviceReturnPage struct {
	Name, Host string
	Signed     bool
	Mails      bool // messages go out by e-mail
}

// showDeviceReturn asks the signatory to return the device, and shows nothing of the
// document. v is nil if the signatory is no longer known.
func showDeviceReturn(r *page.Request, v *Visitor) error {
	if r.Scripted() {
		return fault.Conflict("not_to_sign")
	}
	data := deviceReturnPage{}
	if v != nil {
		signed := v.Invitation.Acted()
		data = deviceReturnPage{Name: v.Invitation.Name, Host: v.host, Signed: signed, Mails: v.mails}
	}
	return handBackTemplate.Render(r, http.StatusOK, page.With(page.Page{Title: r.Say("host.done")}, data))
}
