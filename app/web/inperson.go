package web

import (
	"net/http"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/signing"
)

// Signing in person: a member hands their device to somebody, who signs on it. The
// member's session on it ends, and what opens the pages is in a cookie and not in an
// address, so that nothing stays in the history of the browser.

// inPerson stands in the address where the token of a link does.
const inPerson = "in-person"

// deviceCookie keeps the code of a device that was handed over, for its pages only.
const deviceCookie = "paraph_in_person"

func (d *Door) inPersonRoutes(app *fiber.App) {
	d.teamGet(app, "/app/documents/:id/people/:invitation/in-person", (*request).askToHand)
	d.teamPost(app, "/app/documents/:id/people/:invitation/in-person", (*request).handDevice)
	d.post(app, "/s/"+inPerson+"/confirm", (*request).confirmPerson)
	d.post(app, "/s/"+inPerson+"/back", (*request).handBack)
}

// askToHand says what handing over does, before it is done.
func (r *request) askToHand() error {
	d, err := r.door.Signing.Get(r.UserContext(), r.who.Actor, r.Params("id"))
	if err != nil {
		return err
	}
	if err := r.who.Actor.Require(account.ScopeWrite); err != nil {
		return err
	}
	inv := d.Invitation(r.Params("invitation"))
	if inv == nil {
		return account.NotFound("invitation")
	}
	if !d.MayHost(r.who.Actor, inv, r.door.Now()) {
		return r.redirect("/app/documents/" + d.ID)
	}
	data := struct{ ID, Invitation, Name string }{d.ID, inv.ID, inv.Name}
	return r.render(http.StatusOK, "host", page{Title: r.say("act.host.title", "name", inv.Name), Data: data})
}

// handDevice signs the member out and shows the pages of the person.
func (r *request) handDevice() error {
	code, err := r.door.Signing.HandDevice(r.UserContext(), r.who.Actor, r.Params("id"), r.Params("invitation"))
	if err != nil {
		return err
	}
	if err := r.leave(); err != nil {
		return err
	}
	r.keep(deviceCookie, code, "/s/"+inPerson, 0)
	return r.redirect("/s/" + inPerson)
}

// onDevice runs a handler for who signs on a device that was handed over, once they
// have said who they are, and as long as there is something to sign.
func (r *request) onDevice(show func(*request, *visitor) error) error {
	p, err := r.door.Signing.OnDevice(r.UserContext(), r.Cookies(deviceCookie))
	if account.KindOf(err) == account.KindUnauthenticated {
		return r.showHandBack(nil)
	}
	if err != nil {
		return err
	}
	v := &visitor{token: inPerson, base: "/s/" + inPerson, host: p.Host}
	if err := r.meet(v, p.Who); err != nil {
		return err
	}
	toSign := v.Stage == signing.StageSign || v.Stage == signing.StageConsent || v.Stage == signing.StageIdentify
	if p.Ended || !toSign {
		return r.showHandBack(v)
	}
	if !p.Confirmed {
		confirm := r.frame(v, r.say("host.title", "name", v.Invitation.Name))
		return r.render(http.StatusOK, "in-person", confirm)
	}
	return show(r, v)
}

func (r *request) confirmPerson() error {
	return r.changed(r.door.Signing.ConfirmPerson(r.UserContext(), r.Cookies(deviceCookie)))
}

// handBack ends what the device was handed over for.
func (r *request) handBack() error {
	return r.changed(r.door.Signing.HandBack(r.UserContext(), r.Cookies(deviceCookie)))
}

// changed leads back to the pages of the device. What is over is said there.
func (r *request) changed(err error) error {
	if err != nil && account.KindOf(err) != account.KindUnauthenticated {
		return err
	}
	return r.redirect("/s/" + inPerson)
}

// handBackPage is the last page on a device.
type handBackPage struct {
	Name, Host string
	Signed     bool
}

// showHandBack asks for the device back. Nothing of the document is on the page; v is
// nil where it is not known any more who signed.
func (r *request) showHandBack(v *visitor) error {
	if r.scripted() {
		return account.Conflict("not_to_sign", r.say("sign.gone"))
	}
	data := handBackPage{}
	if v != nil {
		data = handBackPage{Name: v.Invitation.Name, Host: v.host, Signed: v.Invitation.Status == signing.Signed}
	}
	return r.render(http.StatusOK, "hand-back", page{Title: r.say("host.done"), Data: data})
}
