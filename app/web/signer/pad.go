package signer

import (
	"net/http"

	"github.com/gofiber/fiber/v2"

	"paraph/app/signing"
	"paraph/app/web/page"
)

// padRoutes are for drawing on a phone what is signed on a computer.
func (h *Handlers) padRoutes(app *fiber.App) {
	h.Site.Get(app, "/s/pad/:code", h.showPad)
	h.Site.Post(app, "/s/pad/:code", h.hand)
	h.Site.Post(app, "/s/:token/pad", h.invited(h.offerPad))
	h.Site.Get(app, "/s/:token/pad/:code", h.invited(h.handedOver))
}

// offerPad answers a script with the symbol that leads a phone to a pad.
func (h *Handlers) offerPad(r *page.Request, v *visitor) error {
	code, until, err := h.Signing.PadCode(r.UserContext(), v.who, v.who.Document, v.who.Invitation, r.Form.Value("kind"))
	if err != nil {
		return err
	}
	address := r.BaseURL() + "/s/pad/" + code
	symbol, err := page.QrCode(address, r.Say("pad.symbol"))
	if err != nil {
		return err
	}
	return r.JSON(map[string]any{"code": code, "address": address, "symbol": symbol, "seconds": int(until.Sub(h.Now()).Seconds())})
}

// handedOver answers a script with what was drawn, once it has come.
func (h *Handlers) handedOver(r *page.Request, v *visitor) error {
	mark, err := h.Signing.HandedOver(r.UserContext(), v.who, v.who.Document, v.who.Invitation, r.Params("code"))
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

func (h *Handlers) showPad(r *page.Request) error {
	p, err := h.pad(r)
	if err != nil {
		return err
	}
	return r.Render(http.StatusOK, "pad", p)
}

func (h *Handlers) pad(r *page.Request) (page.Page, error) {
	r.Set("X-Robots-Tag", "noindex, nofollow")
	p, err := h.Signing.Pad(r.UserContext(), r.Params("code"))
	if err != nil {
		return page.Page{}, err
	}
	r.Speak(p.Locale)
	return page.Page{Title: r.Say("pad.title." + p.Kind), Data: padPage{p, r.Path()}, Scripts: []string{"padpage.js"}}, nil
}

// hand takes what was drawn on the phone.
func (h *Handlers) hand(r *page.Request) error {
	p, err := h.pad(r)
	if err != nil {
		return err
	}
	if err := h.Signing.Hand(r.UserContext(), r.Params("code"), r.Form.Value("strokes")); err != nil {
		return r.Again(err, "pad", p)
	}
	return r.Render(http.StatusOK, "padsent", page.Page{Title: r.Say("pad.sent.title"), Data: p.Data})
}
