package web

import (
	"net/http"

	"github.com/gofiber/fiber/v2"

	"paraph/app/signing"
)

// padRoutes are for drawing on a phone what is signed on a computer.
func (d *Door) padRoutes(app *fiber.App) {
	d.get(app, "/s/pad/:code", (*request).showPad)
	d.post(app, "/s/pad/:code", (*request).hand)
	d.post(app, "/s/:token/pad", d.invited((*request).offerPad))
	d.get(app, "/s/:token/pad/:code", d.invited((*request).handedOver))
}

// offerPad answers a script with the symbol that leads a phone to a pad.
func (r *request) offerPad(v *visitor) error {
	code, until, err := r.door.Signing.PadCode(r.UserContext(), v.who, v.who.Document, v.who.Invitation, r.form.value("kind"))
	if err != nil {
		return err
	}
	address := r.site() + "/s/pad/" + code
	symbol, err := qrCode(address, r.say("pad.symbol"))
	if err != nil {
		return err
	}
	return r.JSON(map[string]any{"code": code, "address": address, "symbol": symbol, "seconds": int(until.Sub(r.door.Now()).Seconds())})
}

// handedOver answers a script with what was drawn, once it has come.
func (r *request) handedOver(v *visitor) error {
	mark, err := r.door.Signing.HandedOver(r.UserContext(), v.who, v.who.Document, v.who.Invitation, r.Params("code"))
	if err != nil {
		return err
	}
	if mark == nil {
		return r.SendStatus(http.StatusNoContent)
	}
	return r.JSON(map[string]string{"data": mark.Data})
}

type padPage struct {
	signing.Pad
	Action string
}

func (r *request) showPad() error {
	p, err := r.pad()
	if err != nil {
		return err
	}
	return r.render(http.StatusOK, "pad", p)
}

func (r *request) pad() (page, error) {
	r.Set("X-Robots-Tag", "noindex, nofollow")
	p, err := r.door.Signing.Pad(r.UserContext(), r.Params("code"))
	if err != nil {
		return page{}, err
	}
	r.speak(p.Locale)
	return page{Title: r.say("pad.title." + p.Kind), Data: padPage{p, r.Path()}, Scripts: []string{"padpage.js"}}, nil
}

// hand takes what was drawn on the phone.
func (r *request) hand() error {
	p, err := r.pad()
	if err != nil {
		return err
	}
	if err := r.door.Signing.Hand(r.UserContext(), r.Params("code"), r.form.value("strokes")); err != nil {
		return r.again(err, "pad", p)
	}
	return r.render(http.StatusOK, "padsent", page{Title: r.say("pad.sent.title"), Data: p.Data})
}
