package signer

import (
	"net/http"
	"time"

	"paraph/app/signing"
	"paraph/app/web/page"
)

// Pad serves the drawing of a signature on a phone, for the page open on another screen.
type Pad struct {
	Signing *signing.Signing
	Now     func(company string) time.Time
}

// Offer responds to a script with the QR code that opens the drawing page on a
// phone.
func (h *Pad) Offer(v *Visitor) error {
	code, until, err := h.Signing.PadCode(v.who, v.who.Document, v.who.Invitation, v.Form.Value("kind"))
	if err != nil {
		return err
	}
	address := v.BaseURL() + "/s/pad/" + code
	symbol, err := page.QrCode(address, v.Say("pad.symbol"))
	if err != nil {
		return err
	}
	return v.JSON(map[string]any{"code": code, "address": address, "symbol": symbol, "seconds": int(until.Sub(h.Now(v.Company.ID)).Seconds())})
}

// Drawn responds to a script with the drawing, or with 204 until it has arrived.
func (h *Pad) Drawn(v *Visitor) error {
	mark, err := h.Signing.PadDrawing(v.who, v.who.Document, v.who.Invitation, v.Params("code"))
	if err != nil {
		return err
	}
	if mark == nil {
		return v.SendStatus(http.StatusNoContent)
	}
	return v.JSON(map[string]string{"data": mark.Data})
}

type padPage struct {
	signing.Pad
	Action string
}

// Show serves the page of a phone on which a signature is drawn.
func (h *Pad) Show(r *page.Request) error {
	p, err := h.open(r)
	if err != nil {
		return err
	}
	return padTemplate.Render(r, http.StatusOK, p)
}

func (h *Pad) open(r *page.Request) (page.View[padPage], error) {
	r.Set("X-Robots-Tag", "noindex, nofollow")
	p, err := h.Signing.OpenPad(r.Params("code"))
	if err != nil {
		return page.View[padPage]{}, err
	}
	r.UseLocale(p.Locale)
	return page.With(page.Page{Title: r.Say("pad.title." + p.Kind), Scripts: []string{"padpage.js"}}, padPage{p, r.Path()}), nil
}

// Paired admits the phone that opened the code of a pad.
func (h *Pad) Paired(show page.Handler) page.Access {
	return page.Invited(func(r *page.Request, read page.Handler) error {
		if _, err := h.open(r); err != nil {
			return err
		}
		if err := read(r); err != nil {
			return err
		}
		return show(r)
	})
}

// Draw stores the drawing from the phone.
func (h *Pad) Draw(r *page.Request) error {
	p, err := h.open(r)
	if err != nil {
		return err
	}
	if err := h.Signing.SubmitPad(r.Params("code"), r.Form.Value("strokes")); err != nil {
		return padTemplate.Again(r, err, p)
	}
	return padsentTemplate.Render(r, http.StatusOK, page.With(page.Page{Title: r.Say("pad.sent.title")}, p.Data))
}
