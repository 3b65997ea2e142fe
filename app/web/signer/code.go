package signer

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// proofLasts is the lifetime of the cookie; the proof itself expires at the same
// time.
const proofLasts = time.Hour

// codePage is the page that asks for a code.
type codePage struct {
	visitPage
	Masked string // address the code is sent to
	Sent   bool   // a code has been sent
}

// showGate asks for the code that the invitation requires before anything is shown.
func showGate(v *Visitor, status int, p page.Page) error {
	own := frame(v, v.Say("gate.title"))
	own.Values, own.Faults, own.Fault, own.Notice = p.Values, p.Faults, p.Fault, p.Notice
	data := codePage{visitPageOf(v), mask(v.Invitation.Email), p.Notice != nil || p.Faults != nil}
	return gateTemplate.Render(v.Request, status, page.With(own, data))
}

// mask abbreviates an address so that only its owner recognizes it. A word
// joiner keeps its parts on one line.
func mask(address string) string {
	user, host, ok := strings.Cut(address, "@")
	if !ok || user == "" {
		return "…"
	}
	first := []rune(user)[0]
	return string(first) + "…\u2060@" + host
}

// RequestCode sends the code that proves who opened the link.
func (h *Handlers) RequestCode(v *Visitor) error {
	if v.Stage != record.StageIdentify {
		return v.SeeOther(v.base)
	}
	err := h.Signing.RequestCode(v.who, v.who.Document, v.who.Invitation)
	if err != nil {
		return gateAgain(v, err)
	}
	notice := v.Notice("ok", "gate.sent", "address", mask(v.Invitation.Email))
	if !v.mails {
		notice = v.Notice("info", "gate.made", "sender", visitPageOf(v).Sender)
	}
	return showGate(v, http.StatusOK, page.Page{Notice: notice})
}

// Identify checks the code.
func (h *Handlers) Identify(v *Visitor) error {
	if v.Stage != record.StageIdentify {
		return v.SeeOther(v.base)
	}
	code := strings.Map(func(c rune) rune {
		if c == ' ' || c == '-' && v.Invitation.Authentication == record.ByEmailCode {
			return -1
		}
		return c
	}, v.Form.Value("code"))
	proof, err := h.Signing.Identify(v.who, v.who.Document, v.who.Invitation, code)
	if err != nil {
		return gateAgain(v, err)
	}
	v.SetCookie(proofCookie, proof, v.base, proofLasts)
	return v.SeeOther(v.base)
}

// gateAgain shows why a code was refused, or how long to wait.
func gateAgain(v *Visitor, err error) error {
	f := v.FailureOf(err)
	switch fault.KindOf(err) {
	case fault.KindInvalid:
		return showGate(v, f.Status, page.Page{Faults: f.Faults})
	case fault.KindThrottled:
		v.Set(fiber.HeaderRetryAfter, strconv.Itoa(f.Wait))
		return showGate(v, f.Status, page.Page{Fault: cmp.Or(f.Message, v.Say("gate.wait", "n", f.Wait)), Faults: map[string][]string{}})
	case fault.KindConflict:
		return v.SeeOther(v.base)
	}
	return err
}
