package signer

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/signing"
	"paraph/app/web/page"
)

// proofLasts is how long a browser keeps the proof; the proof itself ends then too.
const proofLasts = time.Hour

// showGate asks for the code that an invitation wants before anything is shown.
func showGate(r *page.Request, v *visitor, status int, p page.Page) error {
	own := frame(r, v, r.Say("gate.title"))
	own.Values, own.Faults, own.Fault, own.Notice = p.Values, p.Faults, p.Fault, p.Notice
	data := own.Data.(visitPage)
	data.Masked, data.Sent = mask(v.Invitation.Email), p.Notice != nil || p.Faults != nil
	own.Data = data
	return r.Render(status, "gate", own)
}

// mask shows enough of an address to be recognised by whoever has it.
func mask(address string) string {
	user, host, ok := strings.Cut(address, "@")
	if !ok || user == "" {
		return "…"
	}
	first := []rune(user)[0]
	return string(first) + "…@" + host
}

func (h *Handlers) requestCode(r *page.Request, v *visitor) error {
	if v.Stage != signing.StageIdentify {
		return r.SeeOther(v.base)
	}
	err := h.Signing.RequestCode(r.UserContext(), v.who, v.who.Document, v.who.Invitation)
	if err != nil {
		return gateAgain(r, v, err)
	}
	return showGate(r, v, http.StatusOK, page.Page{Notice: r.Notice("ok", "gate.sent", "address", mask(v.Invitation.Email))})
}

func (h *Handlers) identify(r *page.Request, v *visitor) error {
	if v.Stage != signing.StageIdentify {
		return r.SeeOther(v.base)
	}
	code := strings.Map(func(c rune) rune {
		if c == ' ' || c == '-' && v.Invitation.Authentication == signing.ByEmailCode {
			return -1
		}
		return c
	}, r.Form.Value("code"))
	proof, err := h.Signing.Identify(r.UserContext(), v.who, v.who.Document, v.who.Invitation, code)
	if err != nil {
		return gateAgain(r, v, err)
	}
	r.Keep(proofCookie, proof, v.base, proofLasts)
	return r.SeeOther(v.base)
}

// gateAgain shows what was wrong with a code, or how long to wait.
func gateAgain(r *page.Request, v *visitor, err error) error {
	f := r.FailureOf(err)
	switch account.KindOf(err) {
	case account.KindInvalid:
		return showGate(r, v, f.Status, page.Page{Faults: r.Translated(f.Faults)})
	case account.KindThrottled:
		r.Set(fiber.HeaderRetryAfter, strconv.Itoa(f.Wait))
		return showGate(r, v, f.Status, page.Page{Fault: r.Say("gate.wait", "n", f.Wait), Faults: map[string][]string{}})
	case account.KindConflict:
		return r.SeeOther(v.base)
	}
	return err
}
